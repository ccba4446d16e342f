"""Random queries and streams within what the engine executes.

Streams are short and time is coarse, so that ties, equal attributes and NULLs are frequent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

import cepheid
from cepheid.language import ast
from cepheid.language.printer import print_pattern
from tests.properties.drawn_patterns import (
    TYPES,
    count_positions,
    name_events,
    negated_patterns,
    patterns,
    with_types,
)

STRATEGIES = (
    "",
    "SEMANTICS skip-till-any-match",
    "SEMANTICS skip-till-next-match",
    "WHERE-TERM skip_till_next_match",
    "SEMANTICS contiguous",
    "WHERE-TERM strict_contiguity",
)
SUMMARIES = (
    "count(DISTINCT v[].x)",
    "stddev(v[].x)",
    "median(v[].x)",
    "array(v[].x)",
    "string_agg(v[].type, '-')",
    "v[2].x",
)


@dataclass(frozen=True)
class Case:
    """A query text and the events to run it on."""

    text: str
    events: Sequence[dict[str, Any]]
    order: tuple[str, ...]
    schemas: Mapping[str, Sequence[str]] | None = None


@st.composite
def streams(draw: st.DrawFn, *, shortest: int = 0, longest: int = 8) -> list[dict[str, Any]]:
    """Events in any order; time ties are common, `seq` is unique only sometimes."""
    size = draw(st.integers(shortest, longest))
    event = st.fixed_dictionaries(
        {
            "type": st.sampled_from((*TYPES, "D")),
            "time": st.integers(-3, 9),
            "seq": st.integers(0, 2),
            "k": st.sampled_from((1, 2, None)),
            "x": st.sampled_from((0, 1, 2, 3, None)),
        }
    )
    return draw(st.lists(event, min_size=size, max_size=size))


@st.composite
def local_conditions(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """A condition on one variable."""
    name = draw(st.sampled_from(list(names)))
    operator = draw(st.sampled_from(("=", "!=", "<", ">=")))
    atom = f"{name}.x {operator} {draw(st.integers(0, 3))}"
    forms = (
        atom,
        f"NOT {atom}",
        f"({atom} OR {name}.x + 1 = {name}.seq)",
        f"{name}.x % 2 = 1",
        f"{name}.x IN (1, 2, NULL)",
        f"NOT ({name}.x IN (1, 3) OR {name}.k IS NULL)",
        f"{name}.x IS DISTINCT FROM {name}.k",
        f"CASE WHEN {atom} THEN 'yes' ELSE CAST({name}.x AS STRING) END LIKE '%e%'",
        f"lower({name}.type) || CAST({name}.x AS STRING) IN ('a1', 'b2', 'c3')",
        f"CAST(CAST({name}.x / 2 AS DECIMAL(3, 1)) AS INT) {operator} {name}.k",
    )
    return draw(st.sampled_from(forms))


@st.composite
def references(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """A value of one event, or an aggregate over a block."""
    arrays = [name for name, is_array in names.items() if is_array]
    name = draw(st.sampled_from([*names, *arrays, *arrays]))
    forms = [f"{name}.x", f"{name}.x", f"{name}.seq"]
    if names[name]:
        forms += [
            *[f"{name}[1].x"] * 3,
            f"{name}[i].x",
            f"{name}[i-1].x",
            f"{name}[{name}.LEN].x",
            f"avg({name}[..i-1].x)",
            f"max({name}[..i-1].x)",
            f"count({name}[..i-1])",
            f"sum({name}[].x)",
            f"sum({name}[].x * 2 - {name}[].seq)",
            f"max(coalesce({name}[..i-1].x, 4))",
            f"min({name}[].x)",
            f"{name}.LEN",
            f"median({name}[].x)",
            f"stddev({name}[].x)",
            f"count(DISTINCT {name}[].x)",
            f"{name}[2].x",
        ]
    return draw(st.sampled_from(forms))


@st.composite
def run_conditions(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """A condition over several events."""
    operator = draw(st.sampled_from(("=", "!=", "<", "<=", ">", ">=")))
    left, right = draw(references(names)), draw(references(names))
    name, other = draw(st.sampled_from(list(names))), draw(st.sampled_from(list(names)))
    step = f"{name}.x {operator} NEXT({other}).x"
    forms = (
        step,
        f"{left} {operator} {right}",
        f"{left} {operator} {right}",
        f"{left} + {right} {operator} 3",
        f"{left} {operator} {draw(st.integers(0, 3))}",
        f"({left} {operator} {right} OR {right} = 1)",
        f"NOT ({left} {operator} {right} AND {left} > 0)",
        f"{left} * 2 {operator} {right} - 1",
        f"abs({left} - {right}) {operator} 1",
        f"greatest({left}, coalesce({right}, 1)) {operator} 2",
        f"CASE WHEN {left} > {right} THEN {left} ELSE 0 END {operator} 1",
        f"coalesce({name}.x, -1) {operator} abs({other}.x - 2)",
        f"{name}.x IS NOT DISTINCT FROM {other}.x",
        f"({left} - {right}) IS NULL",
        f"round({left} / 2) {operator} sign({right} - 1)",
        f"floor({left} / 2) + ceil(-{right} / 2) {operator} 1",
        f"sqrt({left} * {right}) {operator} power({right}, 2)",
        f"CAST({left} / 2 AS INT) {operator} CAST({right} AS DOUBLE) / 2",
    )
    return draw(st.sampled_from(forms))


@st.composite
def equalities(draw: st.DrawFn, names: Iterable[str]) -> str:
    """Equalities that chain some of the names, often all of them, by one attribute or several.

    Which names are left out decides whether they partition the stream, and with several attributes
    which of them events of a type have.
    """
    chosen = draw(st.permutations(list(names)))
    count = draw(st.integers(2, len(chosen)) | st.just(len(chosen))) if len(chosen) > 1 else 1
    attribute = draw(st.sampled_from(("k", "k", "x")))
    has_several = draw(st.integers(0, 2)) == 0
    others = {name: draw(st.sampled_from(("k", "x"))) if has_several else attribute
              for name in chosen}  # fmt: skip
    linked = [f"{name}.{others[name]}" for name in (*chosen[:count], chosen[0])[: max(2, count)]]
    if draw(st.booleans()):
        return " = ".join(linked)
    return " AND ".join(f"{one} = {other}" for one, other in pairwise(linked))


@st.composite
def match_values(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """An expression with one value per match, or a constant."""
    if draw(st.integers(0, 7)) == 0:
        return draw(st.sampled_from(("'k'", "NULL", "TRUE", "-1.5", "2 * 3", "-NULL")))
    name, other = draw(st.sampled_from(list(names))), draw(st.sampled_from(list(names)))

    def one(variable: str) -> str:
        forms = [f"{variable}.x", f"upper({variable}.type)"]
        if names[variable]:
            forms = [f"{variable}[1].x", f"{variable}[{variable}.LEN].seq", f"{variable}.LEN"]
            forms += [f"{each}({variable}[].x)" for each in ("sum", "avg", "min", "max", "count")]
            forms += [f"count({variable}[])", f"min({variable}[].type)"]
            forms += [f"string_agg(lower({variable}[].type), '+')"]
            forms += [
                f"sum({variable}[].x * {variable}[].seq)",
                f"count(nullif({variable}[].x, 1))",
            ]
            forms += [f"first({variable}.x)", f"last({variable}[].x)"]
        return draw(st.sampled_from(forms))

    if names[name] and draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from(SUMMARIES)).replace("v[", f"{name}[")
    left, right = one(name), one(other)
    if "type" in left + right:
        return left
    if names[name]:
        left = draw(st.sampled_from((left, f"median({name}[].x)", f"nth({name}[].x, 2)")))
    forms = (left, f"{left} + {right}", f"{left} * 2 - 1", f"-{left} / 2", f"round({left} / 2, 1)")
    return draw(st.sampled_from(forms))


@st.composite
def windows(draw: st.DrawFn, *, is_aggregate: bool) -> str:
    """No window, a span of time or of events, and for aggregates perhaps a slide."""
    if draw(st.booleans()):
        return ""
    length = draw(st.integers(1, 8))
    unit = draw(st.sampled_from(("", "", " EVENTS")))
    text = f"WITHIN {length}{unit}"
    if is_aggregate and draw(st.booleans()):
        text += f" SLIDE {draw(st.integers(1, length))}{unit}"
    return text


@st.composite
def neighbour_bounds(draw: st.DrawFn, pattern: ast.Pattern, names: dict[str, bool]) -> str:
    """WITHIN … BETWEEN of two names, or of one that is several events."""
    first = draw(st.sampled_from(list(names)))
    second = draw(st.sampled_from(list(names)) | st.just(first))
    bound = f"WITHIN {draw(st.integers(1, 4))} BETWEEN {first}, {second}"
    try:
        cepheid.query(f"PATTERN {print_pattern(pattern)} WITHIN 9 {bound}").bind()
    except cepheid.BindingError:
        assume(False)  # both are names of one event
    return bound


@st.composite
def negated_conditions(draw: st.DrawFn, negated: dict[str, bool], names: dict[str, bool]) -> str:
    """A condition on a negated event, by itself or against a positive one.

    Or on a repetition of it, of which every event, the first, the last or all together may count.
    """
    name = draw(st.sampled_from(list(negated)))
    positive = draw(references(names))
    operator = draw(st.sampled_from(("=", "!=", "<", ">")))
    if negated[name] and draw(st.booleans()):
        read = draw(references({name: True}))
        return f"{read} {operator} {draw(st.sampled_from((positive, '1', f'{name}.x')))}"
    forms = (
        f"{name}.x > 1",
        f"{name}.x {operator} {positive}",
        f"{name}.x {operator} {positive}",
        f"({name}.x {operator} {positive} OR {positive} = 1)",
        f"({name}.x = 1 OR {name}.seq {operator} {positive})",
    )
    return draw(st.sampled_from(forms))


@st.composite
def opening(draw: st.DrawFn, pattern: ast.Pattern, where: list[str]) -> list[str]:
    """The clauses up to WHERE, under any strategy."""
    clauses = [f"PATTERN {print_pattern(pattern)}"]
    strategy = draw(st.sampled_from(STRATEGIES))
    if strategy.startswith("WHERE-TERM"):
        where = [*where, strategy.split()[1]]
    elif strategy:
        clauses.append(strategy)
    if where:
        clauses.append(f"WHERE {' AND '.join(where)}")
    return clauses


@st.composite
def negation_cases(draw: st.DrawFn) -> Case:
    """A random match query with negated parts, and perhaps predicates over several events."""
    names: dict[str, bool] = {}
    negated: dict[str, bool] = {}
    pattern = name_events(draw(negated_patterns()), names, negated=negated)
    assume(count_positions(pattern) <= 12 and names)
    where, callable_names = [], with_types(pattern, names)
    if negated and draw(st.booleans()):
        where.append(draw(negated_conditions(negated, callable_names)))
    if draw(st.integers(0, 2)) == 0:
        where.append(draw(run_conditions(callable_names)))
    if draw(st.integers(0, 2)) == 0:
        where.append(draw(equalities(names) | equalities([*names, *negated])))
    if draw(st.booleans()):
        where.append("[k]")
    clauses = draw(opening(pattern, where))
    unit = draw(st.sampled_from(("", "", " EVENTS")))
    clauses.append(f"WITHIN {draw(st.integers(1, 9))}{unit}")
    clauses.append(f"RETURN {', '.join(f'{name}.x, {name}.time' for name in names)}")
    order = draw(st.sampled_from(((), ("seq",))))
    return Case("\n".join(clauses), draw(streams()), order)


@st.composite
def pair_cases(draw: st.DrawFn) -> Case:
    """A random match query with AND: two patterns with conditions and columns of their own."""
    names: dict[str, bool] = {}
    negated: dict[str, bool] = {}
    sides, own_names, where = [], [], []
    has_negation = draw(st.integers(0, 3)) == 0
    for _ in range(2):
        size = draw(st.integers(1, 2))
        pattern = draw(negated_patterns() if has_negation else patterns(most_events=size))
        known, known_negated = len(names), len(negated)
        sides.append(name_events(pattern, names, negated=negated))
        own = dict(list(names.items())[known:])
        own_names.append(own)
        callable_names = with_types(pattern, own)
        if draw(st.integers(0, 2)) == 0:
            conditions = run_conditions(callable_names) | local_conditions(callable_names)
            where.append(draw(conditions | equalities(own)))
        own_negated = dict(list(negated.items())[known_negated:])
        if own_negated and draw(st.booleans()):
            where.append(draw(negated_conditions(own_negated, callable_names)))
    assume(sum(map(count_positions, sides)) <= 12)
    if draw(st.integers(0, 2)) == 0:
        where.append("[k]")
    clauses = draw(opening(ast.Conjunction(tuple(sides)), where))
    spans = st.integers(1, 9).map(lambda length: f"WITHIN {length}")
    clauses.append(draw(spans if has_negation else windows(is_aggregate=False)))
    if draw(st.integers(0, 3)) == 0:
        clauses.append(draw(neighbour_bounds(sides[0], with_types(sides[0], own_names[0]))))
    if draw(st.booleans()):
        columns = [f"{name}.x, {name}.time" for name in draw(st.permutations(list(names)))]
        columns += [f"{draw(match_values(own))} AS e{side}" for side, own in enumerate(own_names)]
        clauses.append(f"RETURN {', '.join(columns)}")
    if draw(st.integers(0, 2)) == 0:
        clauses.append("OUTPUT NON OVERLAPPING")
    order = draw(st.sampled_from(((), ("seq",))))
    return Case(
        "\n".join(each for each in clauses if each), draw(streams(shortest=3, longest=6)), order
    )


@st.composite
def predicate_cases(draw: st.DrawFn) -> Case:
    """A random match query with predicates over several events."""
    return draw(cases(is_aggregate=False, most_conditions=2))


ATTRIBUTES_OF_TYPES = st.fixed_dictionaries(
    {
        each: st.sampled_from((("seq", "k", "x"), ("seq", "k"), ("seq", "x"), ("seq",)))
        for each in (*TYPES, "D")
    }
)


@st.composite
def schema_cases(draw: st.DrawFn) -> Case:
    """A match query over types that lack attributes: what reads one is true of their events."""
    case = draw(st.one_of(predicate_cases(), negation_cases()))
    schemas = draw(ATTRIBUTES_OF_TYPES)
    events = [
        {name: each[name] if name in ("type", "time", *schemas[each["type"]]) else None
         for name in each}
        for each in case.events
    ]  # fmt: skip
    return replace(case, events=events, schemas=schemas)


@st.composite
def mark_cases(draw: st.DrawFn) -> Case:
    """A query in which events that fail a predicate still break trends or are counted."""
    names: dict[str, bool] = {}
    pattern = name_events(draw(patterns(most_events=3)), names)
    assume(count_positions(pattern) <= 20)
    where = [draw(local_conditions(with_types(pattern, names)))]
    if draw(st.booleans()):
        where.append("[k]")
    strategy = draw(st.sampled_from(("contiguous", "strict", "events")))
    if strategy == "strict":
        where.append("strict_contiguity")
    is_aggregate = draw(st.booleans())
    clauses = [
        f"PATTERN {print_pattern(pattern)}",
        "SEMANTICS contiguous" if strategy == "contiguous" else "",
        f"WHERE {' AND '.join(where)}",
        f"WITHIN {draw(st.integers(1, 6))} EVENTS"
        if strategy == "events"
        else draw(windows(is_aggregate=is_aggregate)),
        "RETURN COUNT(*) AS n" if is_aggregate else "",
    ]
    return Case(
        "\n".join(filter(None, clauses)), draw(streams()), draw(st.sampled_from(((), ("seq",))))
    )


@st.composite
def cases(draw: st.DrawFn, *, is_aggregate: bool | None = None, most_conditions: int = 0) -> Case:
    """A random query with a random stream."""
    names: dict[str, bool] = {}
    pattern = name_events(draw(patterns()), names)
    assume(count_positions(pattern) <= 20)
    is_aggregate = draw(st.booleans()) if is_aggregate is None else is_aggregate
    where, callable_names = [], with_types(pattern, names)
    if most_conditions:
        count = draw(st.integers(1, most_conditions))
        conditions = run_conditions(callable_names)
        where += [draw(conditions | conditions | equalities(names)) for _ in range(count)]
    if draw(st.integers(0, 2)) == 0:
        where.append(draw(local_conditions(callable_names)))
    if draw(st.booleans()):
        where.append("[k]")
    clauses = draw(opening(pattern, where))
    clauses.append(draw(windows(is_aggregate=is_aggregate)))
    if most_conditions and draw(st.integers(0, 3)) == 0:
        clauses.append(draw(neighbour_bounds(pattern, callable_names)))
    if is_aggregate:
        group = draw(st.sampled_from(("", "GROUP BY seq", "GROUP BY k, seq")))
        clauses += ["RETURN COUNT(*) AS n, LOG2(COUNT(*)) AS bits", group]
    elif draw(st.booleans()):
        columns = [f"{name}.x" for name in names]
        if draw(st.booleans()):
            columns = [draw(st.sampled_from(["*", *(f"{name}.*" for name in names)]))]
        columns += [f"{draw(match_values(names))} AS e{number}" for number in range(2)]
        clauses.append(f"RETURN {', '.join(columns)}")
    if not is_aggregate and draw(st.integers(0, 3)) == 0:
        clauses.append("OUTPUT NON OVERLAPPING")
    order = draw(st.sampled_from(((), ("seq",))))
    return Case("\n".join(each for each in clauses if each), draw(streams()), order)
