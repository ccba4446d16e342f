"""`cepheid.plot`: run a query and draw what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cepheid.errors import ConfigError
from cepheid.events import Events
from cepheid.language.ast import OutputMode
from cepheid.plan.run_options import Batch
from cepheid.plot.picture import Plot
from cepheid.plot.section import Section
from cepheid.query import ON_SPARK, Query, query
from cepheid.workload import Workload, workload

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from cepheid.analysis.schema import EventSchema
    from cepheid.engine.events.event_schema import ColumnRoles
    from cepheid.plan.physical import PhysicalPlan
    from cepheid.plot.body import Body
    from cepheid.plot.sample_matches import FoundMatches

MOST_MATCHES = 1_000_000  # that are looked for; more are not counted
MOST_EVENTS = 5_000_000  # of Spark that are brought to this process
MOST_LISTED = 1_000  # rows of the result in a page
ROW = "cepheid_row"  # the column with the row numbers of events


@dataclass(frozen=True, slots=True)
class Stretch:
    """The times that are drawn, as the user gave them; None for all."""

    begin: Any = None
    end: Any = None


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


def plot(
    queries: Query | str | Workload | Iterable[Query | str] | Mapping[str, Query | str],
    events: object,
    options: Batch | None = None,
    *,
    title: str | None = None,
    begin: Any = None,
    end: Any = None,
    **keywords: Any,
) -> Plot:
    """Run a query, or several, and return pictures of the results.

    Matches become a timeline with a row for every partition, aggregates a series of windows or
    bars. The events are read into this process, those of a batch DataFrame of Spark too.

    Args:
        queries: a query or its text; or a workload, or what `cepheid.workload` takes.
        events: as for `Query.run`, with the roles of columns as keywords.
        options: a `cepheid.Batch`; or its options as keywords.
        title: what stands above the picture; by default the query's name or pattern.
        begin: where the picture begins, in time; by default with the first event.
        end: where it ends.
        keywords: roles of columns and options of a run, as for `Query.run`.

    >>> import pyarrow as pa
    >>> events = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"]})
    >>> plot("PATTERN SEQ(A a, B b)", events, time="ts", type="kind")
    Plot(SEQ(A a, B b). 3 events, 2 matches. all events: 2 matches)
    """
    from cepheid.run_keywords import read_run

    given, chosen = read_run(events, options, keywords, method="plot", without=ON_SPARK)
    if not isinstance(chosen, Batch):
        raise ConfigError(
            "a stream has no end, so there is no picture of all of it",
            hint="plot what it wrote, or a batch of its events",
        )
    here, stretch = read_here(given), Stretch(begin, end)
    if isinstance(queries, Query | str):
        single = query(queries) if isinstance(queries, str) else queries
        section = draw_query(single, here, chosen, stretch, title)
        return Plot(title or section.name, [section])
    several = queries if isinstance(queries, Workload) else workload(queries)
    return draw_workload(several, here, chosen, stretch, title)


def draw_workload(
    several: Workload, events: EventsHere, options: Batch, stretch: Stretch, title: str | None
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
    parsed: Query, events: EventsHere, options: Batch, stretch: Stretch, title: str | None
) -> Section:
    """Run a query and return its picture, with rows of its result."""
    plan = parsed.plan(events.schema)
    options.check(plan)
    plan.require_executable()
    heading = title or (parsed.name if parsed.is_named else "")
    if plan.query.is_aggregate:
        from cepheid.plot.read_series import draw_aggregates

        result: Any = parsed.run(events.given, options)
        bodies = draw_aggregates(plan.query, result, heading)
        return _section(parsed, plan, bodies, result)
    is_graph = plan.query.output is OutputMode.COMPRESSED
    most = None if is_graph else min(options.limit or MOST_LISTED, MOST_LISTED)
    listed = replace(options, limit=most)
    rows = _rows(parsed.run(events.given, listed))  # first: it says what is wrong with the events
    bodies = (_timeline(parsed, plan, events, options, stretch, heading),)
    return _section(parsed, plan, bodies, rows)


def _rows(result: Any) -> pa.Table:
    """Return a table; of OUTPUT COMPRESSED some matches."""
    return result.first(MOST_LISTED) if hasattr(result, "expand") else result


def _section(
    parsed: Query,
    plan: PhysicalPlan,
    bodies: tuple[Body, ...],
    table: pa.Table,
    notes: tuple[str, ...] = (),
) -> Section:
    from cepheid.explain.explain_plan import explain_plan

    explanation = explain_plan(plan)
    name = parsed.name if parsed.is_named else explanation.pattern
    return Section(name, parsed.text, explanation, bodies, table, notes)


def _timeline(
    parsed: Query,
    plan: PhysicalPlan,
    events: EventsHere,
    options: Batch,
    stretch: Stretch,
    heading: str,
) -> Body:
    from cepheid.explain.explain_plan import explain_plan
    from cepheid.plot.event_rows import event_rows
    from cepheid.plot.place_matches import MatchPlacer
    from cepheid.plot.timeline_body import timeline_body

    rows = event_rows(events.table, events.schema, plan.query)
    most = min(options.limit or MOST_MATCHES, MOST_MATCHES)
    found = find_events(parsed, plan, events, replace(options, limit=most))
    explanation = explain_plan(plan)
    placer = MatchPlacer(plan.query, explanation, rows, found, _extent(stretch, events, rows.ticks))
    is_part = found.count >= most
    return timeline_body(placer.timeline(heading or explanation.pattern, is_part=is_part))


def find_events(
    parsed: Query, plan: PhysicalPlan, events: EventsHere, options: Batch
) -> FoundMatches:
    """Return the matches of a query as the row numbers of their events.

    It is the query that is run, with a column more and that column as its only result.
    """
    import numpy as np
    import pyarrow as pa

    from cepheid.language import ast
    from cepheid.language.printer import print_query
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
    rows = query(print_query(tree), name=parsed.name, parameters=parsed.parameters)
    batches = rows.batches(EventsHere(numbered, roles).given, options)
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
            return int(to_ticks(pa.chunked_array([pa.array([value]).cast(kind)]))[0])
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            raise ConfigError(
                f"{value!r} is no time of the column '{events.roles.time}', which holds {kind}"
            ) from None

    first, last = (int(ticks.min()), int(ticks.max())) if ticks.size else (0, 0)
    begin, end = tick(stretch.begin, first), tick(stretch.end, last)
    if begin > end:
        raise ConfigError(f"the picture would begin at {begin} and end before, at {end}")
    return Extent(begin, end)


def read_here(given: Events[Any]) -> EventsHere:
    """Return events as one Arrow table: files are read, DataFrames of Spark are collected."""
    from cepheid.runners.run_queries import read_input

    table: Any = given.table
    if given.path is not None:
        from cepheid.connectors.read_local import read_local

        table = read_local([given.path])
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
