"""Words of SQL that the language does not have, and what to write instead.

Whoever adds one of them to the language takes it out here; a test compares the two.
"""

from __future__ import annotations

COMPUTE = "add it to the events as a column, or compute it from the result"
NEIGHBOURS = "write a[1].x, a[a.LEN].x, a[i-1].x or NEXT(a).x"
TEXT_TESTS = "compare whole strings with = or !=, or add a column to the events that says it"
NULL_TESTS = (
    "x = x holds if x has a value; for the contrary add a column to the events that says it"
)
ONE_QUERY = (
    "a query reads one stream: unite the events first, or read the results of a query (INTO)"
)

# Where a condition, a value or a clause is expected.
WORDS = {
    **dict.fromkeys(("LIKE", "ILIKE", "RLIKE", "REGEXP", "SIMILAR", "GLOB"), TEXT_TESTS),
    "IN": "write x = 1 OR x = 2",
    "IS": NULL_TESTS,
    **dict.fromkeys(("CASE", "WHEN", "THEN", "ELSE"), COMPUTE),
    "BETWEEN": "write x >= low AND x <= high",
    "EXISTS": "name the event in the pattern; for its absence write SEQ(A, !B, C)",
    "DISTINCT": "remove repetitions from the result",
    **dict.fromkeys(("OVER", "PARTITION"), "write [k] in WHERE, or GROUP BY k"),
    **dict.fromkeys(
        ("DATE", "TIMESTAMP", "TIME"), "write a time as a string: '2024-01-31 09:30:00'"
    ),
    "INTERVAL": "for a difference of times use WITHIN, or WITHIN … BETWEEN a, b",
    "SELECT": "a query starts with PATTERN or EVENT; its columns stand in RETURN",
    "FROM": "a query names no table: the events are given when it is run",
    **dict.fromkeys(("JOIN", "UNION", "EXCEPT", "INTERSECT"), ONE_QUERY),
    "WITH": "name a result by INTO and read it in another query",
    "ORDER": "sort the result",
    **dict.fromkeys(("LIMIT", "TOP", "FETCH", "OFFSET"), "cut the result"),
    **dict.fromkeys(("DEFINE", "MEASURES"), "write WHERE for DEFINE and RETURN for MEASURES"),
    "MATCH_RECOGNIZE": "write PATTERN, WHERE and RETURN alone",
    "ESCAPE": TEXT_TESTS,
}
# These the language has as well, for something else.
ELSEWHERE = {"BETWEEN": "WITHIN … BETWEEN a, b"}

FUNCTIONS = {
    **dict.fromkeys(
        ("ROUND", "FLOOR", "CEIL", "CEILING", "ABS", "SQRT", "POWER", "POW", "EXP", "LN", "LOG",
         "LOG10", "SIGN", "GREATEST", "LEAST", "MOD", "TRUNC", "RAND",
         "LOWER", "UPPER", "TRIM", "LTRIM", "RTRIM", "LENGTH", "SUBSTRING", "SUBSTR", "CONCAT",
         "REPLACE", "SPLIT", "CONTAINS", "STARTSWITH", "ENDSWITH", "REGEXP_LIKE", "REGEXP_REPLACE",
         "COALESCE", "IFNULL", "NVL", "NULLIF", "IF", "IIF", "CAST", "TRY_CAST", "CONVERT",
         "DATE_TRUNC", "DATEDIFF", "TIMESTAMPDIFF", "EXTRACT", "YEAR", "MONTH", "DAY", "HOUR",
         "MINUTE", "SECOND", "NOW", "CURRENT_TIMESTAMP", "TO_TIMESTAMP", "UNIX_TIMESTAMP",
         "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP", "MEDIAN",
         "PERCENTILE", "PERCENTILE_APPROX", "APPROX_COUNT_DISTINCT", "COUNT_IF", "COLLECT_LIST",
         "COLLECT_SET", "ARRAY_AGG", "STRING_AGG", "GROUP_CONCAT", "CORR", "ROW_NUMBER", "RANK",
         "DENSE_RANK"),
        COMPUTE,
    ),
    **dict.fromkeys(("FIRST", "LAST", "FIRST_VALUE", "LAST_VALUE", "PREV", "LAG", "LEAD"),
                    NEIGHBOURS),
    "EXISTS": WORDS["EXISTS"],
    "CLASSIFIER": "return v.type",
}  # fmt: skip


def not_here(word: str) -> str:
    """Say that the language does not have a word of SQL.

    >>> not_here("like"), not_here("between")
    ('LIKE is not part of the language', 'BETWEEN is here a part of WITHIN … BETWEEN a, b only')
    """
    name = word.upper()
    if name in ELSEWHERE:
        return f"{name} is here a part of {ELSEWHERE[name]} only"
    return f"{name} is not part of the language"
