"""The clauses around pattern and condition, their order and their dialects."""

from itertools import permutations

import pytest

from cepheid.language.ast import (
    Attribute,
    Call,
    Comparison,
    Duration,
    Literal,
    Name,
    NeighbourWindow,
    OutputMode,
    Parameter,
    ReturnItem,
    Star,
    Window,
)
from cepheid.language.parser import parse

COUNT = Call("COUNT", Star())


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("12 hours", Duration(12, "hours")),
        ("10s", Duration(10, "s")),
        ("1hour", Duration(1, "hour")),
        ("100 ms", Duration(100, "ms")),
        ("1.5 Minutes", Duration(1.5, "minutes")),
        ("1000", Duration(1000)),
        ("500 EVENTS", Duration(500, "events")),
        (":W", Duration(Parameter("W"))),
        (":W events", Duration(Parameter("W"), "events")),
        ("<10s>", Duration(10, "s")),
    ],
)
def test_within(text, duration):
    assert parse(f"PATTERN A WITHIN {text}").window == Window(duration)
    assert parse(f"PATTERN A WITHIN {text} RETURN A.x").window == Window(duration)


def test_slide():
    expected = Window(Duration(10, "minutes"), Duration(30, "seconds"))
    assert parse("PATTERN A WITHIN 10 minutes SLIDE 30 seconds").window == expected
    assert parse("SLIDE 30 seconds PATTERN A WITHIN 10 minutes").window == expected
    assert parse("PATTERN A WITHIN 9 SLIDE :s").window.slide == Duration(Parameter("s"))


def test_within_between():
    query = parse("PATTERN SEQ(A a, B b) WITHIN 5 s BETWEEN a, b WITHIN 1 min")
    assert query.neighbour_windows == (NeighbourWindow(Duration(5, "s"), "a", "b"),)
    assert query.window == Window(Duration(1, "min"))


@pytest.mark.parametrize(
    "keyword", ["GROUP BY", "GROUP-BY", "group_by", "GROUPBY", "Group  By", "group\nby"]
)
def test_group_by(keyword):
    query = parse(f"PATTERN A {keyword} job, T.district")
    assert query.group_by == (Name("job"), Attribute("T", "district"))


def test_return():
    query = parse("PATTERN A a RETURN mapper, COUNT(*) AS n, SUM(a.cpu), a.x / 2 AS `half x`")
    expressions = [(each.alias, type(each.expression).__name__) for each in query.returns]
    assert expressions == [
        (None, "Name"),
        ("n", "Call"),
        (None, "Call"),
        ("half x", "Arithmetic"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AGG COUNT", (ReturnItem(COUNT),)),
        ("AGG count AS n", (ReturnItem(COUNT, "n"),)),
        ("AGG COUNT(*)", (ReturnItem(COUNT),)),
        ("[AGG COUNT]", (ReturnItem(COUNT),)),
        ("AGG SUM(C.weight)", (ReturnItem(Call("SUM", Attribute("C", "weight"))),)),
        ("RETURN *, A.*", (ReturnItem(Star()), ReturnItem(Star("A")))),
        ("AGG COUNT RETURN A.x", (ReturnItem(Attribute("A", "x")), ReturnItem(COUNT))),
    ],
)
def test_agg_adds_columns_after_those_of_return(text, expected):
    assert parse(f"PATTERN SEQ(A, C) {text}").returns == expected


def test_having():
    query = parse("PATTERN A RETURN COUNT(*) AS n HAVING n > 10 AND COUNT(*) < 20")
    assert query.having.operands[0] == Comparison((Name("n"), Literal(10)), (">",))


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("ALL", OutputMode.ALL),
        ("NON OVERLAPPING", OutputMode.NON_OVERLAPPING),
        ("non-overlapping", OutputMode.NON_OVERLAPPING),
        ("NON_OVERLAP", OutputMode.NON_OVERLAPPING),
        ("compressed", OutputMode.COMPRESSED),
        ("Partial", OutputMode.PARTIAL),
    ],
)
def test_output(text, mode):
    assert parse(f"PATTERN A OUTPUT {text}").output is mode


def test_into_names_a_type():
    assert parse("PATTERN A INTO Price-Alert").into == "Price-Alert"


def test_clauses_that_are_not_written_are_empty():
    query = parse("PATTERN A")
    assert (query.where, query.window, query.semantics, query.having) == (None, None, None, None)
    assert (query.output, query.into) == (None, None)
    assert (query.group_by, query.returns, query.neighbour_windows) == ((), (), ())


def test_clauses_come_in_any_order():
    clauses = [
        "RETURN sector, COUNT(*)",
        "PATTERN Stock S+",
        "WHERE S.price > NEXT(S).price",
        "GROUP-BY sector",
        "WITHIN 10 minutes SLIDE 10 seconds",
    ]
    trees = [parse(" ".join(order)) for order in permutations(clauses)]
    assert all(each == trees[0] for each in trees)


def test_keywords_in_any_case():
    text = (
        "return a.x as y pattern seq(A a, any(B, C) b) semantics contiguous "
        "where not a.x = null and true within 5 s output all into T"
    )
    upper = (
        "RETURN a.x AS y PATTERN SEQ(A a, ANY(B, C) b) SEMANTICS CONTIGUOUS "
        "WHERE NOT a.x = NULL AND TRUE WITHIN 5 s OUTPUT ALL INTO T"
    )
    assert parse(text) == parse(upper)


def test_angle_and_square_brackets_of_a_seq():
    printed = """
        PATTERN <SEQ(Kindle, Case)>
        WHERE <Kindle.user = Case.user AND Kindle.price > Case.price>
        GROUP BY <IP>
        [AGG COUNT] [WITHIN 1hour]"""
    plain = """
        PATTERN SEQ(Kindle, Case)
        WHERE Kindle.user = Case.user AND Kindle.price > Case.price
        GROUP BY IP AGG COUNT WITHIN 1hour"""
    assert parse(printed) == parse(plain)


def test_a_bracketed_condition_may_end_with_a_comparison():
    assert parse("PATTERN <A> [WHERE <x > 5>]") == parse("PATTERN A WHERE x > 5")


@pytest.mark.parametrize(
    "text",
    [
        "PATTERN A /* one */ WHERE x = 1 /* two\nlines */ AND y = 2",
        "-- first\nPATTERN A -- the pattern\nWHERE x = 1 AND y = 2 -- end",
        "PATTERN A WHERE x = 1 AND /* a 'quote' */ y = 2;",
        "PATTERN A WHERE x = 1--no blank\nAND y = 2",
        "  PATTERN\tA\r\nWHERE x=1 AND y=2 ; ",
    ],
)
def test_comments_blanks_and_a_semicolon_do_not_count(text):
    assert parse(text) == parse("PATTERN A WHERE x = 1 AND y = 2")
