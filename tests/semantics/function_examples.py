"""Expressions as in SQL, on every runner: in WHERE, RETURN, GROUP BY and HAVING."""

from tests.semantics.examples import Example, counted, rows, trends

NAMES = "a1(name=Ann,x=1) a2(x=2) a3(name=bob,x=-3) b4(name=ANN,x=4) b5(name=Bob)"
PAIR = "SEQ(A a, B b)"


def found(title: str, where: str, *expected: tuple[int, int]) -> Example:
    """The times of the pairs that satisfy a condition."""
    query = f"{PAIR} WHERE {where} RETURN a.time, b.time"
    return rows(title, query, NAMES, *expected)


FUNCTION_EXAMPLES: list[Example] = [
    found("IN", "a.name IN ('Ann', 'Eve')", (1, 4), (1, 5)),
    found("NOT IN", "a.name NOT IN ('Ann', 'Eve')", (3, 4), (3, 5)),
    found("NOT IN with NULL", "a.name NOT IN ('Ann', NULL)"),
    found("IN of another event", "a.x + 3 IN (b.x, 5)", (1, 4), (2, 4), (2, 5)),
    found("BETWEEN", "a.x BETWEEN 0 AND 1", (1, 4), (1, 5)),
    found("NOT BETWEEN", "a.x NOT BETWEEN 0 AND 1", (2, 4), (2, 5), (3, 4), (3, 5)),
    found("LIKE", "a.name LIKE 'A_n'", (1, 4), (1, 5)),
    found("NOT ILIKE", "a.name NOT ILIKE 'a%'", (3, 4), (3, 5)),
    found("RLIKE", "a.name RLIKE '^[a-z]+$'", (3, 4), (3, 5)),
    found("IS NULL", "a.name IS NULL", (2, 4), (2, 5)),
    found("IS NOT NULL under NOT", "NOT (a.name IS NOT NULL OR b.x IS NULL)", (2, 4)),
    found("IS DISTINCT FROM", "a.name IS DISTINCT FROM 'Ann'", (2, 4), (2, 5), (3, 4), (3, 5)),
    found("IS NOT DISTINCT FROM another event", "a.x IS NOT DISTINCT FROM b.x - 3", (1, 4)),
    found("a function of each event", "lower(a.name) = lower(b.name)", (1, 4), (3, 5)),
    found("a function of two events", "abs(a.x - b.x) < 3", (2, 4)),
    found("CASE of two events", "CASE WHEN b.x IS NULL THEN 0 ELSE b.x - a.x END = 0",
          (1, 5), (2, 5), (3, 5)),
    found("coalesce of two events", "coalesce(b.x, a.x) = 2", (2, 5)),
    found("CASE", "CASE WHEN a.x < 0 THEN 'low' WHEN a.x > 1 THEN 'high' END = 'high'",
          (2, 4), (2, 5)),
    found("CAST", "CAST(a.x AS STRING) || '!' = '1!'", (1, 4), (1, 5)),
    found("a length of time", "b.time - a.time < 2 seconds", (3, 4)),
    found("a later time", "b.time > a.time + 0.05 min", (1, 5)),
    found("a function in a disjunction", "length(a.name) = 3 OR upper(b.name) = 'ANN'",
          (1, 4), (1, 5), (2, 4), (3, 4), (3, 5)),
    found("a function of literals", "a.x = length('no')", (2, 4), (2, 5)),
    rows("functions in RETURN",
         f"{PAIR} WHERE a.x > 0 AND b.x > 0 RETURN coalesce(upper(a.name), '?') AS name, "
         "a.x > 1 AS large, round(b.x / 3.0, 1) AS third, greatest(a.x, b.x) AS most",
         NAMES, ("ANN", False, 1.3, 4), ("?", True, 1.3, 4)),
    rows("conditions and texts of two events in RETURN",
         f"{PAIR} WHERE a.x > 0 AND b.x > 0 RETURN a.time, a.x * 3 < b.x AS small, "
         "CASE WHEN a.x + b.x > 5 THEN 'much' ELSE coalesce(a.name, b.name) END AS word",
         NAMES, (1, True, "Ann"), (2, False, "much")),
    found("texts of two events", "coalesce(a.name, b.name) IN ('ANN', 'bob')",
          (2, 4), (3, 4), (3, 5)),
    rows("functions of an array", "SEQ(A+ a, B b) SEMANTICS contiguous "
         "RETURN coalesce(a.name, '?') AS names, b.time", "a1(name=x) a2 b3",
         (["?"], 3), (["x", "?"], 3)),
    rows("GROUP BY a function", "A a RETURN lower(a.name) AS name, COUNT(*) AS n "
         "GROUP BY lower(a.name)", "a1(name=x) a2(name=X) a3(name=y) a4(name=z,k=1)",
         ("x", 2), ("y", 1), ("z", 1)),
    rows("an aggregate of an expression", "A a RETURN SUM(abs(a.x) * 2) AS s, "
         "MAX(length(a.name)) AS l", "a1(x=-1,name=xy) a2(x=2)", (6, 2)),
    rows("functions in HAVING", "A a RETURN k, COUNT(*) AS n, SUM(a.x) AS s GROUP BY k "
         "HAVING n IN (1, 2) AND abs(s) BETWEEN 3 AND 9 AND k IS NOT NULL",
         "a1(k=1,x=-3) a2(k=2,x=1) a3(k=3,x=4) a4(k=3,x=4) a5(k=4,x=50)",
         (1, 1, -3), (3, 2, 8)),
    rows("arithmetic over aggregates", "SEQ(A a, B b) WHERE [k] RETURN k, "
         "SUM(a.x) / COUNT(*) AS mean, -MAX(b.x) + 2 * k AS r, COUNT(*) / (k - 1) AS none "
         "GROUP BY k HAVING mean > 1",
         "a1(k=1,x=2) a2(k=1,x=3) a3(k=2,x=1) b4(k=1,x=5) b5(k=2,x=7) a6(k=3) b7(k=3,x=1)",
         (1, 2.5, -3.0, None)),
    rows("functions of a block", "SEQ(A+ a, B b) SEMANTICS contiguous RETURN "
         "count(DISTINCT a[].x) AS n, median(a[].x) AS m, stddev(a[].x) AS s, first(a.x) AS f, "
         "last(a[].x) AS l, a[2].x AS second, string_agg(a[].name, '+') AS names, "
         "array(a[].x) AS x",
         "a1(x=2,name=u) a2(x=2) a3(x=8,name=w) a4(name=y) b5",
         (0, None, None, None, None, None, "y", [None]),
         (1, 8.0, None, 8, None, None, "w+y", [8, None]),
         (2, 5.0, 18**0.5, 2, None, 8, "w+y", [2, 8, None]),
         (2, 2.0, 12**0.5, 2, None, 2, "u+w+y", [2, 2, 8, None])),
    rows("the latest block", "SEQ((SEQ(A+ a, B))+, C c) SEMANTICS contiguous "
         "RETURN count(DISTINCT a[].x) AS n, array(a[].x) AS last, a.x",
         "a1(x=1) b2 a3(x=2) a4(x=2) b5 c6",
         (1, [2], [2]), (1, [2, 2], [2, 2]), (1, [2, 2], [1, 2, 2])),
    rows("functions of no block", "SEQ(A a, B* b, C c) SEMANTICS contiguous RETURN "
         "count(DISTINCT b[].x) AS n, median(b[].x) AS m, array(b[].x) AS x, b[2].x AS second, "
         "string_agg(b[].name, '') AS names", "a1 c2(x=1,name=z)", (0, None, [], None, None)),
    *trends("a negated event and IN", "SEQ(A a, !N n, B b) WHERE n.x IN (1, 2)",
            "a1 n2(x=3) b3 n4(x=1) b5", 1),
    *trends("IS NULL of a type that lacks the attribute", "SEQ(ANY(A, B) v, C c) "
            "WHERE v.x IS NULL", "a1(y=1) b2(x=1) c3(y=1)", 1,
            schemas={"A": ["y"], "B": ["x"], "C": ["y"]}),
    counted("neighbours by a function", "A+ a WHERE lower(a.name) = lower(NEXT(a).name)",
            "a1(name=x) a2(name=X) a3(name=y)", 4),
]  # fmt: skip
