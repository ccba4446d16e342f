"""Warnings about events that a query cannot use, and about types that no event has.

The latter give no rows, not an error. Only whole inputs are looked at for them, never a part such
as a micro-batch or a task of Spark. Both are for the logger `cepheid`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.engine.process.log import LOG
from cepheid.errors import UNNAMED, nearest
from cepheid.language.ast import EVERY_TYPE
from cepheid.program.program import Program


def warn_of_dropped(partition_by: Iterable[str], dropped: int) -> None:
    """Say how many events of the query's pattern belong to no partition, if there are any."""
    if dropped:
        have = "1 event has" if dropped == 1 else f"{dropped:,} events have"
        belong = "belongs" if dropped == 1 else "belong"
        names = ", ".join(partition_by).replace("@.", "")  # of the event
        LOG.warning("%s NULL in %s and %s to no partition", have, names, belong)


FIRST_ROWS = 2**16  # most types occur soon: then the others need not be looked at
MOST_NAMES = 12


class OccurringTypes:
    """The types that events have, looked up in no more rows than it takes."""

    def __init__(self, column: Any) -> None:
        self.column = column

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return the names that no event has."""
        left = [each for each in names if each not in self._first]
        return [each for each in left if each not in self.all] if left else []

    @cached_property
    def _first(self) -> frozenset[str]:
        return _distinct(self.column[:FIRST_ROWS])

    @cached_property
    def all(self) -> frozenset[str]:
        """Every type that occurs."""
        return self._first | _distinct(self.column[FIRST_ROWS:])


def _distinct(column: Any) -> frozenset[str]:
    if not len(column):  # Arrow cannot unite no dictionaries
        return frozenset()
    if isinstance(column, pa.ChunkedArray) and pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    return frozenset(each for each in pc.unique(column).to_pylist() if each is not None)


def warn_of_missing_types(programs: Iterable[Program], column: Any) -> None:
    """Say which types of queries no event of a type column has; no events at all are no surprise.

    A type that is negated only may well be missing, so that it is told of if it looks misspelt.
    """
    if not len(column):
        return
    occurring = OccurringTypes(column)
    for program in programs:
        positive, negated = _named_types(program)
        for name in occurring.missing(sorted(positive)):
            _warn(program, f"no event is of type '{name}'", _hint(name, occurring.all))
        for name in occurring.missing(sorted(negated)):
            if nearest(name, occurring.all) is not None:
                said = f"no event is of type '{name}', so that its negation excludes nothing"
                _warn(program, said, _hint(name, occurring.all))


def _named_types(program: Program) -> tuple[set[str], set[str]]:
    """Return the types of positive events, and those that are negated only."""
    sides = [program] if program.pair is None else [program, program.pair.second]
    positive = {name for side in sides for test in side.tests for name in test.types}
    positive -= {*program.derived_types, EVERY_TYPE}
    return positive, set(program.types - positive - set(program.derived_types))


def _hint(name: str, occurring: frozenset[str]) -> str:
    names = sorted(occurring)
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    listed = f"the events have: {', '.join(names[:MOST_NAMES])}{more}" if names else "all are NULL"
    near = nearest(name, names)
    return listed if near is None else f"did you mean '{near}'? {listed}"


def _warn(program: Program, said: str, hint: str) -> None:
    whose = "" if program.name == UNNAMED else f"query '{program.name}': "
    LOG.warning("%s%s (%s)", whose, said, hint)
