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

IN_A_LIST = "write a.x IN (1, 2, 3), or join comparisons with OR"
RESHAPE = "reshape the events before they are read"
GIVEN = "events are given when the query is run; what it finds is its result"

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
    "AFTER": "write OUTPUT NON OVERLAPPING, or OUTPUT LONGEST SKIP PAST LAST EVENT",
    "ONE": "every match is one row, with arrays for repeated events",
    "SUBSET": "write ANY(A, B) c for an event of several types, and c stands for both",
    "MATCH_RECOGNIZE": "write PATTERN, WHERE and RETURN alone",
    "WINDOW": "write WITHIN 10 minutes, and SLIDE 5 minutes for windows that follow each other",
    **dict.fromkeys(("ROWS", "RANGE", "GROUPS"), "write WITHIN 5 EVENTS or WITHIN 10 minutes"),
    **dict.fromkeys(("INSERT", "UPDATE", "DELETE", "VALUES", "MERGE"), GIVEN),
    **dict.fromkeys(("GROUPING", "ROLLUP", "CUBE"), "write GROUP BY once for every grouping"),
    **dict.fromkeys(("FILTER", "QUALIFY"), "write the condition in WHERE, or in HAVING"),
    "SORT": "sort the result",
    "ISNULL": "write a.x IS NULL",
    "NOTNULL": "write a.x IS NOT NULL",
    "DIV": "write floor(a.x / 3)",
    "XOR": "write (c AND NOT d) OR (NOT c AND d)",
    "OVERLAPS": "compare the ends: a.start < b.end AND b.start < a.end",
    **dict.fromkeys(("UNNEST", "LATERAL", "PIVOT", "UNPIVOT", "TABLESAMPLE"), RESHAPE),
    "SOME": IN_A_LIST,
}

# Words of the language, where SQL has them and the language does not.
MISPLACED = {
    "ALL": "join comparisons with AND; with A+ a, a.x < 3 is said of all events of a",
    "ANY": IN_A_LIST,
    "ESCAPE": "it follows LIKE: a.x LIKE '10!%' ESCAPE '!'",
    "INTERVAL": "write INTERVAL '10 minutes', or 10 minutes",
    "MOD": "write a.x % 3, or mod(a.x, 3)",
    "CONTAINS": "write contains(a.x, 'part'), or a.x LIKE '%part%'",
}

# What a misspelt word between two values may be meant for.
OPERATORS = (
    "AND", "OR", "NOT", "IN", "IS", "LIKE", "ILIKE", "RLIKE", "BETWEEN", "ESCAPE", "CASE", "WHEN",
    "THEN", "ELSE", "END", "CAST", "DISTINCT FROM",
)  # fmt: skip

FUNCTIONS = {
    **dict.fromkeys(
        ("LOG", "TRUNC", "RAND", "SPLIT", "REGEXP_LIKE", "REGEXP_REPLACE",
         "IF", "IIF", "TRY_CAST", "CONVERT", "DATEDIFF", "TIMESTAMPDIFF", "EXTRACT",
         "NOW", "CURRENT_TIMESTAMP", "TO_TIMESTAMP", "UNIX_TIMESTAMP",
         "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP",
         "PERCENTILE", "PERCENTILE_APPROX", "COUNT_IF",
         "COLLECT_SET", "GROUP_CONCAT", "CORR", "ROW_NUMBER", "RANK",
         "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE",
         "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "SINH", "COSH", "TANH"),
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
    "TRUNCATE": "write floor(x) or CAST(x AS INT)",
    "LEFT": "write substr(text, 1, length)",
    "RIGHT": "write substr(text, -length)",
    "OCTET_LENGTH": COMPUTE,
    **dict.fromkeys(("INT", "INTEGER", "BIGINT", "FLOAT", "BOOLEAN"), "write CAST(x AS type)"),
    "SPLIT": "write split_part(text, separator, number)",
    "EXISTS": WORDS["EXISTS"],
    "CLASSIFIER": "return v.type",
    **{each: WORDS[each] for each in ("SOME", "ISNULL", "NOTNULL", "GROUPING", "UNNEST")},
    **{each: MISPLACED[each] for each in ("ALL", "ANY")},
}  # fmt: skip


def not_here(word: str) -> str:
    """Say that the language does not have a word of SQL, or has it elsewhere.

    >>> not_here("glob")
    'GLOB is not part of the language'
    >>> not_here("escape")
    'ESCAPE cannot stand here'
    """
    if word.upper() in MISPLACED:
        return f"{word.upper()} cannot stand here"
    return f"{word.upper()} is not part of the language"
