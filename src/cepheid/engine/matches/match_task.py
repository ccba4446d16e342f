"""The matches of one pattern that are to be found: what the program says, and the events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from cepheid.engine.events.order_events import OrderedEvents, order_events
from cepheid.engine.events.predicate_inputs import PredicateInputs, read_columns
from cepheid.engine.events.report_range import ReportRange
from cepheid.engine.fold import Folding
from cepheid.engine.matches.match_folds import Matches
from cepheid.program.program import Program


class SearchMode(NamedTuple):
    """How matches are searched: by which folds, on how many threads, and in which step."""

    folding: Folding
    threads: int = 1
    report_range: ReportRange | None = None


@dataclass(frozen=True)
class MatchTask:
    """Matches with the events of their pattern, of some partitions."""

    program: Program
    ordered: OrderedEvents
    predicates: PredicateInputs
    columns: Mapping[str, Any]
    folding: Folding
    partitions: range
    what: str = ""

    @property
    def group(self) -> Matches:
        """What folds are chosen by."""
        return Matches(self.program, self.what)

    def over(self, partitions: range) -> MatchTask:
        """Return the same of other partitions."""
        return replace(self, partitions=partitions)


def match_task(
    program: Program, columns: Mapping[str, Any], length: int, mode: SearchMode
) -> MatchTask:
    """Return a task of so many events, given by their columns."""
    record = mode.folding.record
    with record.stage("order"):
        ordered = order_events(
            program, columns, length, threads=mode.threads, report=mode.report_range
        )
    record.count("events that matter", ordered.row.size)
    record.count("partitions", ordered.arrays.partition_offsets.size - 1)
    return task_of(Matches(program), ordered, columns, mode)


def task_of(
    group: Matches, ordered: OrderedEvents, columns: Mapping[str, Any], mode: SearchMode
) -> MatchTask:
    """Return a task of all partitions of ordered events."""
    program = group.program
    with mode.folding.record.stage("predicates"):
        predicates = read_columns(program, ordered, columns, threads=mode.threads)
    partitions = range(ordered.arrays.partition_offsets.size - 1)
    return MatchTask(program, ordered, predicates, columns, mode.folding, partitions, group.what)
