"""Every rule's choice and the reason it gives."""

import pytest

from cepheid.analysis.bound import Strategy
from cepheid.plan.physical import (
    AggregateMethod,
    Granularity,
    NumberType,
    Overlaps,
    Parallelism,
    ScanMethod,
    Semiring,
    Structure,
    WindowMethod,
)
from tests.explain.plans import plan_of

NEXT = "SEMANTICS skip-till-next-match"
CONTIGUOUS = "SEMANTICS contiguous"
JOINED = "SEQ(A a, !C c, B b) WHERE c.x = b.x AND c.y = a.y"
NEIGHBOURS = "A+ a WHERE a.x < NEXT(a).x"
COUNT = "RETURN COUNT(*)"


@pytest.mark.parametrize(
    ("query", "strategy", "reason"),
    [
        ("A", Strategy.SKIP_TILL_ANY, "default: a run always survives"),
        ("A SEMANTICS skip-till-any-match", Strategy.SKIP_TILL_ANY, "a run always survives"),
        (f"A {NEXT}", Strategy.SKIP_TILL_NEXT, "only if it cannot take it (COGRA Def. 2.6)"),
        ("A WHERE skip_till_next_match", Strategy.SKIP_TILL_NEXT_KLEENE, "SASE+ 3.2"),
        (f"A {CONTIGUOUS}", Strategy.CONTIGUOUS, "survives only events of other partitions"),
        ("A WHERE strict_contiguity", Strategy.STRICT, "no run survives"),
    ],
)
def test_explain_strategy(query, strategy, reason):
    choice = plan_of(f"PATTERN {query}").strategy
    assert choice.value is strategy
    assert reason in choice.reason
    assert choice.reason.startswith("default") is reason.startswith("default")


@pytest.mark.parametrize(
    ("query", "method", "reason"),
    [
        ("SEQ(A, B)", ScanMethod.RELEVANT, "events of other types change nothing"),
        (f"SEQ(A, B) {NEXT}", ScanMethod.RELEVANT, "events of other types change nothing"),
        (f"SEQ(A, B) {CONTIGUOUS}", ScanMethod.BREAK_MARKS, "any type breaks contiguity"),
        ("SEQ(A, B) WHERE strict_contiguity", ScanMethod.BREAK_MARKS, "any type breaks contiguity"),
        ("SEQ(A, B) WITHIN 9 EVENTS", ScanMethod.BREAK_MARKS, "window counts events of every type"),
    ],
)
def test_choose_scan(query, method, reason):
    choice = plan_of(f"PATTERN {query}").scan
    assert choice.value is method
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("query", "pushed", "reason"),
    [
        ("SEQ(A, B)", (), "Spark drops events that fit no position as it reads them"),
        ("SEQ(A a, B b) WHERE a.x > -5 AND a.x < b.x", ("a.x > -5",), "as it reads them"),
        ("SEQ(A a, !C c, B) WHERE c.x > 5 AND c.x < a.x", ("c.x > 5",), "as it reads them"),
        ("A a WHERE a.x > a.y OR a.z", ("a.x > a.y OR a.z = TRUE",), "as it reads them"),
        (
            "A a WHERE a.x + 1 > 3 AND a.x > 1",
            ("a.x > 1",),
            "them; 'a.x + 1 > 3' is left to the engine: Spark's arithmetic is another",
        ),
        (f"SEQ(A a, B) {CONTIGUOUS} WHERE a.x > 1", ("a.x > 1",), "only order and partition of"),
    ],
)
def test_explain_push_down(query, pushed, reason):
    choice = plan_of(f"PATTERN {query}").push_down
    assert choice.value == ("columns", "types", *pushed)
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("query", "attributes", "reason"),
    [
        ("SEQ(A, B)", (), "no [attribute], GROUP BY or equality over all events"),
        ("SEQ(A, B) WHERE [k]", ("k",), "equal k in all events of a match"),
        ("SEQ(A a, B b) WHERE a.k = b.k", ("k",), "equal k in all events of a match"),
        (f"SEQ(A, B) {COUNT} GROUP BY k", ("k",), "GROUP BY k"),
        (
            f"SEQ(A, B) WHERE [j] {COUNT} GROUP BY k",
            ("j", "k"),
            "GROUP BY k and equal j in all events of a match",
        ),
        (
            "SEQ(A a, !N n, C c) WHERE a.id = c.id",
            (),
            "'a.id = c.id' does not name all events, negated ones included",
        ),
        ("SEQ(A a, !N n, C c) WHERE a.id = c.id = n.id", ("id",), "equal id in all events"),
        ("SEQ(A a, B b) WHERE a.id = b.k", ("A.id = B.k",), "an event has the key of its type"),
        (
            "SEQ(A a, A b) WHERE a.id = b.k",
            ("A.id = A.k",),
            "an event goes to the key of every variable it can be bound to",
        ),
    ],
)
def test_explain_partitioning(query, attributes, reason):
    choice = plan_of(f"PATTERN {query}").partitioning
    assert sorted(choice.value) == list(attributes)
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("query", "semiring", "reason"),
    [
        ("SEQ(A, B)", Semiring.MATCH_GRAPH, "the query returns matches"),
        (f"SEQ(A, B) {COUNT}", Semiring.COUNT, "only trends are counted"),
        ("SEQ(A, B) RETURN LOG2(COUNT(*))", Semiring.COUNT, "only trends are counted"),
        ("SEQ(A, B) RETURN SUM(A.x)", Semiring.COUNT_AND_SUM, "attributes are aggregated"),
        ("SEQ(A, B) RETURN EXACT COUNT(*)", Semiring.EXACT, "arbitrary precision"),
        (f"SEQ(A+ a, B b) WHERE a.x < b.x {COUNT}", Semiring.ENUMERATION, "matches are enumerated"),
    ],
)
def test_choose_semiring(query, semiring, reason):
    choice = plan_of(f"PATTERN {query}").semiring
    assert choice.value is semiring
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("query", "granularity", "reason"),
    [
        ("SEQ(A+, B)", Granularity.TYPE, "no predicate between adjacent events"),
        ("SEQ(A+ a, B) WHERE a.x > 1", Granularity.TYPE, "no predicate between adjacent events"),
        (f"SEQ(A+, B) {NEXT}", Granularity.PATTERN, "a partial match is known by its last event"),
        (f"SEQ(A+, B) {CONTIGUOUS}", Granularity.PATTERN, "under contiguous a partial match"),
        ("A+ a WHERE a.x < NEXT(a).x", Granularity.MIXED, "'a.x < NEXT(a).x' needs the last event"),
        (f"A+ a WHERE a.x < NEXT(a).x {NEXT}", Granularity.PATTERN, "is tested against it"),
        ("SEQ(A+ a, B b) WHERE a[1].x < b.x", Granularity.RUN, "reads more of a run"),
        ("SEQ(A a, B, C c) WHERE a.x < c.x", Granularity.RUN, "general predicate 'a.x < c.x'"),
        ("SEQ(A a, B b) WITHIN 3 BETWEEN a, b", Granularity.RUN, "reads the latest a of a run"),
        (f"A AND B {COUNT}", Granularity.TYPE, "no predicate between adjacent events"),
        (f"{JOINED} {COUNT}", Granularity.RUN, "every match is looked at by itself"),
    ],
)
def test_choose_granularity(query, granularity, reason):
    choice = plan_of(f"PATTERN {query}").granularity
    assert choice.value is granularity
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("query", "method", "reason"),
    [
        (f"A {COUNT}", WindowMethod.NONE, "the whole bounded input"),
        ("SEQ(A, B) WITHIN 9", WindowMethod.START_TIMES, "stops at starts that are too old"),
        (f"A WITHIN 9 {COUNT}", WindowMethod.STEP_QUEUE, "every event that can end a match"),
        (f"SEQ(!C, A) WITHIN 9 {COUNT}", WindowMethod.STEP_QUEUE, "does not depend on the window"),
        (f"SEQ(!(C, D), A) WITHIN 9 {COUNT}", WindowMethod.START_TIMES, "starts that are too old"),
        (f"A WITHIN 9 SLIDE 2 {COUNT}", WindowMethod.VECTORS_OR_PANES, "at most 5 windows"),
        (f"A WITHIN 9 SLIDE 5 {COUNT}", WindowMethod.VECTOR_PER_WINDOW, "too few for matrices"),
        (f"{NEIGHBOURS} WITHIN 9 SLIDE 2 {COUNT}", WindowMethod.FOLDED_APART, "cannot be composed"),
        (f"{NEIGHBOURS} WITHIN 9 {COUNT}", WindowMethod.FOLDED_AGAIN, "cannot be composed"),
        (f"{JOINED} WITHIN 9 SLIDE 2 {COUNT}", WindowMethod.MATCHES_PLACED, "logarithm"),
        (f"A AND B WITHIN 9 SLIDE 2 {COUNT}", WindowMethod.VECTORS_OR_PANES, "2 slots"),
        (f"A WITHIN 9 SLIDE 9 {COUNT}", WindowMethod.VECTOR_PER_WINDOW, "one window is open"),
    ],
)
def test_choose_window(query, method, reason):
    choice = plan_of(f"PATTERN {query}").window
    assert choice.value is method
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("query", "numbers", "reason"),
    [
        ("A+", NumberType.NONE, "no aggregate"),
        (f"SEQ(A, B) {COUNT}", NumberType.BIGINT, "no unbounded repetition; an overflow is"),
        (f"A{{2,5}} {COUNT}", NumberType.BIGINT, "no unbounded repetition; an overflow is"),
        (f"A+ {COUNT}", NumberType.DOUBLE, "repeats without bound"),
        (f"A{{2,}} {COUNT}", NumberType.DOUBLE, "repeats without bound"),
        (f"SEQ(A*, B) {NEXT} {COUNT}", NumberType.DOUBLE, "repeats without bound"),
        (f"A+ {CONTIGUOUS} {COUNT}", NumberType.BIGINT, "contiguous trends; an overflow is"),
        (f"A+ WHERE strict_contiguity {COUNT}", NumberType.BIGINT, "contiguous trends"),
    ],
)
def test_choose_numbers(query, numbers, reason):
    choice = plan_of(f"PATTERN {query}").numbers
    assert choice.value is numbers
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("A+ AND B+", "each side by a value per position, combined by GRETA's formula: no seq"),
        ("A+ AND A+", "each side by a value per position, combined by GRETA's formula: trends of"),
        (f"A+ AND A+ {CONTIGUOUS}", "GRETA's formula: trends of both sides are the runs of both"),
        (f"A+ AND A+ {NEXT}", "GRETA's formula: trends of both sides are the runs of both"),
        (f"A+ AND B+ {NEXT}", "each side by a value per position, combined by GRETA's formula"),
        (
            "A a+ AND B b+ WHERE a[i].x > a[i-1].x AND b[i].x > b[i-1].x",
            "each side by a value per last event, combined by GRETA's formula",
        ),
        (
            "A a+ AND B+ WHERE a[i].x > a[i-1].x",
            "one side by a value per last event, the other by a value per position, combined",
        ),
        ("A a+ AND B+ WHERE a[i].x > a[1].x", "one side by its matches (the first-bound predicate"),
    ],
)
def test_sides_of_and_are_added_up_apart(pattern, reason):
    method = plan_of(f"PATTERN {pattern} {COUNT}").method
    assert method.value is AggregateMethod.SIDES
    assert reason in method.reason


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("SEQ(A+, A+) AND B", "the first side can match one sequence in several ways"),
        ("B AND SEQ(A?, A?)", "the second side can match one sequence in several ways"),
        ("A a+ AND A WHERE a[i].x > a[1].x", "both sides of AND, and the first-bound predicate"),
        (f"A a+ AND A {NEXT} WHERE a[i].x > a[i-1].x", "predicates decide which events end a run"),
        (
            "SEQ(A a, !C, B b) AND SEQ(A, B) WHERE a.x < b.x",
            "which negated parts and predicates across events concern",
        ),
        (f"A{{40}} AND A{{40}} {NEXT}", "too many positions"),
    ],
)
def test_pairs_are_enumerated(pattern, reason):
    method = plan_of(f"PATTERN {pattern} {COUNT}").method
    assert method.value is AggregateMethod.ENUMERATION
    assert reason in method.reason


def test_the_dearer_side_of_and_decides_how_windows_are_kept():
    rising = "A a+ AND B+ WHERE a[i].x > a[i-1].x"
    plan = plan_of(f"PATTERN {rising} WITHIN 9 {COUNT}")
    assert plan.window.value is WindowMethod.FOLDED_AGAIN
    assert [each.value for each in plan.structures] == [Structure.PREFIX_SUMS]
    assert plan_of(f"PATTERN A+ AND B+ WITHIN 9 {COUNT}").window.value is WindowMethod.STEP_QUEUE


@pytest.mark.parametrize(
    ("query", "parallelism", "reason"),
    [
        (f"A WHERE [k] WITHIN 9 SLIDE 3 {COUNT}", Parallelism.PARTITIONS, "of one k go to one"),
        (f"A WHERE [k] WITHIN 9 {COUNT}", Parallelism.NONE, "the sum over every k at that time"),
        (f"A WITHIN 9 {COUNT} GROUP BY k", Parallelism.PARTITIONS, "events of one k go to one"),
        (f"A WHERE [k] WITHIN 9 {COUNT} GROUP BY x", Parallelism.PARTITIONS, "of one x go to one"),
        ("A WHERE [k] WITHIN 9", Parallelism.PARTITIONS, "events of one k go to one task"),
    ],
)
def test_choose_parallelism(query, parallelism, reason):
    choice = plan_of(f"PATTERN {query}").parallelism
    assert choice.value is parallelism
    assert reason in choice.reason


@pytest.mark.parametrize(
    ("query", "overlaps", "reason"),
    [
        ("SEQ(A+ a, B b)", Overlaps.START_ANEW, "all runs overlap it"),
        ("SEQ(A+ a, B b) WHERE a[i].x > a[i-1].x", Overlaps.START_ANEW, "all runs overlap it"),
        ("SEQ(A+ a, B b) WHERE a.x < b.x", Overlaps.START_ANEW, "all runs overlap it"),
        ("SEQ(A+ a, B b) WHERE a.x != b.x", Overlaps.WHOLE_RUNS, "reads several events of a run"),
        ("SEQ(A a, B b) WHERE strict_contiguity", Overlaps.BEST_PATH, "of all partitions"),
        ("SEQ(A+ a, !C c, B b) WHERE c.x > 1", Overlaps.BEST_PATH, "of every edge"),
        ("SEQ(A+ a, !(C+ c), B b) WHERE c.LEN > 1", Overlaps.BEST_PATH, "of every edge"),
        (JOINED, Overlaps.IN_TURN, "conditions on ¬ C c are tested on whole matches"),
        ("SEQ(A a, !C c, B b) WHERE c.x = 1 OR b.x = 1", Overlaps.IN_TURN, "OR joins"),
        ("A AND B", Overlaps.ALL_PAIRS, "whole pairs"),
        ("SEQ(A+ a, B b) WHERE avg(a[].x) > 1", Overlaps.START_ANEW, "apart by avg(a[].x), and"),
    ],
)
def test_choose_overlaps(query, overlaps, reason):
    choice = plan_of(f"PATTERN {query} OUTPUT NON OVERLAPPING").overlaps
    assert choice.value is overlaps
    assert reason in choice.reason
    assert plan_of(f"PATTERN {query}").overlaps is None
