"""Progress of micro-batches as Spark writes it."""

from typing import Any

OPERATOR = {
    "numRowsTotal": 3,
    "memoryUsedBytes": 50_000,
    "customMetrics": {"rocksdbSstFileSize": 1000},
}


def progress(batch: int = 0, *, rows: int = 100, **observed: dict[str, Any]) -> dict[str, Any]:
    """A micro-batch of two seconds; `observed` are the counts of queries by name."""
    return {
        "name": "fires",
        "timestamp": f"2026-01-01T10:00:{batch:02}.500Z",
        "batchId": batch,
        "batchDuration": 2000,
        "numInputRows": rows,
        "eventTime": {"max": "2026-01-01T09:59:50.000Z", "watermark": "2026-01-01T09:59:30.000Z"},
        "stateOperators": [OPERATOR] * 2,
        "observedMetrics": {f"cepheid:{name}": counts for name, counts in observed.items()},
    }
