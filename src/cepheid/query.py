"""The public query object: text in, results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from cepheid.analysis.analyze import analyze
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.fill_parameters import ParameterValue
from cepheid.analysis.schema import OPEN_SCHEMA, EventSchema
from cepheid.errors import UNNAMED, ConfigError, last_defence
from cepheid.language.parser import parse
from cepheid.language.printer import print_query
from cepheid.language.source import Source
from cepheid.plan.physical import PhysicalPlan
from cepheid.plan.planner import make_plan
from cepheid.plan.run_options import MOST_MATCHES, RunOptions

if TYPE_CHECKING:
    from pyarrow import RecordBatchReader

    from cepheid.program.program import Program

MOST_PROGRAMS = 1024  # that are kept


class Query:
    """A parsed query; it can be run on events of any supported kind, any number of times."""

    def __init__(
        self, text: str, *, name: str | None, parameters: Mapping[str, ParameterValue]
    ) -> None:
        if not isinstance(text, str):
            raise ConfigError(
                f"the text of a query is {text!r}, of type {type(text).__name__}",
                hint="give it as a string; of a file: Path(…).read_text()",
            )
        self.text = text
        self.is_named = name is not None
        self.name = UNNAMED if name is None else name
        self.parameters = dict(parameters)
        self.source = Source(text, self.name)
        with self._defence():
            self.tree = parse(text, name=self.name)

    def __repr__(self) -> str:
        return f"Query({self.text!r})"

    def __str__(self) -> str:
        return print_query(self.tree)

    def _defence(self) -> AbstractContextManager[None]:
        return last_defence(f"query '{self.name}'")

    def called(self, name: str) -> Query:
        """Return the same query under another name."""
        return Query(self.text, name=name, parameters=self.parameters)

    def bind(self, schema: EventSchema = OPEN_SCHEMA) -> BoundQuery:
        """Check the query against a schema; without one, every name is accepted."""
        with self._defence():
            return analyze(self.tree, self.source, schema=schema, parameters=self.parameters)

    def plan(self, schema: EventSchema = OPEN_SCHEMA) -> PhysicalPlan:
        """Return the plan for events of a schema."""
        with self._defence():
            return make_plan(self.bind(schema))

    def explain(self, *, format: str = "text", schema: EventSchema = OPEN_SCHEMA) -> str:
        """Say how the query will be run and why: as text, json, mermaid or svg.

        >>> print(query("PATTERN SEQ(A, B+)").explain().splitlines()[0])
        Query
        """
        from cepheid.explain.explain import explain

        with self._defence():
            return explain(self.plan(schema), format=format)

    def run(
        self,
        events: Any,
        *,
        time: str,
        type: str | None = None,
        order: str | Sequence[str] = (),
        schemas: Mapping[str, Sequence[str]] | None = None,
        time_unit: str = "s",
        live_limit: int | None = None,
        max_matches: int | None = MOST_MATCHES,
        limit: int | None = None,
        on_expiry: bool = False,
        parallel_in_time: bool | None = None,
        grouped: bool = False,
        packed: bool = False,
        ordered: bool = False,
        watermark: str | int | None = None,
        late: str = "drop",
        idle: str | None = None,
        buckets: int | None = None,
        state_limit: int | None = None,
        end: str | None = None,
    ) -> Any:
        """Run the query and return a result of the same kind as `events`.

        OUTPUT COMPRESSED gives an object with `count`, `first`, `batches` and `expand` instead.

        Args:
            events: a pyarrow Table or RecordBatch, a pandas or polars DataFrame, a Spark DataFrame,
                or a mapping from event type to one of these; or the path of a Parquet, CSV or JSON
                file or directory, which gives a pyarrow Table.
            time: the column with the time: a timestamp, a date or an integer.
            type: the column with the event type; not needed if all events are of one type.
            order: one or more columns that break ties between events of the same time.
            schemas: the attributes that each event type has, for streams in which types differ.
            time_unit: the unit of an integer time column.
            live_limit: how many events and partial matches a match query may keep alive in one
                partition before it fails instead of filling the memory. None means any number, but
                a million beyond the events where conditions keep every run apart. It is looked at
                whenever twice as many have come together, and not for OUTPUT PARTIAL and
                COMPRESSED, which report all of them.
            max_matches: how many matches a query may list, in a run in process, in a task of a
                Spark batch, or in a bucket and micro-batch of a stream. Where there
                are many, they are counted before they are built, and a query with more fails with a
                MatchLimitError; None means any number.
            limit: list at most so many matches and look for no others; which ones is not defined.
            on_expiry: an aggregate with WITHIN alone gives a row when an event arrives that can end
                a trend; with True also when only time passes and a trend leaves the window, if that
                changes the result.
            parallel_in_time: in a Spark batch, aggregates without partitions are folded in ranges
                of time on several tasks where their state allows it (EXPLAIN says so); True asks
                for that also where there are partitions, for events with one hot key, False forbids
                it.
            grouped: on Spark, every task of the DataFrame has all events of its partitions, as in a
                table bucketed by them or after `repartition`: they are not shuffled again.
            packed: on Spark, events are shuffled in packets of columns instead of as rows; see
                docs/how-to/tune-spark.md for when that is faster.

        The others are for streaming DataFrames, see docs/how-to/streaming.md:

        Args:
            ordered: events arrive in the order of their order key, so that a match is reported in
                the micro-batch that completes it.
            watermark: how late events may come, for a time column without a watermark of its own:
                "10 minutes", or a whole number in the unit of an integer column.
            late: "drop" counts events that come too late; "deliver" gives a `StreamResults` with
                `results` and `late`.
            idle: how long a source may be silent before the clock goes on without it, such as
                "1 minute"; needs `watermark`.
            buckets: how many parts the state has, and so how many tasks can work at most.
            state_limit: how many bytes a bucket may keep before the query fails.
            end: an empty folder. A file that is put into it says that no event comes any more: then
                everything is final and is reported.

        >>> import pyarrow as pa
        >>> events = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"]})
        >>> query("PATTERN SEQ(A a, B b)").run(events, time="ts", type="kind").num_rows
        2
        """
        from cepheid.runtime.dispatch import run_events, run_stored
        from cepheid.runtime.event_schema import ColumnRoles
        from cepheid.runtime.stream_options import StreamOptions

        ties = (order,) if isinstance(order, str) else tuple(order)
        roles = ColumnRoles(time, type, ties, schemas, time_unit)

        options = RunOptions(
            live_limit, max_matches, limit, on_expiry, parallel_in_time, grouped, packed
        )
        of_stream = StreamOptions(ordered, watermark, late, idle, buckets, state_limit, end)
        make_program = partial(self.program, options)

        if isinstance(events, str | PathLike):
            from cepheid.connectors.read_local import EventFiles

            of_stream.refuse("stored table")
            with self._defence():
                return run_stored(make_program, EventFiles([fspath(events)]), roles)
        with self._defence():
            return run_events(make_program, events, roles, of_stream)

    def batches(
        self,
        events: Any,
        *,
        time: str,
        type: str | None = None,
        order: str | Sequence[str] = (),
        schemas: Mapping[str, Sequence[str]] | None = None,
        time_unit: str = "s",
        live_limit: int | None = None,
        max_matches: int | None = MOST_MATCHES,
        limit: int | None = None,
        on_expiry: bool = False,
    ) -> RecordBatchReader:
        """Run the query on events of this process and return a reader of Arrow record batches.

        The arguments are those of `run`. Matches are found while they are read, on one thread, so
        that no more than a few of them are in memory.

        >>> import pyarrow as pa
        >>> events = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"]})
        >>> found = query("PATTERN SEQ(A a, B b)").batches(events, time="ts", type="kind")
        >>> sum(batch.num_rows for batch in found)
        2
        """
        from cepheid.runtime.dispatch import find_batches
        from cepheid.runtime.event_schema import ColumnRoles

        ties = (order,) if isinstance(order, str) else tuple(order)
        roles = ColumnRoles(time, type, ties, schemas, time_unit)
        options = RunOptions(live_limit, max_matches, limit, on_expiry)
        if isinstance(events, str | PathLike):
            from cepheid.connectors.read_local import read_local

            events = read_local([fspath(events)])
        return find_batches(partial(self.program, options), events, roles)

    def program(
        self, options: RunOptions, schema: EventSchema, *, is_checked: bool = True
    ) -> Program:
        """Return what is run on events of a schema.

        `is_checked`: options that the query cannot have are an error.
        """
        parameters = ((name, type(each), repr(each)) for name, each in self.parameters.items())
        by_type = schema.attributes_by_type
        key = (
            self.source,
            tuple(parameters),
            options,
            tuple(schema.attributes.items()),
            (schema.time, schema.type_column, schema.order, schema.ticks_per_second),
            None if by_type is None else tuple(by_type.items()),
            (schema.is_open, schema.derived_types, schema.other_attributes, is_checked),
        )
        return _lowered(_Request(key, self, options, schema, is_checked))


@dataclass(frozen=True, slots=True)
class _Request:
    """What a program is asked for; the key has everything that it depends on, as hashable values.

    Of a parameter that is its type, too: 1, 1.0 and TRUE are equal.
    """

    key: tuple[object, ...]
    query: Query = field(compare=False)
    options: RunOptions = field(compare=False)
    schema: EventSchema = field(compare=False)
    is_checked: bool = field(compare=False)


@lru_cache(maxsize=MOST_PROGRAMS)
def _lowered(request: _Request) -> Program:
    """Programs do not change, so a query that is run again need not be analysed again."""
    from cepheid.program.lower import lower

    plan, options = request.query.plan(request.schema), request.options
    if request.is_checked:
        options.check(plan)
    return lower(options.applied_to(plan))


def query(
    text: str,
    *,
    name: str | None = None,
    parameters: Mapping[str, ParameterValue] | None = None,
) -> Query:
    """Parse a query.

    Args:
        text: the query; see the language reference.
        name: what error messages and workloads call it, for example its file.
        parameters: values for `:name` in the text.

    >>> query("PATTERN SEQ(A, B) WITHIN :w", parameters={"w": "10 s"})
    Query('PATTERN SEQ(A, B) WITHIN :w')
    """
    return Query(text, name=name, parameters=parameters or {})
