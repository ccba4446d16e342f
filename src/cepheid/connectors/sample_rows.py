"""Some results of every micro-batch, for those who look on."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

MOST_ROWS = 16  # of a micro-batch
LONGEST = 2_000  # letters of a row


def with_sample(results: DataFrame, name: str) -> DataFrame:
    """Return results of a stream; progress has some of them, as JSON, under that name.

    That is no job more, and no row changes.

    A row is chosen by its hash, so that a sample takes no more memory than its rows. Without
    results there is nothing but NULL.
    """
    row = _as_json(results)
    place = F.pmod(F.xxhash64(row), F.lit(MOST_ROWS))
    rows = [F.max(F.when(place == each, row)).alias(f"row_{each}") for each in range(MOST_ROWS)]
    return results.observe(name, *rows)


def some_rows(batch: DataFrame) -> tuple[str, ...]:
    """Return some rows of a micro-batch that Spark keeps, as JSON; it is a small job."""
    return tuple(row[0] for row in batch.select(_as_json(batch)).limit(MOST_ROWS).collect())


def _as_json(results: DataFrame) -> Column:
    quoted = ["`" + each.replace("`", "``") + "`" for each in results.columns]
    return F.substring(F.to_json(F.struct(*quoted), {"ignoreNullFields": "false"}), 1, LONGEST)
