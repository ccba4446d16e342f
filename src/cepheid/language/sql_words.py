"""Words of SQL that the language does not have, and what to write instead.

Whoever adds one of them to the language takes it out here; a test compares the two.
"""

from __future__ import annotations

COMPUTE = "add it to the events as a column, or compute it from the result"
NEIGHBOURS = "write a[1].x, a[a.LEN].x, a[i-1].x or NEXT(a).x"
TEXT_TESTS = "write LIKE 'a%', ILIKE, or RLIKE with a regular expression"
ONE_QUERY = (
    "a query reads one stream: unite the events first, or read the results of a query (INTO)"
)

# Where a condition, a value or a clause is expected.
WORDS = {
    **dict.fromkeys(("REGEXP", "SIMILAR", "GLOB"), TEXT_TESTS),
    "EXISTS": "name the event in the pattern; for its absence write SEQ(A, !B, C)",
    "DISTINCT": "remove repetitions from the result",
    **dict.fromkeys(("OVER", "PARTITION"), "write [k] in WHERE, or GROUP BY k"),
    "SELECT": "a query starts with PATTERN or EVENT; its columns stand in RETURN",
    "FROM": "a query names no table: the events are given when it is run",
    **dict.fromkeys(("JOIN", "UNION", "EXCEPT", "INTERSECT"), ONE_QUERY),
    "WITH": "name a result by INTO and read it in another query",
    "ORDER": "sort the result",
    **dict.fromkeys(("LIMIT", "TOP", "FETCH"), "run the query with limit=10, or --limit 10"),
    "OFFSET": "cut the result",
    **dict.fromkeys(("DEFINE", "MEASURES"), "write WHERE for DEFINE and RETURN for MEASURES"),
    "MATCH_RECOGNIZE": "write PATTERN, WHERE and RETURN alone",
}

FUNCTIONS = {
    **dict.fromkeys(
        ("LOG", "TRUNC", "RAND", "SPLIT", "REGEXP_LIKE", "REGEXP_REPLACE",
         "IF", "IIF", "TRY_CAST", "CONVERT", "DATEDIFF", "TIMESTAMPDIFF", "EXTRACT",
         "NOW", "CURRENT_TIMESTAMP", "TO_TIMESTAMP", "UNIX_TIMESTAMP",
         "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP",
         "PERCENTILE", "PERCENTILE_APPROX", "COUNT_IF",
         "COLLECT_SET", "GROUP_CONCAT", "CORR", "ROW_NUMBER", "RANK",
         "DENSE_RANK"),
        COMPUTE,
    ),
    **dict.fromkeys(("FIRST_VALUE", "LAST_VALUE", "PREV", "LAG", "LEAD"), NEIGHBOURS),
    **dict.fromkeys(("ARRAY_AGG", "COLLECT_LIST"), "write array(a[].x), or a.x"),
    **dict.fromkeys(("STDDEV_POP", "STDDEV_SAMP"), "write stddev(a[].x), that of a sample"),
    "GROUP_CONCAT": "write string_agg(a[].x, ', ')",
    "APPROX_COUNT_DISTINCT": "write count(DISTINCT a[].x)",
    **dict.fromkeys(("IF", "IIF"), "write CASE WHEN c THEN x ELSE y END"),
    **dict.fromkeys(("TRY_CAST", "CONVERT"), "write CAST(x AS type): NULL if that fails"),
    **dict.fromkeys(("DATEDIFF", "TIMESTAMPDIFF"), "write b.time - a.time < 10 minutes"),
    **dict.fromkeys(
        ("EXTRACT", "DATE_PART", "DATEPART"),
        "write year(x), month(x), day(x), hour(x), minute(x) or second(x)",
    ),
    **dict.fromkeys(
        ("POSITION", "STRPOS", "INSTR", "LOCATE", "CHARINDEX"),
        "write contains(text, 'part') for whether it is there, and split_part(text, 'part', 1) for "
        "what is before it",
    ),
    "UNIX_TIMESTAMP": "write epoch(x)",
    "TO_TIMESTAMP": "write CAST(x AS TIMESTAMP)",
    "REGEXP_LIKE": "write x RLIKE 'pattern'",
    "LOG": "write ln(x) or log10(x)",
    "TRUNC": "write floor(x) or CAST(x AS INT); for times date_trunc('day', x)",
    "SPLIT": "write split_part(text, separator, number)",
    "EXISTS": WORDS["EXISTS"],
    "CLASSIFIER": "return v.type",
}  # fmt: skip


def not_here(word: str) -> str:
    """Say that the language does not have a word of SQL.

    >>> not_here("glob")
    'GLOB is not part of the language'
    """
    return f"{word.upper()} is not part of the language"
