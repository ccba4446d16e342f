"""Tests and slots of a pattern with predicates over several events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.bound import (
    BoundPattern,
    BoundQuery,
    NeighbourBound,
    ValueColumn,
    with_parts_of_columns,
)
from cepheid.analysis.expressions import (
    AttributeReference,
    BlockAggregate,
    Compare,
    Condition,
    Constant,
    Operation,
    Reference,
    Role,
    Value,
    references,
)
from cepheid.plan.helpful_directions import (
    MORE,
    NEITHER,
    SIGNS,
    agreed,
    counted_until,
    helpful_directions,
)
from cepheid.plan.negated_pattern import negated_pattern
from cepheid.plan.place_tests import Binding, all_bindings, bound_bindings, place_tests
from cepheid.program.find_overflows import find_overflows
from cepheid.program.lower_automaton import lower_automaton
from cepheid.program.lower_negation import lower_negation
from cepheid.program.lower_paths import lower_match_value, lower_path_clause
from cepheid.program.negation_program import NegationProgram
from cepheid.program.predicate_code import CLOCK_COLUMN, COMPARISONS, FUNCTIONS, CodeWriter
from cepheid.program.run_program import (
    UNLIMITED,
    AggregateSlot,
    ColumnKind,
    EventSlot,
    Operand,
    PathClause,
    RunProgram,
    Test,
    TestKind,
)

# The numbers of kernels/graph/run_graph.py; a test compares the two.
CURRENT_EVENT, LAST_EVENT = -1, -2
KEEP, SET, EXTEND, CLOSE = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class _EventKey:
    """An event that runs carry: the first or the latest event of a variable's latest block.

    Once an event of `closed_by` is bound, the slot is closed for the rest of the match.
    """

    variable: str
    role: Role
    closed_by: str | None = None


@dataclass(frozen=True, slots=True)
class _AggregateKey:
    variable: str
    function: str
    attribute: str | None
    is_float: bool


def _aggregate_key(reference: BlockAggregate) -> _AggregateKey:
    is_float = reference.attribute_type is AttributeType.FLOAT
    return _AggregateKey(reference.variable, reference.function, reference.attribute, is_float)


def lower_runs(query: BoundQuery) -> tuple[RunProgram, NegationProgram | None]:
    """Return the tests by binding and the slots that runs need for them, and the negations."""
    lowering = _RunLowering(query, CodeWriter())
    negation = None
    if query.pattern.automaton.negated_parts:
        negation = lower_negation(query.pattern, lowering.writer)
        negation = _with_own_runs(negation, query, lowering.writer)
    return lowering.lower(), negation


def _with_own_runs(
    negation: NegationProgram, query: BoundQuery, writer: CodeWriter
) -> NegationProgram:
    """Let runs of negated parts test the conditions that read nothing of the positive match.

    Then of matches with the same end only the one that starts last is needed.
    """
    if len(negation.branches) > 1:
        return negation
    parts, (branch,) = list(negation.parts), negation.branches
    conditions = list(branch.negative)
    for number, part in enumerate(query.pattern.automaton.negated_parts):
        own = negated_pattern(query.pattern, part)
        if own is not None:
            alone = replace(query, patterns=(own,), neighbour_bounds=(), matches=None)
            parts[number] = replace(
                parts[number],
                automaton=lower_automaton(part.automaton),
                runs=_RunLowering(alone, writer).lower(),
            )
            conditions[number] = ()
    branches = (replace(branch, negative=tuple(conditions)),)
    return replace(negation, parts=tuple(parts), branches=branches)


class _RunLowering:
    def __init__(self, query: BoundQuery, writer: CodeWriter) -> None:
        self.query = query
        self.pattern: BoundPattern = query.pattern
        self.bindings = all_bindings(self.pattern.automaton)
        self.writer = writer
        self.event_keys: dict[_EventKey, set[int]] = {}
        self.aggregate_keys: dict[_AggregateKey, int] = {}
        self.directions: dict[_AggregateKey, int] = {}
        self.most: dict[_AggregateKey, int] = {}

    def lower(self) -> RunProgram:
        tests: dict[Binding, list[Test]] = {each: [] for each in self.bindings}
        paths: dict[Binding, list[PathClause]] = {each: [] for each in self.bindings}
        simple: list[tuple[Binding, Condition]] = []
        for placed in place_tests(self.pattern):
            condition = placed.clause.condition
            if placed.needs_path:
                clause = lower_path_clause(condition, self.pattern, self.writer)
                paths[placed.binding].append(clause)
            else:
                simple.append((placed.binding, condition))
        for binding, condition in simple:
            tests[binding].append(self._test(condition, binding))
            for reference, direction in helpful_directions(condition).items():
                if isinstance(reference, BlockAggregate):
                    key = _aggregate_key(reference)
                    known = self.directions.get(key, direction)
                    self.directions[key] = agreed(known, direction)
            for aggregate, most in counted_until(condition):
                key = _aggregate_key(aggregate)
                until = UNLIMITED if most is None else min(most, UNLIMITED)
                self.most[key] = max(self.most.get(key, 0), until)
        for bound in self.query.neighbour_bounds:
            for binding in bound_bindings(self.pattern, bound, self.bindings):
                tests[binding].append(self._neighbour_test(bound, binding))
        by_binding = tuple(tuple(tests[each]) for each in self.bindings)
        columns = self.query.matches or self.query.aggregated_of_matches
        values = tuple(
            lower_match_value(each, self.pattern, self.writer)
            for each in with_parts_of_columns(columns)
            if isinstance(each, ValueColumn)
        )
        return RunProgram(
            columns=tuple(self.writer.columns),
            code=tuple(self.writer.code),
            integers=tuple(self.writer.integers),
            floats=tuple(self.writer.floats),
            text_constants=tuple(self.writer.text_constants),
            tests=by_binding,
            path_clauses=tuple(tuple(paths[each]) for each in self.bindings),
            event_slots=self._event_slots(by_binding),
            aggregate_slots=self._aggregate_slots(by_binding),
            exempt=self._exempt(),
            values=values,
            text_pairs=tuple(self.writer.text_pairs),
            may_overflow=find_overflows(self.pattern),
        )

    # --- tests ----------------------------------------------------------------------------------

    def _test(self, condition: Condition, binding: Binding) -> Test:
        """Return a test; one that reads one event, or compares two, needs no stack machine."""
        source = self._single_source(references(condition), binding)
        if source is not None:
            column = self.writer.computed(condition, is_float=False)
            read = self._operand_at(source, column, direction=MORE)
            return Test(0, 0, (read,), TestKind.EVENT_CONDITION)
        if isinstance(condition, Compare):
            is_float = AttributeType.FLOAT in (condition.left.type, condition.right.type)
            sign = SIGNS.get(condition.operator, NEITHER)
            left = self._side(condition.left, binding, sign, is_float=is_float)
            right = self._side(condition.right, binding, -sign, is_float=is_float)
            if left is not None and right is not None:
                kind = TestKind.COMPARE_FLOATS if is_float else TestKind.COMPARE_INTEGERS
                return Test(0, 0, (left, right), kind, COMPARISONS[condition.operator])
        begin, end, operands = self.writer.clause(condition)
        helpful, loaded = helpful_directions(condition), self.writer.operand_columns
        reads = [
            self._operand(each, column, binding, helpful.get(each, NEITHER))
            for each, column in zip(operands, loaded, strict=True)
        ]
        return Test(begin, end, tuple(reads))

    def _side(
        self, side: Value, binding: Binding, direction: int, *, is_float: bool
    ) -> Operand | None:
        """Return a side of a comparison that is a function of one event, or a bare aggregate."""
        if isinstance(side, BlockAggregate):
            # Kernels keep the float of an aggregate over integers for AVG only.
            has_float = side.type is AttributeType.FLOAT or side.function == "COUNT"
            return self._aggregate_operand(side) if has_float or not is_float else None
        source = self._single_source(references(side), binding)
        if source is None:
            return None
        if side.type is AttributeType.DECIMAL:
            column = self.writer.decimals(side, is_float=is_float)
        elif isinstance(side, AttributeReference) and is_float == (
            side.type is AttributeType.FLOAT
        ):
            column = self.writer.column(side.attribute, side.type)
        else:
            column = self.writer.computed(side, is_float=is_float)
        return self._operand_at(source, column, is_float=is_float, direction=direction)

    def _single_source(
        self, found: Iterable[Reference], binding: Binding
    ) -> int | _EventKey | None:
        """Return where the one event of all references comes from; None if there are several."""
        sources = set()
        for each in found:
            if isinstance(each, BlockAggregate):
                return None
            sources.add(self._source(each, binding))
        return sources.pop() if len(sources) == 1 else None

    def _operand_at(
        self, source: int | _EventKey, column: int, *, is_float: bool = False, direction: int = 0
    ) -> Operand:
        if not isinstance(source, int):
            self.event_keys.setdefault(source, set()).add(column)
            source = list(self.event_keys).index(source)
        return Operand(source, is_float=is_float, column=column, direction=direction)

    # --- operands -------------------------------------------------------------------------------

    def _operand(
        self, reference: Reference, column: int, binding: Binding, direction: int
    ) -> Operand:
        if isinstance(reference, BlockAggregate):
            return self._aggregate_operand(reference)
        is_float = self.writer.columns[column].kind is ColumnKind.FLOAT
        source = self._source(reference, binding)
        return self._operand_at(source, column, is_float=is_float, direction=direction)

    def _source(self, reference: AttributeReference, binding: Binding) -> int | _EventKey:
        positions = self.pattern.variables[reference.variable].positions
        is_bound_now = binding.target is not None and binding.target in positions
        is_last = binding.source in positions
        match reference.role:
            case Role.LEFT | Role.PREVIOUS:
                return LAST_EVENT
            case Role.RIGHT | Role.CURRENT:
                return CURRENT_EVENT
            case Role.FIRST:
                if is_bound_now and not is_last:
                    return CURRENT_EVENT
                return _EventKey(reference.variable, Role.FIRST)
            case _:
                if is_bound_now and reference.role is Role.EACH:
                    return CURRENT_EVENT
                return LAST_EVENT if is_last else _EventKey(reference.variable, Role.LAST)

    def _aggregate_operand(self, reference: BlockAggregate) -> Operand:
        key, column = _aggregate_key(reference), -1
        if reference.attribute is not None:
            column = self.writer.column(reference.attribute, reference.attribute_type)
        self.aggregate_keys.setdefault(key, column)
        slot = list(self.aggregate_keys).index(key)
        return Operand(slot, FUNCTIONS[reference.function], key.is_float)

    # --- WITHIN … BETWEEN -----------------------------------------------------------------------

    def _neighbour_test(self, bound: NeighbourBound, binding: Binding) -> Test:
        """An event of `second`, often the first, comes soon after the last one of `first`."""
        kind = AttributeType.INTEGER
        later = AttributeReference(bound.second, Role.EACH, CLOCK_COLUMN, kind)
        earlier = AttributeReference(bound.first, Role.LAST, CLOCK_COLUMN, kind)
        distance = Operation("-", later, earlier, kind)
        begin, end, _ = self.writer.clause(Compare("<", distance, Constant(bound.length, kind)))
        source: int | _EventKey = LAST_EVENT
        if (
            not bound.is_within_one
            or binding.source not in self.pattern.variables[bound.first].positions
        ):
            closed_by = None if bound.is_within_one else bound.second
            source = _EventKey(bound.first, Role.LAST, closed_by)
        clock = self.writer.column(CLOCK_COLUMN, kind)
        read = self._operand_at(source, clock, direction=MORE)
        return Test(begin, end, (Operand(CURRENT_EVENT), read))

    # --- slots ----------------------------------------------------------------------------------

    def _change(self, variable: str, binding: Binding, *, continuing: int) -> int:
        """Return what a binding does to a slot of a variable."""
        positions = self.pattern.variables[variable].positions
        if binding.target is None or binding.target not in positions:
            return KEEP
        return continuing if binding.source in positions else SET

    def _event_slots(self, tests: tuple[tuple[Test, ...], ...]) -> tuple[EventSlot, ...]:
        slots = []
        for number, (key, columns) in enumerate(self.event_keys.items()):
            changes = tuple(self._event_change(key, each) for each in self.bindings)
            reads = [
                any(o.source == number and o.function < 0 for test in each for o in test.operands)
                for each in tests
            ]
            ends = SET if key.closed_by is None else CLOSE  # a closed slot outlives SET
            live = self._live(changes, reads, ends)
            slots.append(EventSlot(changes, live, tuple(sorted(columns))))
        return tuple(slots)

    def _event_change(self, key: _EventKey, binding: Binding) -> int:
        if key.closed_by is not None:
            closing = self.pattern.variables[key.closed_by].positions
            if binding.target in closing:
                return CLOSE
        continuing = SET if key.role is Role.LAST else KEEP
        return self._change(key.variable, binding, continuing=continuing)

    def _aggregate_slots(self, tests: tuple[tuple[Test, ...], ...]) -> tuple[AggregateSlot, ...]:
        slots = []
        for number, (key, column) in enumerate(self.aggregate_keys.items()):
            changes = tuple(
                self._change(key.variable, each, continuing=EXTEND) for each in self.bindings
            )
            reads = [
                any(o.source == number and o.function >= 0 for test in each for o in test.operands)
                for each in tests
            ]
            live = self._live(changes, reads, SET)
            function = FUNCTIONS[key.function]
            direction = self.directions[key]
            most = self.most.get(key, UNLIMITED)
            slots.append(
                AggregateSlot(changes, live, column, function, key.is_float, direction, most)
            )
        return tuple(slots)

    def _live(self, changes: tuple[int, ...], reads: list[bool], ends: int) -> tuple[bool, ...]:
        """Return for every position whether a slot is read before a change ends its value."""
        count = len(self.pattern.automaton.positions)
        live = [False] * count
        is_stable = False
        while not is_stable:
            is_stable = True
            for binding, change, is_read in zip(self.bindings, changes, reads, strict=True):
                if binding.source is None or live[binding.source]:
                    continue
                after = binding.target is not None and live[binding.target] and change != ends
                if is_read or after:
                    live[binding.source] = True
                    is_stable = False
        return tuple(live)

    def _exempt(self) -> tuple[tuple[str, str], ...]:
        """Return the (type, attribute) pairs of types that lack an attribute."""
        schema = self.query.schema
        automata = [part.automaton for part in self.pattern.automaton.negated_parts]
        automata.append(self.pattern.automaton)
        types = {each for a in automata for one in a.positions for each in one.types}
        return tuple(
            (event_type, attribute)
            for event_type in sorted(types)
            for column in self.writer.columns
            for attribute in column.stored
            if not schema.has_attribute(event_type, attribute)
        )
