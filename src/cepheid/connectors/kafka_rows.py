"""Results as records for Kafka, with keys by which a consumer knows repeats."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

# One text per row, whatever the time zone of the session; by default Spark drops microseconds.
JSON_OPTIONS = {
    "ignoreNullFields": "false",
    "timeZone": "UTC",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def kafka_rows(results: DataFrame, query: str) -> DataFrame:
    """Return rows of `key` and `value`: the row as JSON, and the query's name with a hash of that.

    Spark writes to Kafka at least once. The same row has the same key whenever it is written, so a
    consumer that keeps one record per key has each row once. It also has only one of several
    matches whose columns are all equal: return a column that tells them apart if that matters.
    """
    columns = ["`" + name.replace("`", "``") + "`" for name in results.columns]
    value = F.to_json(F.struct(*columns), JSON_OPTIONS)
    key = F.concat(F.lit(f"{query}:"), F.sha2(value, 256))
    return results.select(key.alias("key"), value.alias("value"))
