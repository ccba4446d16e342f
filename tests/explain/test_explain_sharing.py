"""Who is folded with whom, what they share, and why the others do not."""

import json

import pytest

import cepheid
from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.schema import EventSchema
from cepheid.explain.explain_others import SCANS_APART
from cepheid.explain.explain_sharing import explain_sharing
from cepheid.explain.name_lists import name_list
from cepheid.explain.sharing_text import ON_SPARK
from cepheid.program.sharing import chain_program

COUNT = "RETURN COUNT(*) AS n"


def sharing_of(*texts):
    together = cepheid.workload(texts)
    return explain_sharing(together.plans(), together.dependencies)


def section_of(texts):
    """The lines below Sharing."""
    lines = cepheid.workload(texts).explain().splitlines()
    begin = lines.index("Sharing") + 1
    return lines[begin : lines.index("", lines.index(f"  {ON_SPARK}", begin))]


def test_a_part_at_two_places():
    (found,) = sharing_of(f"PATTERN SEQ(A, B+) {COUNT}", f"PATTERN SEQ(C, B+) {COUNT}").sets
    assert found.queries == ("q1", "q2")
    assert found.prefixes == ()
    (part,) = found.parts
    assert (part.text, part.places, part.queries) == ("B+", 2, ("q1", "q2"))
    assert [each.conditions for each in part.classes] == [()]


def test_classes_have_conditions_with_the_type_for_a_name():
    (found,) = sharing_of(
        f"PATTERN SEQ(A, B+ b) WHERE b.x > 3 {COUNT}",
        f"PATTERN SEQ(C, B+ other) WHERE other.x > 3 {COUNT}",
        f"PATTERN SEQ(D, B+) {COUNT}",
    ).sets
    (part,) = found.parts
    assert [(each.conditions, each.queries) for each in part.classes] == [
        (("B.x > 3",), ("q1", "q2")),
        ((), ("q3",)),
    ]


def test_common_beginnings_and_windows():
    (found,) = sharing_of(
        f"PATTERN SEQ(R, T+, P) WITHIN 10 s SLIDE 5 s {COUNT}",
        f"PATTERN SEQ(R, T+, Q) WITHIN 10 s SLIDE 5 s {COUNT}",
        f"PATTERN SEQ(R, S) WITHIN 10 s SLIDE 5 s {COUNT}",
        f"PATTERN SEQ(R, T+) WITHIN 30 s SLIDE 5 s {COUNT}",
    ).sets
    assert [(each.text, each.queries) for each in found.prefixes] == [
        ("R", ("q1", "q2", "q3")),
        ("SEQ(R, T+)", ("q1", "q2")),
    ]
    assert [(each.text, each.queries) for each in found.windows] == [
        ("WITHIN 10 s SLIDE 5 s", ("q1", "q2", "q3")),
        ("WITHIN 30 s SLIDE 5 s", ("q4",)),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("PATTERN SEQ(B, A)", "it returns matches"),
        ("PATTERN SEQ(B a, A b) WHERE a.x < b.x", "it returns matches"),
        (f"PATTERN B+ b WHERE b.x < NEXT(b).x {COUNT}", "the types of what it compares are not"),
        (f"PATTERN SEQ(A, B+) SEMANTICS contiguous {COUNT}", "events take runs away"),
        (f"PATTERN SEQ(A, B+) WITHIN 5 {COUNT}", "its window moves with every event"),
        ("PATTERN SEQ(A, B+) RETURN EXACT COUNT(*)", "its counts have all their digits"),
        (f"PATTERN SEQ(A, B+) WHERE [k] {COUNT}", "no other query reads the same columns"),
        (f"PATTERN SEQ(A, Given) {COUNT}", "it reads the results of another query"),
        ("PATTERN SEQ(A, B) INTO Given", "another query reads its results"),
    ],
)
def test_why_alone(text, reason):
    reader = ("PATTERN Given",) if "INTO" in text else ("PATTERN A INTO Given",)
    found = sharing_of(text, *reader, f"PATTERN SEQ(A, B+) {COUNT}", f"PATTERN SEQ(C, B+) {COUNT}")
    assert found.sets[0].queries == ("q3", "q4")
    assert found.alone[0].query == "q1"
    assert found.alone[0].reason.startswith(reason)


def test_text():
    assert section_of(
        [
            f"PATTERN SEQ(A, B+) {COUNT}",
            f"PATTERN SEQ(C, B+ b) WHERE b.x > 3 {COUNT}",
            f"PATTERN SEQ(A, B+, D) {COUNT}",
            "PATTERN A",
            "PATTERN B",
        ]
    ) == [
        "  set 1: 3 queries in one pass over the events: q1, q2, q3",
        "    window  no window        q1, q2, q3",
        "    prefix  SEQ(A, B+)       q1, q3",
        "    part    B+               at 2 places, in q1, q2, q3",
        "              any            q1, q3",
        "              where B.x > 3  q2",
        "",
        "  events are read, typed and ordered once for",
        "    q1 … q5",
        "",
        "  each by itself",
        "    q4, q5  because it returns matches",
        "",
        f"  {ON_SPARK}",
        "  On streams (workload.stream), too, except that",
        f"    {SCANS_APART}",
    ]


def test_json():
    texts = [f"PATTERN SEQ({each}, B+) {COUNT}" for each in "AC"]
    content = json.loads(cepheid.workload([*texts, "PATTERN A"]).explain(format="json"))
    (found,) = content["sharing"]["sets"]
    assert found["queries"] == ["q1", "q2"]
    assert found["parts"][0]["text"] == "B+"
    (alone,) = content["sharing"]["alone"]
    assert alone["query"] == "q3"
    assert alone["reason"].startswith("it returns matches")


PRICES = EventSchema(
    {"time": AttributeType.INTEGER, "kind": AttributeType.STRING, "price": AttributeType.FLOAT},
    time="time",
    type_column="kind",
)


def test_lanes_and_segments():
    texts = [
        f"PATTERN SEQ(A, T t+) WHERE t.price < NEXT(t).price WITHIN 10 SLIDE 5 {COUNT}",
        f"PATTERN SEQ(C, T s+) WHERE s.price < NEXT(s).price {COUNT}",
        f"PATTERN SEQ(A, B, C) WITHIN 5 {COUNT}",
        f"PATTERN SEQ(A, B, D) WITHIN 5 {COUNT}",
        "PATTERN SEQ(A, B, C) WITHIN 5",
        "PATTERN SEQ(A, B, D) WITHIN 5",
        f"PATTERN SEQ(A, T+) SEMANTICS contiguous {COUNT}",
    ]
    together = cepheid.workload(texts)
    found = explain_sharing(together.plans(PRICES), together.dependencies)
    assert [
        (each.queries, each.title, [(part.text, part.queries) for part in each.common])
        for each in found.others
    ] == [
        (("q1", "q2"), "compared", [("T.price < NEXT(T).price", ("q1", "q2"))]),
        (("q3", "q4"), "segment", [("SEQ(A, B)", ("q3", "q4"))]),
    ]
    assert found.scans == (("q1", "q2", "q3", "q4", "q5", "q6", "q7"),)
    assert [each.query for each in found.alone] == ["q5", "q6", "q7"]
    lines = [line.strip() for line in together.explain(schema=PRICES).splitlines()]
    assert "compared  T.price < NEXT(T).price  q1, q2" in lines


def test_segments():
    texts = [
        f"PATTERN SEQ(A, B, C, D) WITHIN 5 {COUNT}",
        f"PATTERN SEQ(X, B, C, Y) WITHIN 5 {COUNT}",
        f"PATTERN SEQ(A, B, C, D+) WITHIN 5 {COUNT}",
        "PATTERN SEQ(A, B b) WITHIN 5 RETURN SUM(b.price) AS n",
        "PATTERN SEQ(A, B b, C) WITHIN 5 RETURN SUM(b.price) AS n",
    ]
    together = cepheid.workload(texts)
    found = explain_sharing(together.plans(PRICES), together.dependencies)
    assert [
        (each.title, [(part.text, part.queries) for part in each.common]) for each in found.others
    ] == [
        ("segment", [("SEQ(B, C)", ("q1", "q2", "q3")), ("SEQ(A, B, C)", ("q1", "q3"))]),
        ("segment", [("SEQ(A, B)", ("q4", "q5"))]),
    ]
    assert not found.alone


def test_too_many_segments(monkeypatch):
    monkeypatch.setattr(chain_program, "MOST_SEGMENTS", 5)
    texts = [f"PATTERN SEQ(A, B, {last}) WITHIN 5 {COUNT}" for last in "CD"]
    assert [each.reason.partition(", and ")[2] for each in sharing_of(*texts).alone] == [
        "there would be more than 5 segments to keep together"
    ] * 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("T t+ WHERE t.price > NEXT(t).price", "no other query that aggregates makes one of its"),
        ("T t+ WHERE t.price < NEXT(t).price + 1", "its adjacent predicates are not plain"),
        ("T t+ WHERE t.price < NEXT(t).price WITHIN 5", "it has adjacent predicates, and its"),
        ("SEQ(A, !B, T t+) WHERE t.price < NEXT(t).price", "it has adjacent predicates and neg"),
        ("T t+ WHERE t.price < NEXT(t).price WITHIN 9000 SLIDE 1", "9,000 of its wind"),
        ("T t+ WHERE t.price < NEXT(t).price WITHIN 9 EVENTS SLIDE 9 EVENTS", "its windows count"),
        ("SEQ(B, C) WITHIN 5", "its window moves with every event, and no other sequence in"),
    ],
)
def test_why_no_lane_or_segment(text, reason):
    texts = [f"PATTERN SEQ({first}, T t+) WHERE t.price < NEXT(t).price {COUNT}" for first in "AC"]
    together = cepheid.workload([*texts, f"PATTERN {text} {COUNT}"])
    found = explain_sharing(together.plans(PRICES), together.dependencies)
    (alone,) = found.alone
    assert (alone.query, alone.reason[: len(reason)]) == ("q3", reason)


def test_lanes_of_many_windows_are_told():
    texts = [
        f"PATTERN SEQ({first}, T t+) WHERE t.price < NEXT(t).price WITHIN 63 SLIDE 1 {COUNT}"
        for first in "AC"
    ]
    together = cepheid.workload(texts)
    assert not explain_sharing(together.plans(PRICES), together.dependencies).alone
    assert "lanes of a set" in together.explain(schema=PRICES)


def test_five_hundred_queries_stay_readable():
    texts = [
        f"PATTERN SEQ(E{number % 40}, T+ t) WHERE t.x > {number % 7} "
        f"WITHIN {10 + number % 20} SLIDE 5 {COUNT}"
        for number in range(500)
    ]
    text = cepheid.workload([*texts, "PATTERN A"]).explain()
    lines = text.splitlines()
    assert lines.index("Queries") < 50
    assert len(lines) < 560
    assert "  set 1: 500 queries in one pass over the events: q1 … q500" in lines
    assert "    window  … 12 more" in (line.rstrip() for line in lines)
    assert lines[-1].startswith("The plan of one of them:")
    assert "Choices" not in lines


def test_many_sets_are_summarised():
    texts = [f"PATTERN SEQ({first}, B+) WHERE [k{n}] {COUNT}" for n in range(9) for first in "AC"]
    lines = [line.strip() for line in cepheid.workload(texts).explain().splitlines()]
    assert [line.split(":")[0] for line in lines if "in one pass over" in line] == [
        f"set {number}" for number in range(1, 7)
    ]
    assert "3 smaller sets, of 6 queries" in lines


def test_names():
    assert name_list(["a1", "a2", "a3", "a4", "b"]) == "a1 … a4, b"
    assert name_list([f"{each}x" for each in range(9)]) == "0x, 1x, 2x, 3x, … 8x (9 queries)"


def test_what_is_different_on_streams():
    chains = [f"PATTERN SEQ(A, B, {each}) WITHIN 5 {COUNT}" for each in "CD"]
    recent = [f"PATTERN SEQ(A, B?, {each}) WITHIN 5 {COUNT}" for each in "CD"]
    sets = [f"PATTERN SEQ({each}, B+) WITHIN 5 SLIDE 5 {COUNT}" for each in "AC"]
    assert sharing_of(*sets).not_on_streams == ()
    assert sharing_of(*chains).not_on_streams == ()
    assert sharing_of(*recent).not_on_streams == ()
    assert sharing_of(*sets, *recent).not_on_streams == (SCANS_APART,)


def test_very_many_queries_are_summarised():
    returned = ("COUNT(*)", "SUM(b.x)", "AVG(b.x)", "MAX(b.x)")
    texts = [
        f"PATTERN SEQ(X{number % 5}, T{number % 10} b+, Y{number // 7 % 5}) WITHIN 9 SLIDE 3 "
        f"RETURN {returned[number % 4]} AS n"
        for number in range(500)
    ]
    together = cepheid.workload(texts)
    lines = together.explain().splitlines()
    assert len(lines) < 60
    assert sum("set 1: 500 queries in one pass" in each for each in lines) == 1
    assert "  … 488 more; JSON has all of them" in lines
    everything = json.loads(together.explain(format="json"))
    assert len(everything["queries"]) == 500
    assert len(everything["sharing"]["sets"][0]["queries"]) == 500
