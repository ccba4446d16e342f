"""Random aggregate queries and streams: every function, strategy, negation and window.

There is one strategy per method of the engine, so that each gets its share of examples; which
method runs a query is the planner's choice, and a result never depends on it.
"""

import re
from typing import Any, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

import cepheid
from cepheid.language import ast
from cepheid.language.parser import parse
from tests.properties.aggregate_streams import aggregate_streams, bound
from tests.properties.drawn_patterns import positive_types
from tests.properties.queries import (
    Case,
    count_positions,
    equalities,
    local_conditions,
    name_events,
    negated_conditions,
    negated_patterns,
    neighbour_bounds,
    opening,
    patterns,
    run_conditions,
    with_types,
)

COMPARISONS = ("<=", "!=", ">=", "<", ">", "=")
ATTRIBUTES = ("x", "x", "f", "s", "at", "time")
NUMBERS = ("x", "x", "f")
GROUPS = ("", "", "seq", "k", "k, seq", "s", "QUALIFIED")


class Body(NamedTuple):
    """A pattern with what may be said of it in WHERE and RETURN."""

    pattern: ast.Pattern
    names: dict[str, bool]
    where: list[str]
    aggregates_types: bool = False

    @property
    def types(self) -> list[str]:
        return sorted(positive_types(self.pattern))

    @property
    def aggregated(self) -> list[str]:
        return self.types if self.aggregates_types else [*self.names, *self.types]

    @property
    def callable_names(self) -> dict[str, bool]:
        return with_types(self.pattern, self.names)


@st.composite
def seldom(draw: st.DrawFn, share: int) -> bool:
    """True once in a while, and never in the simplest example."""
    return draw(st.integers(1, share)) == share


# --- one strategy per method ----------------------------------------------------------------------


@st.composite
def plain_cases(draw: st.DrawFn) -> Case:
    """Local predicates at most; the whole input or sliding windows."""
    return draw(complete(draw(bodies()), draw(st.just("") | sliding_windows())))


@st.composite
def adjacent_cases(draw: st.DrawFn) -> Case:
    """Predicates between neighbours, perhaps with a negation in the gaps."""
    is_negated = draw(seldom(5))
    body = draw(bodies(is_negated=is_negated, most_events=3))
    for _ in range(draw(st.integers(1, 2))):
        body.where.append(draw(adjacent_conditions(body.callable_names)))
    kinds = sliding_windows() | recent_windows()
    return draw(complete(body, draw(kinds if is_negated else st.just("") | kinds)))


@st.composite
def negated_cases(draw: st.DrawFn) -> Case:
    """Negated parts without predicates across events; only a middle one needs no window."""
    body = draw(bodies(is_negated=True))
    is_everything = draw(seldom(5))
    return draw(complete(body, "" if is_everything else draw(sliding_windows())))


@st.composite
def recent_cases(draw: st.DrawFn) -> Case:
    """WITHIN alone: a result at every event that can end a match."""
    body = draw(bodies(is_negated=draw(seldom(2))))
    return draw(complete(body, draw(recent_windows())))


@st.composite
def enumerated_cases(draw: st.DrawFn) -> Case:
    """Predicates that read more than neighbours, bounds between variables."""
    is_negated = draw(seldom(3))
    negated: dict[str, bool] = {}
    body = draw(bodies(is_negated=is_negated, negated=negated, most_events=3))
    names = body.callable_names
    body.where.append(draw(run_conditions(names) | run_conditions(names) | equalities(names)))
    if negated and draw(st.booleans()):
        body.where.append(draw(negated_conditions(negated, names)))
    kinds = sliding_windows() | recent_windows()
    window = draw(kinds if is_negated else st.just("") | kinds)
    if draw(seldom(3)):
        window += f"\n{draw(neighbour_bounds(body.pattern, names))}"
    return draw(complete(body, window))


@st.composite
def pair_cases(draw: st.DrawFn) -> Case:
    """AND: aggregates over pairs of trends."""
    names: dict[str, bool] = {}
    negated: dict[str, bool] = {}
    sides, where = [], []
    is_negated = draw(seldom(4))
    for _ in range(2):
        known = len(names)
        inner = negated_patterns() if is_negated else patterns(most_events=2)
        sides.append(name_events(draw(inner), names, negated=negated))
        own = with_types(sides[-1], dict(list(names.items())[known:]))
        if draw(seldom(3)):
            conditions = adjacent_conditions(own) | run_conditions(own)
            where.append(draw(conditions | equalities(own)))
    assume(sum(map(count_positions, sides)) <= 12)
    if draw(seldom(3)):
        where.append("[k]")
    kinds = sliding_windows() | recent_windows()
    window = draw(kinds if is_negated else st.just("") | kinds)
    body = Body(ast.Conjunction(tuple(sides)), names, where)
    return draw(complete(body, window, longest=6))


PLAIN_SIDES = (
    *("A+", "B+", "C", "C+", "B", "SEQ(A, B)", "SEQ(B, A+)", "SEQ(A, B+)", "SEQ(C+, B)"),
    *("ANY(A, B)+", "A{1,3}", "SEQ(B, C) OR A", "SEQ(A*, B)"),
)
SIDES_IN_COMMON = (
    *("A+", "ANY(A, B)+", "SEQ(A, B?)", "(SEQ(A, B?))+", "A OR B", "SEQ(ANY(A, B), A*)"),
    *("SEQ(A*, B)", "SEQ(A?, B)", "A{1,3}"),
)
NEGATED_SIDES = (
    *("SEQ(A, !D, B+)", "SEQ(!D, B+)", "SEQ(A, !D)", "SEQ(A+, !SEQ(C, D), C)", "SEQ(A, !C, B)"),
    *("A+", "B+", "C", "ANY(A, B)+", "SEQ(A, B)"),
)


@st.composite
def combined_cases(draw: st.DrawFn, *, is_recent: bool = False) -> Case:
    """AND of sides that match a sequence of events in one way: most are added up apart."""
    names: dict[str, bool] = {}
    negated: dict[str, bool] = {}
    chosen = draw(st.sampled_from((PLAIN_SIDES, SIDES_IN_COMMON, SIDES_IN_COMMON, NEGATED_SIDES)))
    is_negated = chosen is NEGATED_SIDES
    sides, where = [], []
    for _ in range(2):
        known = len(names)
        text = draw(st.sampled_from(chosen))
        side = parse(f"PATTERN {text}").pattern
        sides.append(name_events(side, names, negated=negated))
        own = with_types(side, dict(list(names.items())[known:]))
        kind = draw(st.integers(0, 10))
        if kind > (7 if chosen is SIDES_IN_COMMON else 5):
            conditions = {8: run_conditions, 9: local_conditions}.get(kind, adjacent_conditions)
            where.append(draw(conditions(own)))
    if draw(seldom(3)):
        where.append("[k]")
    kinds = recent_windows() if is_recent else sliding_windows() | recent_windows()
    window = draw(kinds if is_negated or is_recent else st.just("") | kinds)
    # A variable of one side only tells the trends of both apart: then pairs are built.
    body = Body(ast.Conjunction(tuple(sides)), names, where, not draw(seldom(4)))
    return draw(complete(body, window, longest=7, groups=(*GROUPS, "", "", "", "")))


METHODS = {
    "plain": plain_cases(),
    "adjacent": adjacent_cases(),
    "negated": negated_cases(),
    "recent": recent_cases(),
    "enumerated": enumerated_cases(),
    "pairs": pair_cases(),
    "combined": combined_cases(),
}

# --- parts of a query -----------------------------------------------------------------------------


@st.composite
def bodies(
    draw: st.DrawFn,
    *,
    is_negated: bool = False,
    negated: dict[str, bool] | None = None,
    most_events: int = 4,
) -> Body:
    """A pattern with local conditions, on negated events too, and partitions."""
    names: dict[str, bool] = {}
    negated = {} if negated is None else negated
    inner = (
        open_negations() | negated_patterns() if is_negated else patterns(most_events=most_events)
    )
    pattern = name_events(draw(inner), names, negated=negated)
    assume(count_positions(pattern) <= 12)
    where = []
    if draw(seldom(5 if is_negated else 3)):  # negated parts leave few matches as it is
        where.append(draw(local_conditions(with_types(pattern, names))))
    if negated and draw(seldom(3)):
        where.append(draw(local_conditions(dict.fromkeys(negated, False))))
    if draw(seldom(6)):
        where.append(draw(equalities(names) | equalities([*names, *negated])))
    if draw(seldom(3)):
        where.append("[k]")
    return Body(pattern, names, where)


@st.composite
def open_negations(draw: st.DrawFn) -> ast.Pattern:
    """Negated parts that seldom block everything."""
    parts: list[ast.Pattern] = []
    places = draw(st.integers(1, 7))  # start, middle, end
    for place in range(3):
        if places >> place & 1:
            parts.append(ast.Negation(draw(rare_parts)))
        if place < 2:
            parts.append(draw(patterns(most_events=1 + place)))
    return ast.Sequence(tuple(parts))


rare_parts = st.sampled_from(
    [
        ast.EventPattern(("D",)),
        ast.EventPattern(("C", "D")),
        ast.Sequence((ast.EventPattern(("C",)), ast.EventPattern(("D",)))),
        ast.Sequence((ast.EventPattern(("D",)), ast.EventPattern(("A", "B")))),
        ast.Repeat(ast.EventPattern(("C",)), 2, None),
    ]
)


@st.composite
def adjacent_conditions(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """A condition on two neighbours: by NEXT, in one array, or between two variables."""
    name, other = (draw(st.sampled_from(list(names))) for _ in range(2))
    attribute = draw(st.sampled_from(ATTRIBUTES))
    operator = draw(st.sampled_from(COMPARISONS))
    pairs = [(f"{name}.{{}}", f"NEXT({other}).{{}}"), (f"{name}.{{}}", f"{other}.{{}}")]
    if names[name]:
        pairs.append((f"{name}[i].{{}}", f"{name}[i-1].{{}}"))
    left, right = draw(st.sampled_from(pairs))
    if not draw(seldom(4)):
        return f"{left.format(attribute)} {operator} {right.format(attribute)}"
    forms = (
        f"{left.format('x')} + 1 {operator} 2 * {right.format('x')}",
        f"{left.format('x')} - {right.format('x')} {operator} 1",
        f"{left.format('x')} {operator} {right.format('f')}",
        f"({left.format('x')} {operator} {right.format('x')} OR {right.format('f')} > 0.5)",
        f"NOT ({left.format('x')} = {right.format('x')} AND {left.format('s')} = 'a')",
    )
    return draw(st.sampled_from(forms))


lengths = st.sampled_from((6, 4, 8, 3, 7, 5, 2, 1))


@st.composite
def sliding_windows(draw: st.DrawFn) -> str:
    """WITHIN … SLIDE, of time or of events."""
    length = draw(lengths)
    unit = draw(st.sampled_from(("", "", " EVENTS")))
    return f"WITHIN {length}{unit} SLIDE {draw(st.integers(1, length))}{unit}"


@st.composite
def recent_windows(draw: st.DrawFn) -> str:
    """WITHIN alone, of time or of events."""
    return f"WITHIN {draw(lengths)}{draw(st.sampled_from(('', '', ' EVENTS')))}"


@st.composite
def aggregates(draw: st.DrawFn, body: Body) -> str:
    """One aggregate; its events are those of a variable or of a type."""
    name = draw(st.sampled_from(body.aggregated))
    forms = (
        "COUNT(*)",
        "COUNT(*)",
        "EXACT COUNT(*)",
        "LOG2(COUNT(*))",
        f"COUNT({name})",
        f"COUNT({name}.{draw(st.sampled_from(ATTRIBUTES))})",
        f"SUM({name}.{draw(st.sampled_from(NUMBERS))})",
        f"AVG({name}.{draw(st.sampled_from(NUMBERS))})",
        f"MIN({name}.{draw(st.sampled_from(ATTRIBUTES))})",
        f"MAX({name}.{draw(st.sampled_from(ATTRIBUTES))})",
    )
    return draw(st.sampled_from(forms))


@st.composite
def having(draw: st.DrawFn, body: Body, aliases: list[str], groups: list[str]) -> str:
    """A condition on aggregates, their aliases and group attributes."""
    name = draw(st.sampled_from(body.aggregated))
    operator, number = draw(st.sampled_from(COMPARISONS)), draw(st.integers(-1, 4))
    atoms = [
        f"COUNT(*) {operator} {number}",
        f"SUM({name}.x) {operator} {number}",
        f"AVG({name}.f) {operator} {number} / 2",
        f"COUNT({name}) + COUNT(*) {operator} 2 * {number}",
        f"COUNT({name}.x) % 2 = 1",
        f"MIN({name}.s) {operator} 'b'",
        f"MAX({name}.at) {operator} '2024-01-01 00:00:02'",
        f"LOG2(COUNT(*)) {operator} 1",
        *(f"{each} {operator} {number}" for each in (*aliases, *aliases)),
        *(f"{each} {operator} 1" for each in groups if each in ("k", "seq")),
    ]
    one, two = draw(st.sampled_from(atoms)), draw(st.sampled_from(atoms))
    return draw(st.sampled_from((one, one, f"NOT {one}", f"{one} AND {two}", f"{one} OR {two}")))


@st.composite
def complete(
    draw: st.DrawFn,
    body: Body,
    window: str,
    *,
    longest: int = 8,
    groups: tuple[str, ...] = GROUPS,
) -> Case:
    """The whole query on a stream; one that the language refuses is no case."""
    clauses = [*draw(opening(body.pattern, body.where)), window]
    chosen = draw(st.lists(aggregates(body), min_size=1, max_size=4, unique=True))
    group = draw(st.sampled_from(groups))
    if group == "QUALIFIED":
        group = f"{draw(st.sampled_from(list(body.names)))}.k"
    attributes = group.split(", ") if group else []
    columns = [f"{each} AS c{place}" for place, each in enumerate(chosen)]
    if draw(seldom(10)):  # a name that groups have, too
        columns[-1] = f"{chosen[-1]} AS {draw(st.sampled_from(('k', 's', 'x')))}"
    elif draw(seldom(5)):
        columns = chosen  # each has a name of its own, as none occurs twice
    if attributes and draw(st.booleans()):
        columns.insert(draw(st.integers(0, len(columns))), attributes[0])
    clauses += [f"GROUP BY {group}" if group else "", f"RETURN {', '.join(columns)}"]
    if draw(seldom(4)):
        numeric = [f"c{place}" for place, each in enumerate(chosen) if _is_numeric(each)]
        aliases = [each for each in numeric if any(c.endswith(f" AS {each}") for c in columns)]
        clauses.append(f"HAVING {draw(having(body, aliases, attributes))}")
    order = draw(st.sampled_from(((), ("seq",))))
    events: list[dict[str, Any]] = draw(aggregate_streams(longest=longest))
    constant = ("", "'k'", "", "NULL", "-1.5")[len(events) % 5]
    if constant:
        clauses = [re.sub("^RETURN ", f"RETURN {constant} AS lit, ", each) for each in clauses]
    case = Case("\n".join(each for each in clauses if each), events, order)
    assume(_binds(case))
    return case


def _is_numeric(aggregate: str) -> bool:
    is_least = aggregate.startswith(("MIN", "MAX"))
    return not is_least or aggregate.endswith((".x)", ".f)", ".time)"))


def _binds(case: Case) -> bool:
    try:
        bound(case)
    except cepheid.BindingError:
        return False
    return True
