"""The part of a program for aggregates whose predicates read the last event of a run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from cepheid.program.run_program import Test


class StructureCode(IntEnum):
    """What is kept for an edge; the numbers of kernels/last_event/adjacent_rules.py."""

    SCAN = 0
    TOTAL = 1
    PREFIX_SUMS = 2
    EQUAL_SUMS = 3
    STACK = 4
    TREE = 5


LOOKED_UP = (StructureCode.TOTAL, StructureCode.PREFIX_SUMS, StructureCode.EQUAL_SUMS)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column of the last event compared with one of the new event.

    `operator` is a number of kernels/predicates/predicate_machine.py, read from the last event to
    the new one. With a shift, which a difference has, the new event's value is compared after
    adding it.
    """

    operator: int
    last: int
    new: int
    is_float: bool
    shift: int | None = None


@dataclass(frozen=True, slots=True)
class AdjacentEdge:
    """How an edge finds the runs that it extends.

    `last_conditions` and `new_conditions` are columns that are true or false for the last and the
    new event.
    """

    structure: StructureCode
    comparison: Comparison | None
    last_conditions: tuple[int, ...]
    new_conditions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AdjacentProgram:
    """Tests by binding (edges, entries, ends), and how edges are looked up.

    Tests and columns are those of the program's runs; a test reads the last event of a run and the
    new one. The test of an end reads the event that ends the match.
    """

    tests: tuple[tuple[Test, ...], ...]
    edges: tuple[AdjacentEdge, ...]
