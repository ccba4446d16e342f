"""OUTPUT NON OVERLAPPING takes what the definitions say, however its matches are found."""

from dataclasses import replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.catalogue import RankedFolds
from cepheid.language import ast
from cepheid.language.printer import print_pattern
from tests.properties.comparison import as_multiset, expected, table_of
from tests.properties.queries import (
    Case,
    cases,
    count_positions,
    name_events,
    negated_conditions,
    negation_cases,
    opening,
    predicate_cases,
    run_conditions,
)
from tests.properties.run_by_folds import run_by_folds
from tests.properties.test_engine_equals_oracle import assume_binds, quiet  # noqa: F401
from tests.properties.test_output_forms import with_output

names_of_types = st.sampled_from(("A", "A", "B", "C"))


WAYS = ([], ["paths searched"])  # folds that come first where they can


def check(case: Case) -> None:
    """Compare with the oracle, in every way that matches are chosen."""
    case = with_output(case, "OUTPUT NON OVERLAPPING")
    assume_binds(case)
    query = cepheid.query(case.text)
    assume(not query.plan().unsupported)
    wanted = expected(case)
    events = cepheid.events(table_of(case), time="time", type="type", order=case.order)
    for folds in WAYS:
        found = run_by_folds(query, events, RankedFolds(folds))[query.name]
        assert as_multiset(found.to_pylist()) == wanted


@st.composite
def crowds(
    draw: st.DrawFn, *, longest: int, values: tuple[int | None, ...] = (0, 1, 2, None)
) -> list[dict[str, Any]]:
    """Many events of few types; the times of some streams are all different, of others tied."""
    size, last = draw(st.integers(4, longest)), draw(st.sampled_from((3, 8, 30)))
    event = st.fixed_dictionaries(
        {
            "type": names_of_types,
            "time": st.integers(0, last),
            "seq": st.integers(0, 1),
            "k": st.sampled_from((1, 1, 2)),
            "x": st.sampled_from(values),
        }
    )
    return draw(st.lists(event, min_size=size, max_size=size))


@st.composite
def kleene_patterns(draw: st.DrawFn, *, negates: bool = True) -> ast.Pattern:
    """A sequence with repetitions, perhaps with negated parts between, before and after."""
    parts: list[ast.Pattern] = []
    for _ in range(draw(st.integers(1, 3))):
        one = ast.EventPattern((draw(names_of_types),))
        group = st.just(ast.Sequence((one, ast.EventPattern((draw(names_of_types),)))))
        inner = draw(st.just(one) | st.just(one) | group)
        bounds = draw(st.sampled_from(((1, None), (1, None), (2, None), (1, 2), None)))
        parts.append(inner if bounds is None else ast.Repeat(inner, *bounds))
        if negates and draw(st.integers(0, 3)) == 0:
            negated: ast.Pattern = ast.EventPattern((draw(names_of_types),))
            again = draw(st.booleans())
            parts.append(ast.Negation(ast.Repeat(negated, 1, None) if again else negated))
    if negates and draw(st.integers(0, 5)) == 0:
        parts.insert(0, ast.Negation(ast.EventPattern((draw(names_of_types),))))
    return ast.Sequence(tuple(parts)) if len(parts) > 1 else parts[0]


@st.composite
def kleene_cases(draw: st.DrawFn, *, longest: int) -> Case:
    """Repetitions over more events than other cases have, under any strategy."""
    names: dict[str, bool] = {}
    negated: dict[str, bool] = {}
    pattern = name_events(draw(kleene_patterns()), names, negated=negated)
    assume(count_positions(pattern) <= 6)
    where = []
    if negated and draw(st.booleans()):
        where.append(draw(negated_conditions(negated, names)))
    if draw(st.integers(0, 3)) == 0:
        where.append(draw(run_conditions(names)))
    if draw(st.integers(0, 2)) == 0:
        where.append("[k]")
    clauses = draw(opening(pattern, where))
    if negated or draw(st.booleans()):
        clauses.append(f"WITHIN {draw(st.sampled_from((2, 5, 40)))}")
    columns = ", ".join(f"{name}.time, {name}.x, {name}.seq" for name in names)
    clauses.append(f"RETURN {columns}")
    order = draw(st.sampled_from(((), ("seq",))))
    return Case("\n".join(clauses), draw(crowds(longest=longest)), order)


@st.composite
def bounded_cases(draw: st.DrawFn, *, longest: int) -> Case:
    """Repetitions with bounds over whole blocks, of values that may be negative."""
    names: dict[str, bool] = {}
    pattern = name_events(draw(kleene_patterns(negates=False)), names)
    assume(any(names.values()) and count_positions(pattern) <= 6)
    where = [draw(block_bounds(names)) for _ in range(draw(st.integers(1, 3)))]
    if draw(st.integers(0, 3)) == 0:
        where.append(draw(run_conditions(names)))
    if draw(st.integers(0, 2)) == 0:
        where.append("[k]")
    clauses = [f"PATTERN {print_pattern(pattern)}", f"WHERE {' AND '.join(where)}"]
    if draw(st.booleans()):
        clauses.append(f"WITHIN {draw(st.sampled_from((2, 5, 40)))}")
    columns = ", ".join(f"{name}.time, {name}.x, {name}.seq" for name in names)
    clauses.append(f"RETURN {columns}")
    order = draw(st.sampled_from(((), ("seq",))))
    events = draw(crowds(longest=longest, values=(-1, 0, 1, 2, None)))
    return Case("\n".join(clauses), events, order)


@st.composite
def block_bounds(draw: st.DrawFn, names: dict[str, bool]) -> str:
    """A bound on what a repetition has in all."""
    name = draw(st.sampled_from([name for name, repeats in names.items() if repeats]))
    other = draw(st.sampled_from(list(names)))
    function = draw(st.sampled_from(("sum", "sum", "min", "max", "avg", "count")))
    value = draw(st.sampled_from((f"{function}({name}[].x)", f"count({name}[])", f"{name}.LEN")))
    operator = draw(st.sampled_from((">", ">", ">=", "<", "<=", "=", "!=")))
    bound = draw(st.integers(-1, 4))
    forms = (
        f"{value} {operator} {bound}",
        f"{value} {operator} {bound}",
        f"{bound} {operator} {value}",
        f"{bound} - {value} {operator} 1",
        f"({value} {operator} {bound} OR {value} < 1)",
        f"{value} {operator} sum({name}[].x) - {bound}",
        f"{name}[{name}.LEN].x {operator} {bound}",
        f"{value} {operator} {other}[1].x",
        f"{name}[i].x {operator} {function}({name}[..i-1].x)",
        f"{name}[{name}.LEN].x {operator} {name}[1].x + {bound}",
        f"{name}[{name}.LEN].x {operator} {name}[1].x + {bound}",
        f"{name}[i].x {operator} {name}[1].x",
        f"{name}[i].x {operator} {name}[i-1].x",
        f"{other}.x {operator} {name}[1].x + {name}[{name}.LEN].x",
        f"{other}.x {operator} {bound} - {name}[1].x",
    )
    return draw(st.sampled_from(forms))


def test_every_method_is_drawn() -> None:
    """Cases of all kinds are among those that are compared."""
    drawn = set()

    @settings(max_examples=300, database=None)
    @given(kleene_cases(longest=4))
    def draw(case: Case) -> None:
        case = with_output(case, "OUTPUT NON OVERLAPPING")
        assume_binds(case)
        choice = cepheid.query(case.text).plan().overlaps
        assert choice is not None
        drawn.add(choice.value.name)

    draw()
    assert drawn == {"START_ANEW", "WHOLE_RUNS", "BEST_PATH", "IN_TURN"}


@settings(max_examples=300)
@given(st.one_of(cases(is_aggregate=False), predicate_cases(), negation_cases()))
def test_any_query(case: Case) -> None:
    check(case)


@settings(max_examples=300)
@given(kleene_cases(longest=9))
def test_many_events_that_repeat(case: Case) -> None:
    check(case)


@settings(max_examples=60)
@given(bounded_cases(longest=7))
def test_bounds_over_whole_blocks(case: Case) -> None:
    """Of runs that are alike the best one is kept; what is taken is as if all were."""
    case = with_output(case, "OUTPUT NON OVERLAPPING")
    assume_binds(case)
    query, folds = cepheid.query(case.text), RankedFolds(["graph of best runs"])
    events = cepheid.events(table_of(case), time="time", type="type", order=case.order)
    found = run_by_folds(query, events, folds)[query.name]
    assert as_multiset(found.to_pylist()) == expected(case)


@settings(max_examples=100)
@given(kleene_cases(longest=9), st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(case: Case, random: Any) -> None:
    case = with_output(case, "OUTPUT NON OVERLAPPING")
    assume_binds(case)
    query = cepheid.query(case.text)
    shuffled = list(case.events)
    random.shuffle(shuffled)
    results = [
        query.run(table_of(each), time="time", type="type", order=case.order).to_pylist()
        for each in (case, replace(case, events=shuffled))
    ]
    assert as_multiset(results[0]) == as_multiset(results[1])
