"""Tables of a pipeline that Cepheid's queries fill: streaming tables and materialized views."""

from pathlib import Path

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

import cepheid

spark = SparkSession.active()
RIDES = Path("rides").absolute().as_uri()  # of the spec file's folder

# Made here: inside of the functions below Spark is not asked what columns a table has.
EVENTS = StructType.fromDDL(
    "time TIMESTAMP_NTZ, kind STRING, driver INT, rider INT, district INT, type STRING, "
    "speed DOUBLE, duration INT, price DOUBLE"
)
ROLES = {"time": "time", "type": "kind"}

cancelled = cepheid.query(
    """
    PATTERN SEQ(Request r, Travel slow{3,}, Cancel c) SEMANTICS skip-till-next-match
    WHERE [driver, rider] AND r.type = 'Pool' AND slow.speed < 10
    WITHIN 10 minutes
    RETURN r.time AS requested, c.time AS cancelled, r.driver AS driver
    """,
    name="cancelled",
)
crawling = cepheid.query(
    """
    PATTERN SEQ(Request r, Travel slow+, Pickup p) WHERE [driver, rider] AND slow.speed < 30
    GROUP BY district WITHIN 1 minute SLIDE 1 minute
    RETURN district, COUNT(*) AS trends
    """,
    name="crawling",
)
again = cepheid.workload(
    {
        "lost": "PATTERN SEQ(Request r, Cancel c) WHERE [driver, rider] WITHIN 5 minutes "
        "RETURN r.driver AS driver, c.time AS at INTO Lost",
        "twice": "PATTERN SEQ(Lost a, Lost b) WHERE [driver] WITHIN 5 minutes "
        "RETURN a.driver AS driver, a.at AS first, b.at AS second",
    }
)


def stream() -> DataFrame:
    """Return the events as they arrive.

    A stream of Cepheid keeps state, and of such streams Spark wants to see the source when the
    table is declared: it cannot be a table of the same pipeline.
    """
    return cepheid.declared(spark.readStream.schema(EVENTS).csv(RIDES, header=True), EVENTS)


def table() -> DataFrame:
    return cepheid.declared(spark.read.table("rides"), EVENTS)


@dp.table(schema=EVENTS)
def rides() -> DataFrame:
    return spark.readStream.schema(EVENTS).csv(RIDES, header=True)


@dp.table
def cancelled_rides() -> DataFrame:
    return cancelled.run(stream(), watermark="10 seconds", **ROLES)


@dp.table
def alerts() -> DataFrame:
    """All results of two queries in one table: the name of the query, and a row as JSON."""
    both = cepheid.workload([cancelled, crawling])
    return both.stream(stream(), watermark="10 seconds", **ROLES).rows


@dp.materialized_view
def crawling_so_far() -> DataFrame:
    return crawling.run(table(), **ROLES)


@dp.materialized_view
def lost_again() -> DataFrame:
    return again.run(table(), **ROLES)["twice"]
