"""The worked examples of the semantics page: a query, a stream, what every runner must give.

More of them as aggregates: aggregate_examples.py. Left out: HAMLET eq. 8-10 and examples 4.4, 4.6
(about the cost of plans) and SASE eq. (1) (about the generator); tests/papers has them.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]

ANY = ""
NEXT = "SEMANTICS skip-till-next-match"
KLEENE_NEXT = "WHERE skip_till_next_match"  # SASE+: leaving a repetition is optional
CONTIGUOUS = "SEMANTICS contiguous"


@dataclass(frozen=True)
class Example:
    """`read` takes from the result rows what is compared with `expected`."""

    title: str
    query: str
    stream: str
    expected: object
    read: Callable[[Sequence[Row]], object]
    schemas: Mapping[str, Sequence[str]] | None = None


# --- what is read from the rows -------------------------------------------------------------------


def total(rows: Sequence[Row]) -> float:
    return rows[0]["n"] if rows else 0


def by_last_time(rows: Sequence[Row]) -> dict[int, int]:
    return dict(Counter(row["last_time"] for row in rows))


def by_time(rows: Sequence[Row]) -> dict[int, int]:
    return {row["time"]: row["n"] for row in rows}


def sorted_rows(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in rows)


# --- short ways to write examples -----------------------------------------------------------------


def counted(title: str, query: str, stream: str, count: int, **options: Any) -> Example:
    """The number of trends as the result of COUNT(*)."""
    counting = f"PATTERN {query} RETURN COUNT(*) AS n"
    return Example(f"{title}: count", counting, stream, count, total, **options)


def matched(title: str, query: str, stream: str, count: int, **options: Any) -> Example:
    """The number of trends as the number of rows."""
    return Example(f"{title}: matches", f"PATTERN {query}", stream, count, len, **options)


def trends(title: str, query: str, stream: str, count: int, **options: Any) -> list[Example]:
    """The number of trends both ways."""
    both = (counted, matched)
    return [each(title, query, stream, count, **options) for each in both]


def ended(title: str, query: str, stream: str, expected: dict[int, int]) -> Example:
    """The number of trends by the time of their last event."""
    return Example(f"{title}: ends", f"PATTERN {query}", stream, expected, by_last_time)


def ends(title: str, query: str, stream: str, expected: dict[int, int]) -> list[Example]:
    """The number of trends by the time of their last event, and their sum as a count."""
    count = sum(expected.values())
    return [counted(title, query, stream, count), ended(title, query, stream, expected)]


def moments(title: str, query: str, stream: str, expected: dict[int, int]) -> Example:
    """A-Seq: the count at each event that can end a match."""
    return Example(title, f"PATTERN {query} RETURN COUNT(*) AS n", stream, expected, by_time)


def rows(
    title: str, query: str, stream: str, *expected: tuple[Any, ...], **options: Any
) -> Example:
    """The rows themselves, in any order."""
    return Example(title, f"PATTERN {query}", stream, sorted(expected), sorted_rows, **options)


# --- COGRA ----------------------------------------------------------------------------------------

NESTED = "(SEQ(A+, B))+"
COGRA_STREAM = "a1 b2 a3 a4 c5 b6 a7 b8"
COGRA = [
    *ends("COGRA ex. 2.2 any 43", NESTED, COGRA_STREAM, {2: 1, 6: 10, 8: 32}),
    *ends("COGRA table 8 next 8", f"{NESTED} {NEXT}", COGRA_STREAM, {2: 1, 6: 3, 8: 4}),
    *ends("SASE+ next 14", f"{NESTED} {KLEENE_NEXT}", COGRA_STREAM, {2: 1, 6: 4, 8: 9}),
    *ends("COGRA table 8 contiguous 2", f"{NESTED} {CONTIGUOUS}", COGRA_STREAM, {2: 1, 8: 1}),
    *trends("COGRA def. 2.6 every start", f"SEQ(A, B) {NEXT}", "a1 a2 b3", 2),
    *trends("COGRA app. C at least, any", "A{3,}", "a1 a2 a3 a4 a5", 16),
    *trends("COGRA app. C at least, next", f"A{{3,}} {NEXT}", "a1 a2 a3 a4 a5", 6),
    *trends("COGRA app. C a type twice", "SEQ(A+, B, A)", "a1 a2 b3 a4 a5", 6),
    *trends("COGRA app. C star is relevant", f"SEQ(S, A*, B) {NEXT}", "s1 a2 b3", 1),
]

# --- A-Seq ----------------------------------------------------------------------------------------

FIGURE_10 = "a1 b2 c3 a4 b5 d6 c7 a8 d9 e10"
A_SEQ = [
    moments("A-Seq ex. 1", "SEQ(A, B, C) WITHIN 5 s", "a1 b2 c3 c4 b6", {3: 1, 4: 2}),
    moments("A-Seq ex. 1, c6", "SEQ(A, B, C) WITHIN 5 s", "a1 b2 c3 c4 c6", {3: 1, 4: 2, 6: 0}),
    moments("A-Seq fig. 2", "SEQ(A, B, C) WITHIN 100 s", "a1 b2 c3 a4 b5 c6", {3: 1, 6: 4}),
    moments("A-Seq ex. 2", "SEQ(A, B) WITHIN 100 s", "a1 a2 b3 a4 b5", {3: 2, 5: 5}),
    moments(
        "A-Seq ex. 3",
        "SEQ(A, B, C, D) WITHIN 7 s",
        "a1 b2 c3 a4 c5 b6 d7 c8 a9 d10",
        {7: 2, 10: 1},
    ),
    moments(
        "A-Seq ex. 3 later",
        "SEQ(A, B, C, D) WITHIN 7 s",
        "a1 b2 c3 a4 c5 b6 d7 c8 a9 d11",
        {7: 2, 11: 0},
    ),
    moments("A-Seq fig. 10", "SEQ(A, B, C, D, E) WITHIN 9 s", FIGURE_10, {10: 1}),
    *trends("A-Seq fig. 10 no window", "SEQ(A, B, C, D, E)", FIGURE_10, 5),
]

# --- HAMLET ---------------------------------------------------------------------------------------

HAMLET_STREAM = "a1 a2 c3 b4 b5 b6 b7 a8 a9 c10 c11 c12 b13"
HAMLET = [
    *ends("HAMLET table 3", "SEQ(A, B+)", HAMLET_STREAM, {4: 2, 5: 4, 6: 8, 7: 16, 13: 34}),
    *ends("HAMLET table 4", "SEQ(C, B+)", HAMLET_STREAM, {4: 1, 5: 2, 6: 4, 7: 8, 13: 19}),
    rows(
        "HAMLET windows",
        "SEQ(R, T+) WITHIN 30 SLIDE 10 RETURN COUNT(*)",
        "r0 t5 t20",
        (-20, 10, 1),
        (-10, 20, 1),
        (0, 30, 3),
    ),
]

# --- SASE -----------------------------------------------------------------------------------------

SASE_STREAM = "a1(k=1) b3(k=1) a4(k=2) b6(k=2) d9(k=2)"
PAIRS = (
    "a1(attr1=1,attr2=1) a2(attr1=2,attr2=3) a3(attr1=1,attr2=3) b5(attr1=2,attr2=1) "
    "b6(attr1=1,attr2=3)"
)
TIMES = "RETURN A.time, B.time, D.time"
SASE = [
    rows("SASE fig. 3", f"SEQ(A, B, D) {TIMES}", SASE_STREAM, (1, 3, 9), (1, 6, 9), (4, 6, 9)),
    rows("SASE fig. 3 within 6", f"SEQ(A, B, D) WITHIN 6 {TIMES}", SASE_STREAM, (4, 6, 9)),
    rows("SASE fig. 4", f"SEQ(A, B, D) WHERE [k] {TIMES}", SASE_STREAM, (4, 6, 9)),
    *trends("SASE fig. 5 attr1", "SEQ(A, B) WHERE [attr1]", PAIRS, 3),
    *trends("SASE fig. 5 attr2", "SEQ(A, B) WHERE [attr2]", PAIRS, 3),
    *trends("SASE fig. 5 both", "SEQ(A, B) WHERE [attr1, attr2]", PAIRS, 1),
]

# --- our decisions --------------------------------------------------------------------------------

TIED = "a@1 a@1 b@2 b@2 b@3"
GROUPS = "SEQ((SEQ(A, B))+, C)"
OPTIONS = "(SEQ(A, B?))+"


def repeated(size: int, *types: str) -> str:
    return " ".join(f"{each}@{time}" for time in range(1, size + 1) for each in types)


def alternating(pairs: int) -> str:
    return " ".join(f"a{2 * each} b{2 * each + 1}" for each in range(pairs))


DECISIONS = [
    *trends("ties, contiguity is pairwise", f"SEQ(A, B, C) {CONTIGUOUS}", "a@1 b@2 b@2 c@3", 2),
    *trends("ties, any", "SEQ(A+, B)", TIED, 6),
    *trends("ties, next", f"SEQ(A+, B) {NEXT}", TIED, 4),
    *trends("ties, SASE+ next", f"SEQ(A+, B) {KLEENE_NEXT}", TIED, 6),
    *trends("ties, contiguous", f"SEQ(A+, B) {CONTIGUOUS}", TIED, 4),
    *trends("groups, any", GROUPS, "a1 b2 c3 a4 b5 c6", 5),
    *trends("groups, next", f"{GROUPS} {NEXT}", "a1 b2 c3 a4 b5 c6", 2),
    *trends("groups, SASE+ next", f"{GROUPS} {KLEENE_NEXT}", "a1 b2 c3 a4 b5 c6", 3),
    *trends("growth of ambiguity 4", f"(SEQ(A+, A+))+ {CONTIGUOUS}", repeated(4, "a"), 11),
    *trends("growth of ambiguity 10", f"(SEQ(A+, A+))+ {CONTIGUOUS}", repeated(10, "a"), 1013),
    *trends("growth of ties 2", f"A+ {CONTIGUOUS}", repeated(2, "a", "a"), 8),
    *trends("growth of ties 8", f"A+ {CONTIGUOUS}", repeated(8, "a", "a"), 1004),
    *trends("growth of options 2, SASE+ next", f"{OPTIONS} {KLEENE_NEXT}", alternating(2), 8),
    *trends("growth of options 8, SASE+ next", f"{OPTIONS} {KLEENE_NEXT}", alternating(8), 1004),
    *trends("growth of options 2, next", f"{OPTIONS} {NEXT}", alternating(2), 6),
    *trends("growth of options 8, next", f"{OPTIONS} {NEXT}", alternating(8), 72),
    *trends("repetition, one path per count", "A{1,3}", "a1 a2 a3", 7),
    *trends("repetition of a repetition", f"(A+){{2,}} {CONTIGUOUS}", "a1 a2 a3 a4", 10),
    *trends("repetition, copies loop", f"SEQ(A{{1,3}}, B) {KLEENE_NEXT}", "a1 b2 a3 b4", 3),
    *trends("the empty match is none", "A*", "a1 a2", 3),
    *trends("both branches of OR count", "A x OR A y", "a1", 2),
    *trends(
        "a type without the attribute",
        "SEQ(ANY(A, B) v, C) WHERE v.x > 1",
        "a1(x=1) a2(x=2) b3 c4",
        2,
        schemas={"A": ["x"], "B": [], "C": []},
    ),
    *trends(
        "a NULL breaks strict contiguity",
        "SEQ(A, B) WHERE [k] AND strict_contiguity",
        "a1(k=1) a2(k=null) b3(k=1) a4(k=1) b5(k=1)",
        1,
    ),
    *trends(
        "a NULL does not break contiguity",
        "SEQ(A, B) WHERE [k] AND partition_contiguity",
        "a1(k=1) a2(k=null) b3(k=1) a4(k=1) b5(k=1)",
        2,
    ),
    *trends(
        "a failed predicate breaks contiguity",
        f"A a+ WHERE a.x > 0 {CONTIGUOUS}",
        "a1(x=1) a2(x=0) a3(x=1)",
        2,
    ),
    Example(
        "windows of events", "PATTERN SEQ(A, B) WITHIN 2 EVENTS", "a1 b2 c3 a4 c5 b6 a7 b8", 2, len
    ),
]

# --- predicates across events ---------------------------------------------------------------------

TABLE_7 = "a1(x=0) b2(x=1) a3(x=2) a4(x=2) c5(x=0) b6(x=2) a7(x=2) b8(x=1)"
FALLING, PRICES = (
    f"S+ WHERE S.price > NEXT(S).price {NEXT}",
    "s1(price=10) s2(price=12) s3(price=8)",
)
EDGE = "SEQ(C, B+) WHERE B.low != NEXT(B).high"
EDGE_STREAM = """
    a1 a2 c3 b4(low=0, high=1) b5(low=5, high=1) b6(low=0, high=5) b7(low=0, high=1)
    a8 a9 c10 c11 c12 b13(low=0, high=1)
"""
SASE_PLUS_STREAM = " ".join(
    f"Stock@{time}(symbol=X, price={price}, volume={volume})"
    for time, (price, volume) in enumerate(
        zip(
            (100, 120, 120, 121, 120, 125, 120, 120),
            (1010, 990, 1005, 999, 999, 750, 950, 700),
            strict=True,
        ),
        start=1,
    )
)


def query_3(strategy: str, aggregate: str = "avg") -> str:
    return f"""
        SEQ(Stock+ a[], Stock b)
        WHERE {strategy} {{
            [symbol] and a[1].volume > 1000 and a[i].price > {aggregate}(a[..i-1].price)
            and b.volume < 80%*a[a.LEN].volume }}
        WITHIN 1 hour
    """


QUERY_2 = """
    SEQ(Alert a, Shipment+ b[])
    WHERE {strategy}(a, b[]) {{ a.kind = 'contaminated' and b[1].from = a.site
        and b[i].from = b[i-1].to }}
    WITHIN 3 hours
"""
SHIPMENTS = """
    Alert@1(kind=contaminated, site=1) Shipment@2(from=1, to=2) Shipment@3(from=1, to=3)
    Shipment@4(from=2, to=4)
"""


ACROSS = [
    matched("COGRA table 7", f"{NESTED} WHERE B.x < NEXT(A).x", TABLE_7, 33),
    matched("COGRA def. 2.6 adjacent", FALLING, PRICES, 5),
    ended("HAMLET table 5", EDGE, EDGE_STREAM, {4: 1, 5: 2, 6: 2, 7: 6, 13: 15}),
    matched("SASE+ fig. 3 next", query_3("skip_till_next_match(a[], b)"), SASE_PLUS_STREAM, 3),
    matched("SASE+ fig. 3 contiguous", query_3("partition_contiguity"), SASE_PLUS_STREAM, 2),
    matched("SASE+ fig. 3 any", query_3("skip_till_any_match"), SASE_PLUS_STREAM, 68),
    matched("SASE+ fig. 6 next", query_3("skip_till_next_match", "max"), SASE_PLUS_STREAM, 2),
    matched("SASE+ fig. 6 any", query_3("skip_till_any_match", "max"), SASE_PLUS_STREAM, 19),
    matched("SASE+ query 2 any", QUERY_2.format(strategy="skip_till_any_match"), SHIPMENTS, 3),
    matched("SASE+ query 2 next", QUERY_2.format(strategy="skip_till_next_match"), SHIPMENTS, 2),
]

EXAMPLES = [*COGRA, *A_SEQ, *HAMLET, *SASE, *DECISIONS, *ACROSS]

# --- negation, AND, OUTPUT ------------------------------------------------------------------------

AGGREGATES = """
    RETURN COUNT(A), COUNT(B), SUM(A.time), AVG(A.time), MIN(A.time), MAX(A.time), SUM(B.time)
"""
MISPLACED = """
    SEQ(SHELF-READING x, SHELF-READING y, ! (ANY(COUNTER-READING, SHELF-READING) z))
    WHERE [id] AND x.shelf_id != y.shelf_id AND x.shelf_id = z.shelf_id
    WITHIN 1 hour
"""
SHELVES = "SHELF-READING@0(id=7, shelf_id=1) SHELF-READING@600(id=7, shelf_id=2) "
MISPLACED_SCHEMAS = {"SHELF-READING": ["id", "shelf_id"], "COUNTER-READING": ["id"]}

EXAMPLES += [
    matched("COGRA app. C negation, any", "SEQ(A+, !C, B)", "a1 c2 a3 b4", 2),
    matched("COGRA app. C negation, next", f"SEQ(A+, !C, B) {NEXT}", "a1 c2 a3 b4", 2),
    matched("COGRA app. C negation, SASE+", f"SEQ(A+, !C, B) {KLEENE_NEXT}", "a1 c2 a3 b4", 2),
    matched("negation, any", "SEQ(A a, !C c, B b) WHERE c.x = b.x",
        "a1(x=0) c2(x=1) b3(x=1) b4(x=2)", 1),
    matched("negation, next", f"SEQ(A a, !C c, B b) WHERE c.x = b.x {NEXT}",
        "a1(x=0) c2(x=1) b3(x=1) b4(x=2)", 0),
    rows("SASE 2.2.2 end, blocked", "SEQ(A, !B) WITHIN 5 RETURN A.time", "a1 b5"),
    rows("SASE 2.2.2 end, free", "SEQ(A, !B) WITHIN 5 RETURN A.time", "a1 b6", (1,)),
    rows("SASE 2.2.2 start, blocked", "SEQ(!B, A) WITHIN 5 RETURN A.time", "b2 a6"),
    rows("SASE 2.2.2 start, free", "SEQ(!B, A) WITHIN 5 RETURN A.time", "b1 a6", (6,)),
    Example("paid", f"PATTERN {MISPLACED}", SHELVES + "COUNTER-READING@1800(id=7)", 0, len,
        MISPLACED_SCHEMAS),
    Example("misplaced", f"PATTERN {MISPLACED}", SHELVES + "COUNTER-READING@3660(id=7)", 1, len,
        MISPLACED_SCHEMAS),
    matched("SASE+ 6.2", query_3("skip_till_next_match") + "OUTPUT NON OVERLAPPING",
        SASE_PLUS_STREAM, 1),
    rows("non-overlap, ties", "SEQ(A, B) RETURN A.x OUTPUT NON OVERLAPPING",
        "a@1(x=1) a@1(x=2) b@2(x=0)", (1,)),
    rows("non-overlap, the smallest sequence", "SEQ(A+ a, B b) RETURN a.time, b.time "
        "OUTPUT NON OVERLAPPING", "a1 a2 b3 a4 b5 b6 a7", ([1, 2], 3), ([4], 5)),
    rows("non-overlap, a blocked edge", "SEQ(A+ a, !C, B b) RETURN a.time, b.time "
        "OUTPUT NON OVERLAPPING", "a1 c2 b3 a4 b5", ([1, 4], 5)),
    rows("non-overlap, blocked matches", "SEQ(A a, A+ b, !C c, B d) WHERE c.x > a.x "
        "RETURN a.time, b.time OUTPUT NON OVERLAPPING",
        "a1(x=1) a2(x=5) a3(x=9) c4(x=3) b5(x=0)", (2, [3])),
    rows("every type", "SEQ(A a, ANY x, B b) SEMANTICS contiguous RETURN a.time, x.type",
        "a1 c2 b3 a4 d5 b6 a7 b8", (1, "C"), (4, "D")),
    rows("no event of any type", "SEQ(A a, !ANY, B b) RETURN a.time", "a1 c2 b3 a4 b5", (4,)),
    rows("duration", "SEQ(A+ a, B) WHERE duration(match) < 3 RETURN a.time, duration(match)",
        "a1 a2 b4 b9", ([2], 2)),
    rows("duration, one variable", "A{2,} a SEMANTICS contiguous WHERE duration(match) > 2 "
        "RETURN a.time, duration(match) / 2 AS half", "a1 a2 a5", ([1, 2, 5], 2), ([2, 5], 1.5)),
    rows("latest wins", "SEQ(A a, B b) SEMANTICS latest-wins RETURN a.time, b.time",
        "a1 a2 b3 b4 a5 b6", (2, 3), (5, 6)),
    rows("latest wins, a repetition that goes on", "SEQ(A a, B+ b, C c) SEMANTICS latest-wins "
        "RETURN a.time, b.time, c.time", "a1 b2 a3 b4 b5 c6 c7", (3, [4, 5], 6)),
    rows("latest wins, an older run comes too late", "SEQ(A a, D? d, B b, C c) WHERE b.x > a.x "
        "AND c.x > 0 SEMANTICS latest-wins RETURN a.time, b.time",
        "a1(x=5) d2 a3(x=1) b4(x=2) b5(x=9) c6(x=1)", (3, 4)),
    rows("longest", "SEQ(A+ a, B b) RETURN a.time, b.time OUTPUT LONGEST",
        "a1 a2 b3 b4", ([1, 2], 4), ([2], 4)),
    rows("longest, past the last event", "SEQ(A+ a, B b) RETURN a.time, b.time "
        "OUTPUT LONGEST SKIP PAST LAST EVENT", "a1 a2 b3 b4", ([1, 2], 4)),
    rows("longest, to a variable", "SEQ(A+ a, B b) RETURN a.time, b.time OUTPUT LONGEST SKIP TO a",
        "a1 a2 a3 b4", ([1, 2, 3], 4), ([3], 4)),
    rows("shortest", "SEQ(A+ a, B b) RETURN a.time, b.time OUTPUT SHORTEST",
        "a1 a2 b3 b4", ([1, 2], 3), ([2], 3)),
    rows("a valley", "SEQ(S a, S+ d, S+ u) WHERE contiguous AND d[1].x < a.x AND "
        "d[i].x < d[i-1].x AND u[1].x > d[d.LEN].x AND u[i].x > u[i-1].x RETURN a.x, u.x "
        "OUTPUT LONGEST SKIP PAST LAST EVENT", "s1(x=10) s2(x=8) s3(x=6) s4(x=7) s5(x=9)",
        (10, [7, 9])),
    rows("first of a window", "SEQ(A a, B b) WITHIN 10 RETURN a.time, b.time OUTPUT FIRST",
        "a1 b2 b5 a8 b12 b13", (1, 2), (8, 12)),
    rows("last of a window", "SEQ(A a, B b) WITHIN 10 RETURN a.time, b.time OUTPUT LAST",
        "a1 b2 b5 a8 b12 b13", (1, 5), (8, 13)),
    rows("a negated repetition, one event is enough", "SEQ(A a, !(B+ n), C c) WHERE n.x > a.x "
        "RETURN a.time", "a1(x=1) a2(x=9) b3(x=5) b4(x=0) c5(x=0)", (2,)),
    rows("a negated repetition as a whole", "SEQ(A a, !(B+ n), C c) WHERE count(n[]) > 1 "
        "RETURN a.time", "a1 b2 a3 b4 c5", (3,)),
    matched("AND", "A AND B", "a1 b2 b3", 2),
    matched("AND, unordered pairs of one side's trends", "A a+ AND A b+", "a1 a2", 3),
    rows("AND, both in one window", "A a AND SEQ(B b, C c) WITHIN 4 RETURN c.time, a.time, b.time",
        "a1 b3 c4 a5 c6 a8", (4, 1, 3), (4, 5, 3), (6, 5, 3)),
    rows("AND, predicates on each side", "A+ a AND B b WHERE [k] AND a[i].x > a[i-1].x AND b.x > 1 "
        "RETURN a.time, b.time",
        "a1(k=1,x=1) a2(k=1,x=2) a3(k=2,x=9) b4(k=1,x=2) b5(k=2,x=1)",
        ([1], 4), ([1, 2], 4), ([2], 4)),
    rows("AND, NON OVERLAPPING", "A AND B RETURN A.time, B.time OUTPUT NON OVERLAPPING",
        "a1 b2 b3 a4 b5", (1, 2), (4, 3)),
    rows("AND, negation on one side", "SEQ(A a, !C, A c) AND B RETURN a.time, c.time, B.time",
        "a1 c2 a3 a4 b5", (3, 4, 5)),
    matched("a negation inside a negation", "SEQ(A, !SEQ(B, !C, D), E)", "a1 b2 c3 d4 e5", 1),
    matched("a negation inside a negation, clear", "SEQ(A, !SEQ(B, !C, D), E)", "a1 b2 d4 e5", 0),
    matched("a negation inside a negation, another way", "SEQ(A, !SEQ(B, !C, D), E)",
        "a1 b2 c3 b4 d5 e6", 0),
    matched("three negations", "SEQ(A, !SEQ(B, !SEQ(C, !D, C), B), E)", "a1 b2 c3 d4 c5 b6 e7", 0),
    matched("three negations, clear", "SEQ(A, !SEQ(B, !SEQ(C, !D, C), B), E)", "a1 b2 c3 c5 b6 e7",
        1),
    matched("a condition around a negation", "SEQ(A a, !SEQ(B b, !C, D d), E e) WHERE b.x = e.x",
        "a1(x=0) b2(x=1) b3(x=2) d4(x=0) c5(x=0) d6(x=0) e7(x=1) e8(x=3)", 1),
    rows("BETWEEN bounds the first of a group", "(SEQ(A a, B b))+ WITHIN 3 BETWEEN a, b "
        "RETURN a.time, b.time",
        "a1 b2 a3 b9", ([1], [2]), ([1, 3], [2, 9])),
]  # fmt: skip
