"""Several queries on one stream; a reader's operator comes after those whose results it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

from pyspark.sql import DataFrame

from cepheid.program.lower import lower
from cepheid.runtime.derived_events import DerivedStream, derived_schema, united_schema
from cepheid.runtime.event_schema import ColumnRoles, ticks_per_second
from cepheid.runtime.final_matches import reported_after
from cepheid.runtime.spark.column_named import column_named
from cepheid.runtime.spark.stream.run_stream import finished, stream_input, tagged_results
from cepheid.runtime.spark.workload import SparkMembers
from cepheid.runtime.stream_options import StreamOptions
from cepheid.runtime.workload import Member

REUSE = "spark.sql.exchange.reuse"


class StreamMembers:
    """Streaming DataFrames; each is a query of its own when it is started."""

    def __init__(self, frame: DataFrame, roles: ColumnRoles, options: StreamOptions) -> None:
        self.given = stream_input(frame, roles, options)
        self.members = SparkMembers(self.given.frame, roles)
        self.behind: dict[str, Fraction] = {}  # seconds that results of a query may come late

    def run(
        self, member: Member, streams: Sequence[DerivedStream]
    ) -> tuple[Any, DerivedStream | None]:
        """Return the result, and the same as events if another query reads them."""
        given, roles = self.given, self.given.roles
        if streams:
            # Two readers of one query's results would share a shuffle, behind which Spark does not
            # find the watermark again.
            given.frame.sparkSession.conf.set(REUSE, "false")
        schema = united_schema(given.schema, streams, roles.time)
        plan = member.make_plan(derived_schema(schema, given.schema.names, streams, roles))
        program = lower(plan, as_stream=member.stream_type is not None)
        united = self.members.united(schema, streams)
        per_second = ticks_per_second(schema.field(program.time).type, roles)
        seconds = max((self.behind[each.query] for each in streams), default=Fraction(0))
        self.behind[member.name] = seconds + Fraction(reported_after(program), per_second)
        behind = ceil(seconds * per_second)
        own_input = replace(
            given, frame=united, schema=schema, reads_results=bool(streams), behind=behind
        )
        found = tagged_results(program, own_input)
        if member.stream_type is None:
            return finished(found, given.options), None
        own, stream = self.members.as_events(member, program, found.results, schema)
        shown = partial(_own_columns, found.unpack_results, own.columns)
        return finished(replace(found, unpack_results=shown), given.options), stream


def _own_columns(unpack: Any, columns: Sequence[str], tagged: DataFrame) -> DataFrame:
    found: DataFrame = unpack(tagged).select(*map(column_named, columns))
    return found
