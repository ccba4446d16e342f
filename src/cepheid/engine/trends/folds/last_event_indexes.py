"""Where events stand in the order of the values that edges compare.

What a column holds decides too: a value that a type lacks, one that left 64 bits, or NaN in `!=`
has no place in an order, and such edges are scanned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.few_events import rank_few
from cepheid.engine.events.is_few import is_few
from cepheid.engine.events.order_events import OrderedEvents
from cepheid.kernels.last_event.adjacent_rules import Indexes
from cepheid.kernels.order.value_ranks import find_ranges, place_by_distance, rank_in_partitions
from cepheid.kernels.predicates.predicate_machine import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    GREATER,
    LACKING,
    LESS,
    OVERFLOWED,
    UNEQUAL,
    VALID,
    ColumnArrays,
)
from cepheid.program.adjacent_program import AdjacentEdge, Comparison, StructureCode
from cepheid.program.arrow_arrays import empty
from cepheid.program.program import Program, StrategyCode

Int64s = NDArray[np.int64]
Booleans = NDArray[np.bool_]
NOWHERE = -1
OUT_OF_REACH = 2**62
# Each of several concurrent events walks down a stack; a tree is asked in O(log n) whatever waits.
MOST_CONCURRENT = 64
FARTHEST = 2**61  # from 0: differences of such integers, shifted by as much, stay in 64 bits
MOST_DISTANT = 4  # how far integers may lie apart, per event, to need no ranks


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of the indexes; `slots` is how much room each partition needs."""

    place: Int64s
    low: Int64s
    high: Int64s
    size: Int64s
    slots: Int64s
    shares_base: bool = False


class _Columns(NamedTuple):
    """The columns of predicates, and those that are made of them here."""

    status: list[NDArray[np.int8]]
    integers: list[Int64s]
    floats: list[NDArray[np.float64]]


class EdgeIndexes(NamedTuple):
    """Edges as the data allows them, where they look up what they extend, and the room of that."""

    edges: Sequence[AdjacentEdge]
    indexes: Indexes
    slots: int


def edge_indexes(program: Program, ordered: OrderedEvents, columns: ColumnArrays) -> EdgeIndexes:
    """Return the indexes of a program whose predicates read the last event of a run."""
    assert program.adjacent is not None
    builder = IndexBuilder(
        program.adjacent.edges, program.automaton.edges, program.strategy, ordered, columns
    )
    return EdgeIndexes(builder.edges, *builder.indexes())


class IndexBuilder:
    """Ranks the values that edges compare; `edges` are as the data allows them."""

    def __init__(
        self,
        edges: Sequence[AdjacentEdge],
        endpoints: Sequence[tuple[int, int]],
        strategy: StrategyCode,
        ordered: OrderedEvents,
        columns: ColumnArrays,
    ) -> None:
        self.endpoints = endpoints
        self.ordered = ordered
        self.columns = _Columns(list(columns.status), list(columns.integers), list(columns.floats))
        self.partitions = ordered.arrays.partition_offsets.size - 1
        self.takes_away = strategy is not StrategyCode.SKIP_TILL_ANY
        self.edges = self._agreeing([self._allowed(n, each) for n, each in enumerate(edges)])

    def indexes(self) -> tuple[Indexes, int]:
        """Return the indexes, and how many slots their structures need."""
        rows: list[_Row] = []
        offsets = [0]
        for number in range(len(self.edges)):
            rows += self._rows(number)
            offsets.append(len(rows))
        base = np.zeros((len(rows), self.partitions), np.int64)
        slots = 0
        for number, row in enumerate(rows):
            if row.shares_base:
                base[number] = base[number - 1]
                continue
            base[number] = slots + np.cumsum(row.slots) - row.slots
            slots += int(row.slots.sum())
        events = self.ordered.row.size
        return Indexes(
            np.array(offsets, np.int64),
            _stacked([each.place for each in rows], events),
            _stacked([each.low for each in rows], events),
            _stacked([each.high for each in rows], events),
            base,
            _stacked([each.size for each in rows], self.partitions),
        ), slots

    # --- what the data allows -------------------------------------------------------------------

    def _fires(self, position: int) -> Booleans:
        bit = np.uint64(1) << np.uint64(position)
        found: Booleans = (self.ordered.arrays.fires & bit) != 0
        return found

    def _allowed(self, number: int, edge: AdjacentEdge) -> AdjacentEdge:
        """Return the edge, scanned if a value that it reads has no place in an order."""
        source, target = self.endpoints[number]
        edge = self._without_shift(edge)
        reads = [(column, source) for column in edge.last_conditions]
        reads += [(column, target) for column in edge.new_conditions]
        comparison = edge.comparison
        if comparison is not None:
            reads += [(comparison.last, source), (comparison.new, target)]
        for column, position in reads:
            status = self.columns.status[column]
            if status.max(initial=VALID) < min(LACKING, OVERFLOWED):  # soon told, and mostly so
                continue
            odd = (status == LACKING) | (status == OVERFLOWED)
            if (odd & self._fires(position)).any():
                return _scanned(edge)
        if comparison is not None and comparison.is_float and comparison.operator == UNEQUAL:
            for column in (comparison.last, comparison.new):
                if np.isnan(self.columns.floats[column]).any():
                    return _scanned(edge)
        if edge.structure is StructureCode.STACK and self._has_wide_steps:
            return replace(edge, structure=StructureCode.TREE)
        return self._with_gates(edge)

    def _without_shift(self, edge: AdjacentEdge) -> AdjacentEdge:
        """Return an edge that compares with a column that a shift was added to.

        It is scanned if one of its differences might leave 64 bits, which is an error.
        """
        comparison = edge.comparison
        if comparison is None or comparison.shift is None or edge.structure is StructureCode.SCAN:
            return edge
        for column in {comparison.last, comparison.new}:
            values = self.columns.integers[column]
            if values.size and not -FARTHEST <= values.min() <= values.max() <= FARTHEST:
                return _scanned(edge)
        new = len(self.columns.integers)
        self.columns.status.append(self.columns.status[comparison.new])
        self.columns.integers.append(self.columns.integers[comparison.new] + comparison.shift)
        self.columns.floats.append(self.columns.floats[comparison.new])
        return replace(edge, comparison=replace(comparison, new=new, shift=None))

    @cached_property
    def _has_wide_steps(self) -> bool:
        sizes = np.diff(self.ordered.arrays.step_offsets)
        return int(sizes.max(initial=0)) > MOST_CONCURRENT

    def _with_gates(self, edge: AdjacentEdge) -> AdjacentEdge:
        """One sum cannot tell events apart: conditions on one event need a place for them."""
        if edge.structure is not StructureCode.TOTAL:
            return edge
        if self.takes_away:
            return replace(edge, structure=StructureCode.TREE) if edge.new_conditions else edge
        has_conditions = edge.new_conditions or edge.last_conditions
        return replace(edge, structure=StructureCode.EQUAL_SUMS) if has_conditions else edge

    def _agreeing(self, edges: list[AdjacentEdge]) -> list[AdjacentEdge]:
        """Edges out of a position share a structure where runs are taken away."""
        if not self.takes_away:
            return edges
        result = list(edges)
        for position in {source for source, _ in self.endpoints}:
            out = self._out(position)
            found = {edges[each].structure for each in out}
            if found == {StructureCode.TOTAL, StructureCode.TREE}:
                for each in out:
                    result[each] = replace(edges[each], structure=StructureCode.TREE)
            elif len(found) > 1:
                for each in out:
                    result[each] = _scanned(edges[each])
        return result

    def _out(self, position: int) -> list[int]:
        return [n for n, (source, _) in enumerate(self.endpoints) if source == position]

    # --- rows -----------------------------------------------------------------------------------

    def _rows(self, number: int) -> list[_Row]:
        edge = self.edges[number]
        match edge.structure:
            case StructureCode.PREFIX_SUMS:
                return self._prefix_rows(number, edge)
            case StructureCode.EQUAL_SUMS:
                return [self._equal_row(number, edge)]
            case StructureCode.STACK:
                return [self._stack_row(number, edge)] if edge.comparison is not None else []
            case StructureCode.TREE:
                return self._tree_rows(number, edge)
            case _:
                return []

    def _prefix_rows(self, number: int, edge: AdjacentEdge) -> list[_Row]:
        comparison = edge.comparison
        assert comparison is not None
        row = self._distance_row(edge, comparison)
        if row is not None:
            return [row]
        (last, new), size = self._ranks(number, [comparison])
        of_event = size[self.ordered.partition_of_event]
        last, new = self._gated(edge, last, new)
        rows = []
        operator = comparison.operator
        if operator in (LESS, AT_MOST, UNEQUAL):
            high = new + (operator == AT_MOST)
            rows.append((last, high))
        if operator in (GREATER, AT_LEAST, UNEQUAL):
            high = of_event - 1 - new + (operator == AT_LEAST)
            rows.append((of_event - 1 - last, high))
        return [
            _Row(
                np.where(last == NOWHERE, NOWHERE, place),
                np.zeros_like(place),
                np.where(new == NOWHERE, 0, high),
                size,
                size,
            )
            for place, high in rows
        ]

    def _distance_row(self, edge: AdjacentEdge, comparison: Comparison) -> _Row | None:
        """Return the row of integers that lie close together, which nobody has to sort."""
        operator = comparison.operator
        if comparison.is_float or operator == UNEQUAL or is_few(self.ordered.row.size):
            return None
        if edge.last_conditions or edge.new_conditions:
            return None
        if any((self.columns.status[c] != VALID).any() for c in {comparison.last, comparison.new}):
            return None
        last, new = (self.columns.integers[c] for c in (comparison.last, comparison.new))
        arrays = self.ordered.arrays
        begin = arrays.step_offsets[arrays.partition_offsets]
        smallest, size = np.empty(self.partitions, np.int64), np.empty(self.partitions, np.int64)
        if not find_ranges(last, new, begin, MOST_DISTANT * last.size, smallest, size):
            return None
        place, high = empty(last.size), empty(last.size)
        is_rising = operator in (LESS, AT_MOST)
        more = int(operator in (AT_MOST, AT_LEAST))
        place_by_distance(last, new, begin, smallest, size, is_rising, more, place, high)
        return _Row(place, np.zeros(last.size, np.int64), high, size, size)

    def _equal_row(self, number: int, edge: AdjacentEdge) -> _Row:
        if edge.comparison is None:
            last = new = np.zeros(self.ordered.row.size, np.int64)
            size = np.ones(self.partitions, np.int64)
        else:
            (last, new), size = self._ranks(number, [edge.comparison])
        last, new = self._gated(edge, last, new)
        low = np.maximum(new, 0)
        return _Row(last, low, low + (new != NOWHERE), size, size)

    def _stack_row(self, number: int, edge: AdjacentEdge) -> _Row:
        """What an event takes lies on top: from `low` on, in the order that it falls by."""
        comparison = edge.comparison
        assert comparison is not None
        (last, new), size = self._ranks(number, [comparison])
        of_event = size[self.ordered.partition_of_event]
        place = last
        if comparison.operator in (LESS, AT_MOST):
            place, new = (
                np.where(each == NOWHERE, NOWHERE, of_event - 1 - each) for each in (last, new)
            )
        low = new + (comparison.operator in (LESS, GREATER))
        low = np.where(new == NOWHERE, OUT_OF_REACH, low)
        return _Row(place, low, np.full_like(low, OUT_OF_REACH), size, np.zeros_like(size))

    def _tree_rows(self, number: int, edge: AdjacentEdge) -> list[_Row]:
        """All edges out of a position share its tree; NULL waits at the place after all others."""
        out = self._out(self.endpoints[number][0])
        compared = [c for each in out if (c := self.edges[each].comparison) is not None]
        ranks, size = self._ranks(number, compared)
        of_event = size[self.ordered.partition_of_event]
        place = np.where(ranks[0] == NOWHERE, of_event, ranks[0]) if compared else of_event
        takes = self._holds(edge.new_conditions)
        if edge.comparison is None:
            if not edge.new_conditions:
                return []
            bounds = [(np.zeros_like(place), of_event + 1)]
        else:
            new = ranks[1 + compared.index(edge.comparison)]
            takes = takes & (new != NOWHERE)
            bounds = _bounds(edge.comparison.operator, new, of_event)
        width = 2 ** np.ceil(np.log2(size + 1)).astype(np.int64)
        has_tree = any(self.edges[e].comparison or self.edges[e].new_conditions
                       for e in out if e < number)  # fmt: skip
        return [
            _Row(
                place,
                np.where(takes, low, 0),
                np.where(takes, high, 0),
                width,
                2 * width,
                shares_base=has_tree or row > 0,
            )
            for row, (low, high) in enumerate(bounds)
        ]

    def _gated(self, edge: AdjacentEdge, last: Int64s, new: Int64s) -> tuple[Int64s, Int64s]:
        """Return ranks, NOWHERE if a condition on the one event does not hold."""
        if edge.last_conditions:
            last = np.where(self._holds(edge.last_conditions), last, NOWHERE)
        if edge.new_conditions:
            new = np.where(self._holds(edge.new_conditions), new, NOWHERE)
        return last, new

    def _holds(self, conditions: Iterable[int]) -> Booleans:
        result = np.ones(self.ordered.row.size, np.bool_)
        for column in conditions:
            result &= self.columns.integers[column] != 0
        return result

    def _ranks(self, number: int, comparisons: Sequence[Comparison]) -> tuple[list[Int64s], Int64s]:
        """Return ranks of the last event's value, then of every new one's; and sizes.

        All comparisons read the same value of the last event. A value counts if its event can be
        at that end of the edge; others, NULL and NaN have none.
        """
        source = self.endpoints[number][0]
        needed: dict[int, Booleans] = {}
        order = [(each.new, self.endpoints[n][1])
                 for each in comparisons
                 for n in self._out(source)
                 if self.edges[n].comparison == each]  # fmt: skip
        for column, position in [(each.last, source) for each in comparisons[:1]] + order:
            fires = self._fires(position)
            needed[column] = needed[column] | fires if column in needed else fires
        by_column, size = self._joint_ranks(needed, any(each.is_float for each in comparisons))
        wanted = [each.last for each in comparisons[:1]] + [each.new for each in comparisons]
        return [by_column[each] for each in wanted], size

    def _joint_ranks(
        self, needed: dict[int, Booleans], is_float: bool
    ) -> tuple[dict[int, Int64s], Int64s]:
        """Return ranks by column and event within partitions, and how many values each has."""
        source = self.columns.floats if is_float else self.columns.integers
        events = {
            column: self._with_value(column, each, is_float) for column, each in needed.items()
        }
        size = np.zeros(self.partitions, np.int64)
        if not events:
            return {}, size
        found = _joined([_taken(source[column], each) for column, each in events.items()])
        owner = _joined([_taken(self.ordered.partition_of_event, e) for e in events.values()])
        order = np.argsort(found)
        in_order = found[order]
        number = np.zeros(found.size, np.int64)
        np.cumsum(in_order[1:] != in_order[:-1], out=number[1:])
        rank = np.empty(found.size, np.int64)
        if is_few(found.size):
            rank[order] = number
            size, rank = rank_few(rank, owner, self.partitions)
        else:
            latest = np.full(self.partitions, -1, np.int64)
            rank_in_partitions(order, number, owner, latest, size, rank)
        result, begin = {}, 0
        for column, each in events.items():
            count = self.ordered.row.size if each is None else each.size
            result[column] = rank[begin : begin + count]
            if each is not None:
                result[column] = np.full(self.ordered.row.size, NOWHERE, np.int64)
                result[column][each] = rank[begin : begin + count]
            begin += count
        return result, size

    def _with_value(self, column: int, is_needed: Booleans, is_float: bool) -> Int64s | None:
        """Return the events that have a value that is needed; None if all have."""
        valid = is_needed & (self.columns.status[column] == VALID)
        if is_float:
            valid &= ~np.isnan(self.columns.floats[column])
        return None if valid.all() else np.flatnonzero(valid)


def _taken(values: NDArray[Any], events: Int64s | None) -> NDArray[Any]:
    return values if events is None else values[events]


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _scanned(edge: AdjacentEdge) -> AdjacentEdge:
    return replace(edge, structure=StructureCode.SCAN)


def _bounds(operator: int, new: Int64s, size: Int64s) -> list[tuple[Int64s, Int64s]]:
    """Return the places below, at or above a rank; `!=` has two stretches."""
    zero = np.zeros_like(new)
    match operator:
        case _ if operator == LESS:
            return [(zero, new)]
        case _ if operator == AT_MOST:
            return [(zero, new + 1)]
        case _ if operator == GREATER:
            return [(new + 1, size)]
        case _ if operator == AT_LEAST:
            return [(new, size)]
        case _ if operator == EQUAL:
            return [(new, new + 1)]
        case _:
            return [(zero, new), (new + 1, size)]


def _stacked(rows: list[Int64s], width: int) -> Int64s:
    if len(rows) == 1:
        return np.ascontiguousarray(rows[0]).reshape(1, width)
    return np.stack(rows) if rows else np.empty((0, width), np.int64)
