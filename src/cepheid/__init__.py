"""Cepheid: complex event processing for PySpark.

>>> import cepheid
>>> import pyarrow as pa
>>> events = pa.table({"ts": [1, 2, 5], "kind": ["A", "B", "B"]})
>>> query = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 3 RETURN a.ts, b.ts")
>>> query.run(events, time="ts", type="kind").to_pylist()
[{'a_ts': 1, 'b_ts': 2}]
"""

from cepheid.errors import (
    BindingError,
    CepheidError,
    ConfigError,
    DataError,
    InternalError,
    LiveStateError,
    MatchLimitError,
    OutOfMemoryError,
    PipelineError,
    QueryError,
    QuerySyntaxError,
    StateError,
    StateLimitError,
    UnsupportedQueryError,
)
from cepheid.query import Query, query
from cepheid.runtime.streaming_metrics import StreamingMetrics, streaming_metrics
from cepheid.workload import QueryFolder, Workload, query_folder, workload

__version__ = "0.1.0"

__all__ = [
    "BindingError",
    "CepheidError",
    "ConfigError",
    "DataError",
    "InternalError",
    "LiveStateError",
    "MatchLimitError",
    "OutOfMemoryError",
    "PipelineError",
    "Query",
    "QueryError",
    "QueryFolder",
    "QuerySyntaxError",
    "StateError",
    "StateLimitError",
    "StreamingMetrics",
    "UnsupportedQueryError",
    "Workload",
    "__version__",
    "query",
    "query_folder",
    "streaming_metrics",
    "workload",
]
