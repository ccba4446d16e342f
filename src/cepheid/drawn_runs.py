"""Pictures of queries and of their results; `cepheid.plot` and `plot()` of results draw these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from cepheid.engine.failed import Failed
from cepheid.engine.process.hear_warnings import hear_warnings
from cepheid.errors import ConfigError
from cepheid.events import Events
from cepheid.language import ast
from cepheid.plan.run_options import Batch, RunOptions
from cepheid.plot.picture import Plot
from cepheid.plot.section import Section, heading_of
from cepheid.runners.query_results import QueryResults
from cepheid.tables.table_types import Table

if TYPE_CHECKING:
    import pyarrow as pa

    from cepheid.analysis.dependencies import Dependencies
    from cepheid.analysis.schema import EventSchema
    from cepheid.engine.events.event_schema import ColumnRoles
    from cepheid.plan.physical import PhysicalPlan
    from cepheid.plot.body import Body
    from cepheid.plot.sample_matches import FoundMatches
    from cepheid.plot.timeline import Timeline

MOST_MATCHES = 1_000_000  # that are looked for; more are not counted
MOST_EVENTS = 5_000_000  # of Spark that are brought to this process
MOST_SHOWN = 20  # rows of a result in a notebook
MOST_LISTED = 1_000  # rows of the result in a page
NO_MATCH = "There is no match: no events fit the whole pattern with its conditions and its window."
ROW = "cepheid_row"  # the column with the row numbers of events


class DrawnQuery(Protocol):
    """What is needed of a `Query`, which is above this layer."""

    name: str
    text: str
    is_named: bool
    tree: ast.Query

    @property
    def run(self) -> Any:
        """As `Query.run`."""

    @property
    def batches(self) -> Any:
        """As `Query.batches`."""

    def plan(self, schema: EventSchema) -> PhysicalPlan:
        """As `Query.plan`."""

    def with_tree(self, tree: ast.Query) -> DrawnQuery:
        """As `Query.with_tree`."""


@runtime_checkable
class DrawnWorkload(Protocol):
    """What is needed of a `Workload`."""

    dependencies: Dependencies

    @property
    def queries(self) -> Mapping[str, DrawnQuery]:
        """As `Workload.queries`."""

    @property
    def analyze(self) -> Any:
        """As `Workload.analyze`."""

    def plans(self, schema: EventSchema) -> dict[str, PhysicalPlan]:
        """As `Workload.plans`."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The times that are drawn, as the user gave them, and the attribute drawn as a line."""

    begin: Any = None
    end: Any = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class EventsHere:
    """Events as one Arrow table of this process, and the roles of its columns."""

    table: pa.Table
    roles: ColumnRoles

    @property
    def schema(self) -> EventSchema:
        """The columns, their types and roles."""
        from cepheid.engine.events.event_schema import event_schema

        return event_schema(self.table.schema, self.roles)

    @property
    def given(self) -> Events[Any]:
        """The same, to be run on."""
        return Events(self.table, self.roles)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A run that can be drawn: it keeps its events, and is run again."""

    queries: DrawnQuery | DrawnWorkload
    events: Events[Any]
    options: RunOptions

    def plot(
        self,
        *,
        title: str | None = None,
        begin: Any = None,
        end: Any = None,
        value: str | None = None,
    ) -> Plot:
        """Return pictures of the results; the arguments are those of `cepheid.plot`."""
        if not isinstance(self.options, Batch):
            raise ConfigError(
                "a stream has no end, so there is no picture of all of it",
                hint="plot what it wrote, or a batch of its events",
            )
        here, stretch, options = read_here(self.events), Stretch(begin, end, value), self.options
        here_only = replace(options, parallel_in_time=None, grouped=False, packed=False)
        if isinstance(self.queries, DrawnWorkload):
            return draw_workload(self.queries, here, here_only, stretch, title)
        section = draw_query(self.queries, here, here_only, stretch, title)
        return Plot(title or heading_of(section.name), [section])


class WorkloadResults(QueryResults[Table]):
    """The results of a workload by name; a query without one raises its error when it is read.

    They can be drawn, for which they keep the events.
    """

    def __init__(self, results: dict[str, Any], drawing: Drawing) -> None:
        super().__init__({name: dict.__getitem__(results, name) for name in results})
        self.drawing = drawing

    def plot(
        self,
        *,
        title: str | None = None,
        begin: Any = None,
        end: Any = None,
        value: str | None = None,
    ) -> Plot:
        """Return pictures of the results; the arguments are those of `cepheid.plot`."""
        return self.drawing.plot(title=title, begin=begin, end=end, value=value)

    def _repr_html_(self) -> str:
        """Return the first rows of every result, for notebooks; Spark is not asked for them."""
        from cepheid.plot.page import piece

        return piece("".join(_shown(name, dict.__getitem__(self, name)) for name in self))


def _shown(name: str, result: Any) -> str:
    from html import escape

    from cepheid.plot.rows_table import rows_table
    from cepheid.tables.table_kinds import TableKind, kind_of, to_arrow

    title = f"<h3>{escape(name)}</h3>"
    if isinstance(result, Failed):
        return f'{title}<p class="warning">{escape(str(result.error))}</p>'
    if hasattr(result, "expand"):  # of OUTPUT COMPRESSED
        return f'{title}<p class="note">{escape(repr(result))}</p>'
    kind = kind_of(result)
    if kind is TableKind.SPARK:
        return f'{title}<p class="note">{escape(repr(result))}</p>'
    table = to_arrow(result, kind)
    caption = f"{table.num_rows:,} row{'' if table.num_rows == 1 else 's'}"
    return f"{title}{rows_table(table, caption=caption, most=MOST_SHOWN)}"


def draw_workload(
    several: DrawnWorkload, events: EventsHere, options: Batch, stretch: Stretch, title: str | None
) -> Plot:
    """Return a section for every query, and the bursts that they shared."""
    limited = replace(options, limit=options.limit or MOST_LISTED)
    run = several.analyze(events.given, limited)
    plans = several.plans(events.schema)
    sections = []
    for name, each in several.queries.items():
        if several.dependencies.givers(name):
            note = f"It reads what {', '.join(several.dependencies.givers(name))} gives."
            sections.append(_section(each, plans[name], (), run.results[name], (note,)))
        else:
            sections.append(draw_query(each, events, options, stretch, None))
    has_bursts = any(each.bursts for each in run.report.sets)
    return Plot(title or "Workload", sections, run.svg() if has_bursts else None)


def draw_query(
    parsed: DrawnQuery, events: EventsHere, options: Batch, stretch: Stretch, title: str | None
) -> Section:
    """Run a query and return its picture, with rows of its result."""
    plan = parsed.plan(events.schema)
    options.check(plan)
    plan.require_executable()
    heading = title or (heading_of(parsed.name) if parsed.is_named else "")
    if plan.query.is_aggregate:
        from cepheid.plot.read_series import draw_aggregates

        _refuse_value(stretch)

        with hear_warnings() as heard:
            result: Any = parsed.run(events.given, options)
        bodies = draw_aggregates(plan.query, result, heading)
        return replace(_section(parsed, plan, bodies, result), warnings=tuple(heard))
    is_graph = plan.query.output is ast.OutputMode.COMPRESSED
    most = None if is_graph else min(options.limit or MOST_LISTED, MOST_LISTED)
    listed = replace(options, limit=most)
    with hear_warnings() as heard:  # first: it says what is wrong with the events
        rows = _rows(parsed.run(events.given, listed))
    from cepheid.plot.timeline_body import timeline_body

    bodies = (timeline_body(timeline_of(parsed, plan, events, options, stretch, heading)),)
    notes = () if rows.num_rows else (NO_MATCH,)
    return replace(_section(parsed, plan, bodies, rows, notes), warnings=tuple(heard))


def _refuse_value(stretch: Stretch) -> None:
    if stretch.value is not None:
        raise ConfigError(
            f"'{stretch.value}' is drawn above the events of matches, and aggregates have none",
            hint="leave value out, or draw the queries for matches alone",
        )


def _rows(result: Any) -> pa.Table:
    """Return a table; of OUTPUT COMPRESSED some matches."""
    return result.first(MOST_LISTED) if hasattr(result, "expand") else result


def _section(
    parsed: DrawnQuery,
    plan: PhysicalPlan,
    bodies: tuple[Body, ...],
    table: pa.Table,
    notes: tuple[str, ...] = (),
) -> Section:
    from cepheid.explain.explain_plan import explain_plan

    explanation = explain_plan(plan)
    name = parsed.name if parsed.is_named else explanation.pattern
    return Section(name, parsed.text, explanation, bodies, table, notes)


def timeline_of(
    parsed: DrawnQuery,
    plan: PhysicalPlan,
    events: EventsHere,
    options: Batch,
    stretch: Stretch,
    heading: str,
) -> Timeline:
    """Run a query and return its matches on their events."""
    from cepheid.explain.explain_plan import explain_plan
    from cepheid.plot.event_rows import event_rows
    from cepheid.plot.place_matches import MatchPlacer
    from cepheid.program.copy_events import with_copies

    if plan.query.copies is not None:  # an event is shown in every partition that it belongs to
        copied = with_copies(events.table, plan.query.copies, keeps_all=True)
        events = EventsHere(copied, events.roles)
    rows = event_rows(events.table, events.schema, plan, stretch.value)
    most = min(options.limit or MOST_MATCHES, MOST_MATCHES)
    found = find_events(parsed, plan, events, replace(options, limit=most))
    explanation = explain_plan(plan)
    placer = MatchPlacer(plan.query, explanation, rows, found, _extent(stretch, events, rows.ticks))
    is_part = found.count >= most
    return placer.timeline(heading or explanation.pattern, is_part=is_part)


def find_events(
    parsed: DrawnQuery, plan: PhysicalPlan, events: EventsHere, options: Batch
) -> FoundMatches:
    """Return the matches of a query as the row numbers of their events.

    It is the query that is run, with a column more and that column as its only result.
    """
    import numpy as np
    import pyarrow as pa

    from cepheid.plot.event_rows import to_ticks
    from cepheid.plot.sample_matches import sample_matches

    table, roles, column = events.table, events.roles, ROW
    while column in table.column_names:
        column += "_"
    numbered = table.append_column(column, pa.array(np.arange(table.num_rows)))
    if roles.schemas is not None:
        schemas = {name: [*each, column] for name, each in roles.schemas.items()}
        roles = replace(roles, schemas=schemas)
    sides = [each.positive_variables for each in plan.query.patterns]
    variables = dict.fromkeys(variable for side in sides for variable in side)
    returns = tuple(
        ast.ReturnItem(ast.Attribute(variable, column), f"variable_{place}")
        for place, variable in enumerate(variables)
    )
    output = plan.query.output
    tree = replace(
        parsed.tree,
        returns=returns,
        into=None,
        output=ast.OutputMode.ALL if output is ast.OutputMode.COMPRESSED else output,
    )
    batches = parsed.with_tree(tree).batches(EventsHere(numbered, roles).given, options)
    return sample_matches(batches, list(variables), to_ticks(table[roles.time]))


def _extent(stretch: Stretch, events: EventsHere, ticks: Any) -> Any:
    import pyarrow as pa

    from cepheid.plot.event_rows import to_ticks
    from cepheid.plot.place_matches import Extent

    def tick(value: Any, default: int) -> int:
        if value is None:
            return default
        kind = events.table.schema.field(events.roles.time).type
        try:
            return int(to_ticks(pa.chunked_array([_as_time(value, kind)]))[0])
        except (ValueError, TypeError, pa.ArrowNotImplementedError):
            raise ConfigError(
                f"{value!r} is no time of the column '{events.roles.time}', which holds {kind}"
            ) from None

    first, last = (int(ticks.min()), int(ticks.max())) if ticks.size else (0, 0)
    begin, end = tick(stretch.begin, first), tick(stretch.end, last)
    if begin > end:
        raise ConfigError(f"the picture would begin at {begin} and end before, at {end}")
    is_given = stretch.begin is not None or stretch.end is not None
    return Extent(begin, end, is_given)


def _as_time(value: Any, kind: pa.DataType) -> pa.Array:
    """Return a time of a column; a text is one in ISO format.

    Without a zone it is in that of the column, as a text in a query is.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    is_number = isinstance(value, int | float | Decimal)
    if not pa.types.is_temporal(kind) and not is_number:
        raise TypeError
    given = pa.array([datetime.fromisoformat(value) if isinstance(value, str) else value])
    zone = getattr(kind, "tz", None)
    if zone is not None and pa.types.is_timestamp(given.type) and given.type.tz is None:
        given = pc.assume_timezone(given, zone)
    return given.cast(kind)


def read_here(given: Events[Any]) -> EventsHere:
    """Return events as one Arrow table: files are read, DataFrames of Spark are collected."""
    from cepheid.runners.run_queries import read_input

    table: Any = given.table
    if given.path is not None:
        from cepheid.connectors.read_local import fit_roles, read_local

        table = fit_roles(read_local([given.path]), given.roles.time, given.roles.type)
    elif given.kind == "batch DataFrame":
        if isinstance(table, Mapping):
            table = {name: _collected(each) for name, each in table.items()}
        else:
            table = _collected(table)
    read = read_input(table, given.roles)
    return EventsHere(read.events, read.roles)


def _collected(frame: Any) -> pa.Table:
    from cepheid.connectors.collect_spark import collect

    table = collect(frame.limit(MOST_EVENTS + 1))
    if table.num_rows > MOST_EVENTS:
        raise ConfigError(
            f"the DataFrame has more than {MOST_EVENTS:,} events, too many for a picture",
            hint="filter it: some partitions, or a stretch of time",
        )
    return table
