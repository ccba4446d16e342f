"""Hypothesis strategies for syntax trees that a text can produce.

`queries()` gives trees with every kind of node. What the parser never builds is left out: a
sequence of one part, the sign of a number (it is part of the number), a value in `[a, b]`.
"""

from dataclasses import replace

from hypothesis import strategies as st

from cepheid.language import ast

OTHER_FUNCTIONS = ("lower", "round", "coalesce", "median", "cast", "x y")
TYPES = ("INT", "DECIMAL(10, 2)", "STRING")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
FUNCTIONS = ("COUNT", "SUM", "AVG", "MIN", "MAX", "LOG2")
UNITS = ("ms", "s", "min", "hours", "days", "event", "events", "fortnights")

# Words with a meaning elsewhere, and names that need backticks.
AWKWARD_NAMES = (
    "where", "Within", "FROM", "type", "next", "true", "NULL", "not", "and", "or", "group_by",
    "contiguous", "seq", "any", "exact", "output", "into", "as", "event", "i", "len", "é", "_x",
    "a b", "2nd", "x-y", "a.b", "p%",
)  # fmt: skip
AWKWARD_TYPES = (
    "SHELF-READING",
    "Not-Delivered",
    "seq",
    "ANY",
    "not",
    "where",
    "A b",
    "x.y",
    "1st",
)

names = st.sampled_from(("a", "b", "S", "price", "volume_2")) | st.sampled_from(AWKWARD_NAMES)
types = st.sampled_from(("A", "B", "Stock", "Exit_3")) | st.sampled_from(AWKWARD_TYPES)
parameters = st.sampled_from(("w", "limit", "Threshold_1")).map(ast.Parameter)

numbers = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
literals = st.builds(ast.Literal, st.none() | st.booleans() | numbers | texts)


# --- patterns -----------------------------------------------------------------------------------


def event_patterns() -> st.SearchStrategy[ast.EventPattern]:
    some_types = st.lists(types, min_size=1, max_size=3).map(tuple)
    return st.builds(ast.EventPattern, some_types, st.none() | names)


@st.composite
def repetitions(draw: st.DrawFn, inner: st.SearchStrategy[ast.Pattern]) -> ast.Repeat:
    minimum = draw(st.integers(0, 4))
    maximum = draw(st.none() | st.integers(max(1, minimum), 6))
    return ast.Repeat(draw(inner), minimum, maximum)


def _patterns_over(inner: st.SearchStrategy[ast.Pattern]) -> st.SearchStrategy[ast.Pattern]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return (
        st.builds(ast.Sequence, several)
        | repetitions(inner)
        | st.builds(ast.Alternation, several)
        | st.builds(ast.Conjunction, several)
        | st.builds(ast.Negation, inner)
    )


def patterns() -> st.SearchStrategy[ast.Pattern]:
    """Any pattern, also those that break the rules of negation and AND."""
    return st.recursive(event_patterns(), _patterns_over, max_leaves=6)


# --- expressions --------------------------------------------------------------------------------


def _references() -> st.SearchStrategy[ast.Expression]:
    indexes = st.sampled_from(ast.IndexKind)
    return (
        st.builds(ast.Name, names)
        | st.builds(ast.Indexed, names, indexes)
        | st.builds(ast.Attribute, names, names, st.none() | indexes)
        | st.builds(ast.Attribute, names, names, is_next=st.just(True))
    )


def _equivalences() -> st.SearchStrategy[ast.Equivalence]:
    plain = st.builds(ast.Equivalence, st.lists(names, min_size=1, max_size=3).map(tuple))
    values = literals.filter(lambda literal: literal.value is not None) | parameters
    return plain | st.builds(ast.Equivalence, st.tuples(names), values)


def _is_number(node: ast.Expression) -> bool:
    if not isinstance(node, ast.Literal):
        return False
    return isinstance(node.value, int | float) and not isinstance(node.value, bool)


@st.composite
def _comparisons(draw: st.DrawFn, inner: st.SearchStrategy[ast.Expression]) -> ast.Comparison:
    operators = draw(st.lists(st.sampled_from(COMPARISONS), min_size=1, max_size=2).map(tuple))
    operands = [draw(inner) for _ in range(len(operators) + 1)]
    return ast.Comparison(tuple(operands), operators)


def _tests_of_sql(inner: st.SearchStrategy[ast.Expression]) -> st.SearchStrategy[ast.Expression]:
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    branches = st.lists(st.tuples(inner, inner), min_size=1, max_size=2).map(tuple)
    operators = st.sampled_from(("LIKE", "ILIKE", "RLIKE"))
    escapes = st.none() | st.sampled_from("!'\\")
    return (
        st.builds(ast.In, inner, several)
        | st.builds(ast.Between, inner, inner, inner)
        | st.builds(ast.Like, operators, inner, inner, escapes)
        | st.builds(ast.IsNull, inner)
        | st.builds(ast.IsDistinct, inner, inner)
        | st.builds(ast.Function, st.sampled_from(OTHER_FUNCTIONS), several)
        | st.builds(ast.Case, st.none() | inner, branches, st.none() | inner)
        | st.builds(ast.Cast, inner, st.sampled_from(TYPES))
    )


def _paths() -> st.SearchStrategy[ast.Expression]:
    keys = st.builds(ast.Literal, st.integers(-9, 9) | st.sampled_from(("k", "it's")))
    steps = st.lists(names | keys, min_size=1, max_size=2).map(tuple)
    return st.builds(ast.Path, st.builds(ast.Attribute, names, names), steps)


def _times() -> st.SearchStrategy[ast.Expression]:
    lengths = st.tuples(st.integers(0, 99), st.sampled_from(("ms", "s", "min", "hours")))
    kinds = st.sampled_from(("DATE", "TIMESTAMP", "DECIMAL"))
    return st.builds(ast.Interval, st.lists(lengths, min_size=1, max_size=2).map(tuple)) | (
        st.builds(ast.TypedLiteral, kinds, st.sampled_from(("2024-01-31", "1.5", "it's")))
    )


def _expressions_over(
    inner: st.SearchStrategy[ast.Expression],
) -> st.SearchStrategy[ast.Expression]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    some_names = st.none() | st.lists(names, max_size=2).map(tuple)
    return (
        st.builds(ast.Negative, inner.filter(lambda node: not _is_number(node)))
        | st.builds(ast.Arithmetic, st.sampled_from("+-*/%"), inner, inner)
        | _comparisons(inner)
        | _tests_of_sql(inner)
        | st.builds(ast.And, several)
        | st.builds(ast.Or, several)
        | st.builds(ast.Not, inner)
        | st.builds(
            ast.Call, st.sampled_from(FUNCTIONS), inner | st.builds(ast.Star), st.booleans()
        )
        | st.builds(
            ast.StrategyTerm, st.sampled_from(ast.StrategyName), some_names, st.none() | inner
        )
    )


def expressions() -> st.SearchStrategy[ast.Expression]:
    """Any expression, also those that make no sense."""
    leaves = literals | parameters | _references() | _equivalences() | _paths() | _times()
    return st.recursive(leaves, _expressions_over, max_leaves=8)


# --- clauses ------------------------------------------------------------------------------------


def durations() -> st.SearchStrategy[ast.Duration]:
    positive = st.integers(0, 10**12) | st.floats(0, 1e12)
    plain = st.builds(ast.Duration, positive | parameters, st.none() | st.sampled_from(UNITS))
    part = st.builds(ast.Duration, positive, st.sampled_from(("h", "min", "seconds")))
    more = st.lists(part, min_size=1, max_size=2).map(tuple)
    return plain | st.builds(ast.Duration, positive, st.just("days"), more)


def queries() -> st.SearchStrategy[ast.Query]:
    """Whole queries with any of the clauses."""
    return st.builds(
        ast.Query,
        pattern=patterns(),
        semantics=st.none() | st.builds(ast.Semantics, st.sampled_from(ast.StrategyName)),
        where=st.none() | expressions(),
        window=st.none() | st.builds(ast.Window, durations(), st.none() | durations()),
        neighbour_windows=st.lists(
            st.builds(ast.NeighbourWindow, durations(), names, names), max_size=1
        ).map(tuple),
        group_by=st.lists(expressions(), max_size=2).map(tuple),
        returns=st.lists(
            st.builds(ast.ReturnItem, expressions(), st.none() | names)
            | st.builds(ast.ReturnItem, st.builds(ast.Star, st.none() | names)),
            max_size=2,
        ).map(tuple),
        having=st.none() | expressions(),
        output=st.none() | st.sampled_from(ast.OutputMode),
        into=st.none() | types,
    ).flatmap(with_skip)


def with_skip(query: ast.Query) -> st.SearchStrategy[ast.Query]:
    """A rule between matches, where there can be one."""
    if query.output not in (ast.OutputMode.LONGEST, ast.OutputMode.SHORTEST):
        return st.just(query)
    to = st.sampled_from((ast.SkipTo.NEXT_EVENT, ast.SkipTo.PAST_LAST_EVENT))
    named = st.sampled_from((ast.SkipTo.FIRST, ast.SkipTo.LAST))
    rules = st.none() | st.builds(ast.Skip, to) | st.builds(ast.Skip, named, names)
    return rules.map(lambda skip: replace(query, skip=skip))
