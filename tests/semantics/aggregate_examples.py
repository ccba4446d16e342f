"""The worked examples of the semantics page as aggregates, where examples.py has the matches."""

from collections.abc import Sequence
from typing import Any

from tests.semantics.examples import (
    AGGREGATES,
    COGRA_STREAM,
    CONTIGUOUS,
    EDGE,
    EDGE_STREAM,
    FALLING,
    HAMLET_STREAM,
    KLEENE_NEXT,
    MISPLACED,
    MISPLACED_SCHEMAS,
    NESTED,
    NEXT,
    OPTIONS,
    PRICES,
    QUERY_2,
    SASE_PLUS_STREAM,
    SASE_STREAM,
    SHELVES,
    SHIPMENTS,
    TABLE_7,
    Example,
    Row,
    alternating,
    counted,
    moments,
    query_3,
    repeated,
    rows,
)


def largest(rows: Sequence[Row]) -> Any:
    """The count at the moments of WITHIN alone when the most matches are in the window."""
    return max((row["n"] for row in rows), default=0)


def at_most(title: str, query: str, stream: str, count: int, **options: Any) -> Example:
    """WITHIN alone, a window that holds everything: the count at the last moment."""
    counting = f"PATTERN {query} RETURN COUNT(*) AS n"
    return Example(title, counting, stream, count, largest, **options)


AND_SUMS = "RETURN COUNT(*), COUNT(A), SUM(A.time), COUNT(B), MAX(B.time)"

AGGREGATE_EXAMPLES = [
    # COGRA
    counted("COGRA table 7", f"{NESTED} WHERE B.x < NEXT(A).x", TABLE_7, 33),
    rows("COGRA table 9, any", f"{NESTED} {AGGREGATES}", COGRA_STREAM,
        (100, 66, 352, 3.52, 1, 7, 404)),
    rows("COGRA table 9, next", f"{NESTED} {NEXT} {AGGREGATES}", COGRA_STREAM,
        (17, 13, 67, 67 / 17, 1, 7, 74)),
    rows("COGRA table 9, SASE+ next", f"{NESTED} {KLEENE_NEXT} {AGGREGATES}", COGRA_STREAM,
        (37, 21, 145, 145 / 37, 1, 7, 128)),
    rows("COGRA table 9, contiguous", f"{NESTED} {CONTIGUOUS} {AGGREGATES}", COGRA_STREAM,
        (2, 2, 8, 4.0, 1, 7, 10)),
    counted("COGRA def. 2.6 adjacent", FALLING, PRICES, 5),
    *(counted(f"COGRA app. C negation {strategy}", f"SEQ(A+, !C, B) {strategy}", "a1 c2 a3 b4", 2)
      for strategy in ("", NEXT, KLEENE_NEXT)),
    # A-Seq
    moments("A-Seq ex. 4", "SEQ(A, B, !C, D) WITHIN 100 s", "a1 b2 c3 a4 b5 d6", {6: 2}),
    rows("A-Seq section 5", "SEQ(A, B, C, D) RETURN SUM(C.time)", "a1 b2 c3 d4 c5 d6", (11,)),
    # HAMLET
    counted("HAMLET table 5", EDGE, EDGE_STREAM, 26),
    counted("HAMLET ex. 3.10 q1", "SEQ(A, B+)", HAMLET_STREAM, 64),
    counted("HAMLET ex. 3.10 q2", "SEQ(C, B+)", HAMLET_STREAM, 34),
    rows("HAMLET q1", "SEQ(R, T+, NOT P) WITHIN 30 SLIDE 10 RETURN COUNT(*)", "r0 t5 p20",
        (-20, 10, 1), (-10, 20, 1)),
    # SASE
    moments("SASE fig. 3 within 6, counted", "SEQ(A, B, D) WITHIN 6", SASE_STREAM, {9: 1}),
    counted("SASE fig. 4", "SEQ(A, B, D) WHERE [k]", SASE_STREAM, 1),
    moments("SASE 2.2.2 end", "SEQ(A, !B) WITHIN 5", "a1 b5 a6 b7 a8", {1: 1, 6: 1, 8: 1}),
    moments("SASE 2.2.2 start, blocked, counted", "SEQ(!B, A) WITHIN 5", "b2 a6", {6: 0}),
    moments("SASE 2.2.2 start, free, counted", "SEQ(!B, A) WITHIN 5", "b1 a6", {6: 1}),
    moments("a start negation is a property of the match", "SEQ(!C, A, B) WITHIN 5",
        "c1 a4 b5 b6", {5: 0, 6: 1}),
    moments("an end negation is judged up to t", "SEQ(A, B, !C) WITHIN 9", "a1 b2 c3 b4",
        {2: 1, 4: 1}),
    rows("start negation in the window", "SEQ(!C, A, B) WITHIN 4 SLIDE 2 RETURN COUNT(*)",
        "c1 a2 b3", (2, 6, 1)),
    # SASE+
    at_most("SASE+ fig. 3 next", query_3("skip_till_next_match(a[], b)"), SASE_PLUS_STREAM, 3),
    at_most("SASE+ fig. 3 contiguous", query_3("partition_contiguity"), SASE_PLUS_STREAM, 2),
    at_most("SASE+ fig. 3 any", query_3("skip_till_any_match"), SASE_PLUS_STREAM, 68),
    at_most("SASE+ fig. 6 next", query_3("skip_till_next_match", "max"), SASE_PLUS_STREAM, 2),
    at_most("SASE+ fig. 6 any", query_3("skip_till_any_match", "max"), SASE_PLUS_STREAM, 19),
    at_most("SASE+ query 2 any", QUERY_2.format(strategy="skip_till_any_match"), SHIPMENTS, 3),
    at_most("SASE+ query 2 next", QUERY_2.format(strategy="skip_till_next_match"), SHIPMENTS, 2),
    # our decisions
    counted("negation, any", "SEQ(A a, !C c, B b) WHERE c.x = b.x",
        "a1(x=0) c2(x=1) b3(x=1) b4(x=2)", 1),
    counted("negation, next", f"SEQ(A a, !C c, B b) WHERE c.x = b.x {NEXT}",
        "a1(x=0) c2(x=1) b3(x=1) b4(x=2)", 0),
    *(counted(f"growth of ambiguity {size}", f"(SEQ(A+, A+))+ {CONTIGUOUS}", repeated(size, "a"),
        count) for size, count in ((6, 57), (8, 247))),
    *(counted(f"growth of ties {size}", f"A+ {CONTIGUOUS}", repeated(size, "a", "a"), count)
      for size, count in ((4, 52), (6, 240))),
    *(counted(f"growth of options {size}, SASE+ next", f"{OPTIONS} {KLEENE_NEXT}",
        alternating(size), count) for size, count in ((4, 52), (6, 240))),
    *(counted(f"growth of options {size}, next", f"{OPTIONS} {NEXT}", alternating(size), count)
      for size, count in ((4, 20), (6, 42))),
    Example("misplaced inventory, SLIDE", f"PATTERN {MISPLACED} SLIDE 1 hour RETURN COUNT(*) AS n",
        SHELVES + "COUNTER-READING@3660(id=7)", [1], lambda rows: [row["n"] for row in rows],
        MISPLACED_SCHEMAS),
    Example("paid, SLIDE", f"PATTERN {MISPLACED} SLIDE 1 hour RETURN COUNT(*) AS n",
        SHELVES + "COUNTER-READING@1800(id=7)", [], lambda rows: [row["n"] for row in rows],
        MISPLACED_SCHEMAS),
    # AND: COUNT = C1'·C2' + C1'·C12 + C2'·C12 + C12·(C12 - 1)/2
    counted("AND, disjoint", "A AND B", "a1 b2 b3", 2),
    counted("AND, the same", "A a+ AND A b+", "a1 a2", 3),
    counted("AND, overlapping", "A a AND A b+", "a1 a2 a3", 15),
    counted("AND, overlapping, next", "ANY(A, B)+ AND A a+ SEMANTICS skip-till-next-match",
            "a1 b2 a3", 15),
    rows("AND, aggregates of both", f"A+ AND SEQ(A, B) {AND_SUMS}", "a1 a2 b3",
        (6, 14, 21, 6, 3)),
    moments("AND, WITHIN", "A AND B WITHIN 3", "a1 a2 b4 b9", {1: 0, 2: 0, 4: 1, 9: 0}),
    # results
    rows("groups", "SEQ(A a, B) GROUP BY g RETURN g, COUNT(*), SUM(a.x), AVG(a.x), COUNT(a.x)",
        "a1(g=1,x=4) a2(g=1,x=null) b3(g=1,x=0) a4(g=2,x=7) b5(g=2,x=0) b6(g=1,x=0)",
        (1, 4, 8, 4.0, 2), (2, 1, 7, 7.0, 1)),
    rows("HAVING", "SEQ(A a, B) GROUP BY g RETURN g, COUNT(*) AS n HAVING n > 1 AND MAX(a.x) < 9",
        "a1(g=1,x=4) a2(g=1,x=5) b3(g=1,x=0) a4(g=2,x=7) b5(g=2,x=0)", (1, 2)),
    rows("EXACT and LOG2", "A{2,} RETURN EXACT COUNT(*), LOG2(COUNT(*)) AS bits", "a1 a2 a3",
        ("4", 2.0)),
]  # fmt: skip
