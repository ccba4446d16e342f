"""How the runs that an event extends are found, where predicates read their last event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.automaton import FREE, Automaton
from cepheid.analysis.bound import BoundQuery, Strategy
from cepheid.analysis.expressions import AttributeReference, Minus, Operation, Role
from cepheid.plan.adjacent_tests import AdjacentTest, AdjacentTests, Source, find_adjacent_tests
from cepheid.plan.physical import AggregateMethod, Choice, Structure
from cepheid.plan.rules.choose_method import choose_method
from cepheid.plan.split_sides import split_sides

ORDERED = frozenset(("<", "<=", ">", ">="))
CONTIGUOUS = (Strategy.CONTIGUOUS, Strategy.STRICT)


def explain_structures(query: BoundQuery, method: AggregateMethod) -> tuple[Choice[Structure], ...]:
    """Return the structures of a query, or of sides of AND, with a value per last event."""
    if method is AggregateMethod.SIDES:
        sides = split_sides(query)
        methods = [choose_method(each).value for each in sides]
        found = map(explain_structures, sides, methods)
        return tuple(each for structures in found for each in structures)
    if method is not AggregateMethod.LAST_EVENTS:
        return ()
    tests = find_adjacent_tests(query)
    return choose_structures(query, tests) if isinstance(tests, AdjacentTests) else ()


def choose_structures(query: BoundQuery, tests: AdjacentTests) -> tuple[Choice[Structure], ...]:
    """Return a structure for every edge, in their order."""
    automaton = query.pattern.automaton
    by_edge = [_tested(each) for each in tests.by_binding[: len(automaton.edges)]]
    if query.strategy in CONTIGUOUS:
        reason = f"under {query.strategy.value} no other runs wait"
        return tuple(Choice(Structure.LAST_STEP, reason) for _ in by_edge)
    if query.strategy is Strategy.SKIP_TILL_ANY:
        return tuple(map(choose_structure, by_edge))
    by_position = {
        position.index: _choose_for_position(
            automaton, position.index, by_edge, has_next_kleene=_is_kleene(query)
        )
        for position in automaton.positions
    }
    return tuple(by_position[edge.source] for edge in automaton.edges)


def _is_kleene(query: BoundQuery) -> bool:
    return query.strategy is Strategy.SKIP_TILL_NEXT_KLEENE


def _tested(tests: Sequence[AdjacentTest]) -> list[AdjacentTest]:
    return [each for each in tests if not each.always_holds]


def _comparisons(tests: Sequence[AdjacentTest]) -> list[AdjacentTest]:
    return [each for each in tests if each.operator is not None]


def _obstacle(tests: Sequence[AdjacentTest]) -> str | None:
    """Return why an edge cannot be looked up in an index."""
    for each in tests:
        if each.operator is None and len(each.reads) > 1:
            return f"'{each.text}' is not a comparison of one value of each event"
    found = _comparisons(tests)
    if len(found) > 1:
        return f"'{found[0].text}' and '{found[1].text}' compare two values"
    return None


def choose_structure(tests: Sequence[AdjacentTest]) -> Choice[Structure]:
    """Return the structure of one edge under skip-till-any, where runs always stay.

    What a negated part shuts out goes by age, and so it is cleared from any structure.
    """
    obstacle = _obstacle(tests)
    if obstacle is not None:
        return Choice(Structure.SCAN, obstacle)
    found = _comparisons(tests)
    if not found:
        return Choice(Structure.TOTAL, "no predicate compares the two events")
    text, operator = found[0].text, found[0].operator
    if operator == "=":
        return Choice(Structure.EQUAL_SUMS, f"'{text}' takes the runs of one value")
    if operator == "!=":
        return Choice(Structure.PREFIX_SUMS, f"'{text}' takes the runs below and above one value")
    return Choice(Structure.PREFIX_SUMS, f"'{text}' takes the runs on one side of a value")


def _choose_for_position(
    automaton: Automaton,
    position: int,
    by_edge: Sequence[Sequence[AdjacentTest]],
    *,
    has_next_kleene: bool,
) -> Choice[Structure]:
    """Return the structure of the edges out of a position under skip-till-next.

    A run that goes along one of them leaves all of them, so they share what waits.
    """
    out = [
        (edge, tests)
        for edge, tests in zip(automaton.edges, by_edge, strict=True)
        if edge.source == position
    ]
    for edge, tests in out:
        obstacle = _obstacle(tests)
        if edge.blocked_by != FREE:
            obstacle = "a negated part between the two events shuts out the older ones"
        if obstacle is not None:
            return Choice(Structure.SCAN, obstacle)
        for each in tests:
            if each.reads == {Source.LAST}:
                return Choice(Structure.SCAN, f"'{each.text}' tells waiting events apart")
    compared = [(edge, each) for edge, tests in out for each in _comparisons(tests)]
    if not compared:
        return Choice(Structure.TOTAL, "no predicate tells waiting events apart")
    keys = {(_plain(each.last), _is_float(each)) for _, each in compared}
    if len(keys) > 1:
        texts = " and ".join(f"'{each.text}'" for _, each in compared)
        return Choice(Structure.SCAN, f"{texts} compare different values of the waiting event")
    edge, only = compared[0]
    is_only_test = sum(len(tests) for _, tests in out) == 1
    is_loop = edge.target == position
    if is_only_test and is_loop and only.operator in ORDERED and _same_value(only):
        how = "leave" if has_next_kleene else "take"
        return Choice(
            Structure.STACK,
            f"every event at '{automaton.positions[position].variable}' tests '{only.text}' and "
            f"takes what satisfies it, so what waits is sorted; other edges {how} all of it",
        )
    return Choice(
        Structure.TREE, f"'{only.text}' takes away runs by a value that does not wait in order"
    )


def _is_float(test: AdjacentTest) -> bool:
    assert test.last is not None
    assert test.new is not None
    return AttributeType.FLOAT in (test.last.type, test.new.type)


def _same_value(test: AdjacentTest) -> bool:
    """Whether the value that is compared with is the one that will wait."""
    return _plain(test.last) == _plain(test.new)


def _plain(value: object) -> object:
    """Return a value without saying which event it is read from."""
    match value:
        case AttributeReference():
            return replace(value, variable="", role=Role.EACH)
        case Minus():
            return ("-", _plain(value.operand))
        case Operation():
            return (value.operator, _plain(value.left), _plain(value.right))
        case _:
            return value
