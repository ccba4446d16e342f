"""`cepheid.funnel`: how far keys get through a list of steps, and how long that takes."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, overload

from cepheid.analysis.fill_parameters import ParameterValue
from cepheid.errors import ConfigError
from cepheid.funnels.step_queries import (
    FunnelDefinition,
    read_keys,
    read_mode,
    read_steps,
    read_within,
)
from cepheid.plan.run_options import Batch
from cepheid.tables.table_types import StoredPath, Table
from cepheid.workload import Workload, workload

if TYPE_CHECKING:
    from cepheid.events import Events
    from cepheid.funnels.reached_levels import Reached
    from cepheid.plot.picture import Plot
    from cepheid.tables.table_types import ArrowTable

Within = str | int | datetime.timedelta | None
Steps = Mapping[str, str] | Iterable[str]
NOT_FOR_FUNNELS = ("limit", "on_expiry", "parallel_in_time", "grouped")


class Funnel(Generic[Table]):
    """What `cepheid.funnel` gives: the level of every key, and what all of them come to.

    `levels` is a table of the kind that the events are, with the columns of the key, `level`, and
    the times of the steps, `time_1`, `time_2`, …, which are NULL from the first step on that was
    not reached. Keys that never take the first step are not in it. `queries` is what was run.
    """

    def __init__(
        self,
        definition: FunnelDefinition,
        queries: Workload,
        levels: Table,
        reached: Callable[[], Sequence[Reached]],
    ) -> None:
        self.definition = definition
        self.queries = queries
        self.levels = levels
        self._reached = reached

    def __repr__(self) -> str:
        steps = " > ".join(each.name for each in self.definition.steps)
        return f"Funnel({steps}; by {', '.join(self.definition.keys)})"

    def __str__(self) -> str:
        from cepheid.funnels.conversion import conversion_text

        return conversion_text(self.conversion)

    @cached_property
    def conversion(self) -> ArrowTable:
        """A row for each step: how many keys reached it, and how long after the step before."""
        from cepheid.funnels.conversion import conversion_table

        return conversion_table([each.name for each in self.definition.steps], self._reached())

    def plot(self, *, title: str | None = None) -> Plot:
        """Return a picture with a bar for each step."""
        from cepheid.explain.explain_plan import explain_plan
        from cepheid.plot.funnel_body import funnel_body
        from cepheid.plot.picture import Plot
        from cepheid.plot.section import Section

        heading = title or "Funnel"
        body = funnel_body(heading, self._note(), self.conversion.to_pylist())
        last = list(self.queries.queries.values())[-1]
        explanation = explain_plan(last.plan())
        notes = ("The query of the last step; those of the steps before have its beginning.",)
        section = Section(heading, last.text, explanation, (body,), self.conversion, notes)
        return Plot(heading, [section])

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()

    def _note(self) -> str:
        asked = self.definition
        within = "" if asked.within is None else f" within {asked.within}"
        return f"by {', '.join(asked.keys)}{within}, {asked.mode.value}"


@overload
def funnel(
    events: StoredPath,
    steps: Steps,
    *,
    by: str | Sequence[str],
    within: Within = None,
    mode: str = "ordered",
    **keywords: Any,
) -> Funnel[ArrowTable]: ...
@overload
def funnel(
    events: Events[Table] | Mapping[str, Table] | Table,
    steps: Steps,
    *,
    by: str | Sequence[str],
    within: Within = None,
    mode: str = "ordered",
    **keywords: Any,
) -> Funnel[Table]: ...
def funnel(
    events: object,
    steps: Steps,
    *,
    by: str | Sequence[str],
    within: Within = None,
    mode: str = "ordered",
    **keywords: Any,
) -> Funnel[Any]:
    """Find how far every key gets through the steps.

    The level of a key is the greatest number of steps, from the first one on, that its events took
    one after the other, the last of them less than `within` after the first.

    Args:
        events: as for `Query.run`, with the roles of columns as keywords.
        steps: texts, each an event type or `ANY(A, B)` and if need be a condition:
            `"View WHERE page = 'cart'"`; or such texts by the names that tables call them.
        by: the column, or the columns, of the key.
        within: how long it may take, as after WITHIN: "1 day", or a number of an integer time
            column, or a timedelta; None for any time.
        mode: what may lie between two steps: with "ordered" anything, with "no-repeats" no event
            that fits a step already taken, with "contiguous" nothing of the key.
        keywords: roles of columns and options of a run, as for `Query.run`; and `parameters`, with
            values for `:name` in the steps.

    >>> import pyarrow as pa
    >>> visits = pa.table({"ts": [1, 2, 3, 4, 5], "kind": ["Visit", "Visit", "Buy", "Buy", "Visit"],
    ...                    "user": ["ann", "bob", "ann", "cy", "cy"]})
    >>> found = funnel(visits, ["Visit", "Buy"], by="user", within=10, time="ts", type="kind")
    >>> print(found)
    step  name   keys  of first  of previous  dropped  median time
    1     Visit     3   100.0 %                     2
    2     Buy       1    33.3 %       33.3 %                   2 s
    """
    from cepheid.funnels.run_levels import run_levels
    from cepheid.run_keywords import read_run

    parameters = keywords.pop("parameters", None)
    given, options = read_run(events, None, keywords, method="funnel", without=NOT_FOR_FUNNELS)
    if not isinstance(options, Batch):
        raise ConfigError(
            "a stream has no end, so the levels of its keys are never known",
            hint="run the workload cepheid.funnel_queries(…): it gives every run that gets to a "
            "step, as soon as that is final",
        )
    definition = FunnelDefinition(
        read_steps(steps, parameters), read_keys(by), read_within(within), read_mode(mode),
        given.roles.time,
    )  # fmt: skip
    queries = workload(definition.texts())
    levels, reached = run_levels(definition, queries, given, options)
    return Funnel(definition, queries, levels, reached)


def funnel_queries(
    steps: Steps,
    *,
    by: str | Sequence[str],
    within: Within = None,
    mode: str = "ordered",
    time: str = "time",
    parameters: Mapping[str, ParameterValue] | None = None,
) -> Workload:
    """Return the queries of a funnel, one for every step, for a stream or to be looked at.

    The arguments are those of `funnel`; `time` is the time column. Query `level_2` gives the runs
    that get to the second step; those of one key do not overlap.

    >>> print(funnel_queries(["Visit", "Buy"], by="user", within="1 day").queries["level_2"].text)
    PATTERN SEQ(Visit step1, Buy step2)
    WHERE [user]
    WITHIN 1 day
    RETURN step1.user AS user, step1.time AS time_1, step2.time AS time_2
    OUTPUT NON OVERLAPPING
    """
    definition = FunnelDefinition(
        read_steps(steps, parameters), read_keys(by), read_within(within), read_mode(mode), time
    )
    return workload(definition.texts())
