"""What only Spark needs: queries by name in SQL, and columns of tables that cannot be asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cepheid.errors import ConfigError
from cepheid.plan.run_options import Batch
from cepheid.query import Query, query

if TYPE_CHECKING:
    from typing import Unpack

    from cepheid.events import Events
    from cepheid.run_keywords import Options, StreamKeywords
    from cepheid.tables.frame_type import SparkFrame, SparkSchema, SparkSession


def declared(frame: SparkFrame, schema: SparkSchema) -> SparkFrame:
    """Return a Spark DataFrame with these columns, whose types need not be asked for.

    Use it in a query function of a Spark Declarative Pipeline, where Spark does not tell them, as
    the last step before the query:

        rides = cepheid.declared(spark.read.table("rides"), schema)

    Args:
        frame: a Spark DataFrame, batch or streaming.
        schema: a StructType. It cannot be made of text inside of a query function.
    """
    from cepheid.spark.frames.query_functions import declare

    return declare(frame, schema)


def register(
    session: SparkSession,
    name: str,
    given: Query | str,
    events: Events[Any] | SparkFrame | str,
    options: Options = None,
    **keywords: Unpack[StreamKeywords],
) -> None:
    """Give a query a name in Spark SQL: that of a temporary view, and that of a table function.

        cepheid.register(spark, "found", query, "events", time="ts", type="kind")
        spark.sql("SELECT * FROM found")
        spark.sql("SELECT * FROM found(TABLE(others) PARTITION BY user)")

    The view has the results of `query.run(events, …)`, and is as quick. The function is for any
    table with the same columns; Spark 4.1 or later has such functions.

    Args:
        session: the Spark session, classic or Connect.
        name: the name of both.
        given: a query, or its text.
        events: a Spark DataFrame, `cepheid.events(…)` of one, or the name of a table or view.
        options: those of `Query.run`.
        keywords: the roles of columns, and options, as `Query.run` has them.
    """
    from cepheid.run_keywords import read_run
    from cepheid.runners.run_queries import read_input
    from cepheid.spark.sql.register_function import register_function
    from cepheid.tables.table_kinds import TableKind

    asked = query(given, name=name) if isinstance(given, str) else given
    source = session.table(events) if isinstance(events, str) else events
    table, chosen = read_run(source, options, keywords, method="register")
    read = read_input(table.table, table.roles)
    if read.kind is not TableKind.SPARK:
        raise ConfigError(
            f"the events of '{name}' are a {read.kind.value}, which Spark SQL does not know",
            hint="give a Spark DataFrame, or the name of a table",
        )
    result: Any = asked.run(table, chosen)
    if not hasattr(result, "createOrReplaceTempView"):
        raise ConfigError(
            f"the results of '{name}' are no table: {type(result).__name__}",
            hint="leave out OUTPUT COMPRESSED and late='deliver'",
        )
    result.createOrReplaceTempView(name)
    if isinstance(chosen, Batch):
        member = asked.member(replace(chosen, grouped=False, packed=False, parallel_in_time=False))
        register_function(session, name, member, read.events, read.roles)
