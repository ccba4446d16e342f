"""WHERE: text to tree."""

import pytest

from cepheid.language import ast
from cepheid.language.ast import (
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Case,
    Cast,
    Comparison,
    Equivalence,
    Function,
    In,
    Indexed,
    IndexKind,
    Interval,
    IsDistinct,
    IsNull,
    Like,
    Literal,
    Name,
    Negative,
    Not,
    Or,
    Parameter,
    Path,
    Star,
    StrategyName,
    StrategyTerm,
    TypedLiteral,
)
from cepheid.language.parser import parse


def where(text):
    return parse(f"PATTERN SEQ(A a, B b) WHERE {text}").where


def value(text):
    """Return the left side of a comparison."""
    return where(f"{text} = 0").operands[0]


def equals(left, right):
    return Comparison((left, right), ("=",))


EVERY_X = Attribute("a", "x", IndexKind.ALL)
AX, BX = Attribute("a", "x"), Attribute("b", "x")
P, Q, R = (equals(Attribute("a", each), Literal(1)) for each in "pqr")


@pytest.mark.parametrize(
    ("written", "operator"),
    [
        ("=", "="), ("==", "="), ("!=", "!="), ("<>", "!="), ("≠", "!="), ("<", "<"),
        ("<=", "<="), ("≤", "<="), (">", ">"), (">=", ">="), ("≥", ">="),
    ],
)  # fmt: skip
def test_comparisons(written, operator):
    assert where(f"a.x {written} b.x") == Comparison((AX, BX), (operator,))
    assert where(f"a.x{written}b.x") == Comparison((AX, BX), (operator,))


def test_comparisons_chain():
    kindle, case, stylus = (
        Attribute(each, "userId") for each in ("Kindle", "KindleCase", "Stylus")
    )
    text = "Kindle.userId=KindleCase.userId=Stylus.userId"
    assert where(text) == Comparison((kindle, case, stylus), ("=", "="))
    assert where("0 < a.x <= b.x").operators == ("<", "<=")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.p = 1 AND a.q = 1 AND a.r = 1", And((P, Q, R))),
        ("a.p = 1 and a.q = 1", And((P, Q))),
        ("a.p = 1 & a.q = 1", And((P, Q))),
        ("a.p = 1 ∧ a.q = 1", And((P, Q))),
        ("a.p = 1 OR a.q = 1", Or((P, Q))),
        ("a.p = 1 | a.q = 1", Or((P, Q))),
        ("a.p = 1 \N{LOGICAL OR} a.q = 1", Or((P, Q))),
        ("NOT a.p = 1", Not(P)),
        ("!(a.p = 1)", Not(P)),
        ("¬ a.p = 1", Not(P)),
        ("NOT NOT a.p = 1", Not(Not(P))),
        ("a.p = 1 OR a.q = 1 AND a.r = 1", Or((P, And((Q, R))))),
        ("(a.p = 1 OR a.q = 1) AND a.r = 1", And((Or((P, Q)), R))),
        ("NOT a.p = 1 AND a.q = 1", And((Not(P), Q))),
        ("NOT (a.p = 1 AND a.q = 1)", Not(And((P, Q)))),
        ("TRUE", Literal(True)),
        ("True AND false", And((Literal(True), Literal(False)))),
    ],
)
def test_boolean_logic(text, expected):
    assert where(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.x + 1", Arithmetic("+", AX, Literal(1))),
        ("a.x - b.x - 1", Arithmetic("-", Arithmetic("-", AX, BX), Literal(1))),
        ("a.x - (b.x - 1)", Arithmetic("-", AX, Arithmetic("-", BX, Literal(1)))),
        ("a.x + b.x * 2", Arithmetic("+", AX, Arithmetic("*", BX, Literal(2)))),
        ("(a.x + b.x) * 2", Arithmetic("*", Arithmetic("+", AX, BX), Literal(2))),
        ("a.x / b.x % 7", Arithmetic("%", Arithmetic("/", AX, BX), Literal(7))),
        ("-a.x * 2", Arithmetic("*", Negative(AX), Literal(2))),
        ("a.x - -1", Arithmetic("-", AX, Literal(-1))),
        ("-(a.x + 1)", Negative(Arithmetic("+", AX, Literal(1)))),
        ("a.x-b.x", Arithmetic("-", AX, BX)),
    ],
)
def test_arithmetic(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("80%*a.x", Arithmetic("*", Literal(0.8), AX)),
        ("80% * a.x", Arithmetic("*", Literal(0.8), AX)),
        ("2.5%", Literal(0.025)),
        ("a.x %500", Arithmetic("%", AX, Literal(500))),
        ("a.x % 500", Arithmetic("%", AX, Literal(500))),
        ("500 % a.x", Arithmetic("%", Literal(500), AX)),
        ("500%a.x", Arithmetic("%", Literal(500), AX)),
        ("500 % (a.x)", Arithmetic("%", Literal(500), AX)),
    ],
)
def test_percent_is_a_literal_only_where_no_operand_follows(text, expected):
    assert value(text) == expected


@pytest.mark.parametrize("word", ["AND a.y = 1", "OR a.y = 1", "WITHIN 5 s", "RETURN a.x", ""])
def test_a_percentage_may_end_a_condition(word):
    found = where(f"a.x < 80% {word}")
    comparison = found if isinstance(found, Comparison) else found.operands[0]
    assert comparison == Comparison((AX, Literal(0.8)), ("<",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1), ("-1", -1), ("1.5", 1.5), (".5", 0.5), ("1e3", 1000.0), ("2.5E-1", 0.25),
        ("'food'", "food"), ('"food"', "food"), ("'it''s'", "it's"), ('"a ""b"""', 'a "b"'),
        ("''", ""), ("'-- no comment /* '", "-- no comment /* "), ("TRUE", True), ("null", None),
    ],
)  # fmt: skip
def test_literals(text, expected):
    found = where(f"a.x = {text}").operands[1]
    assert found == Literal(expected)
    assert type(found.value) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[id]", Equivalence(("id",))),
        ("[job,mapper]", Equivalence(("job", "mapper"))),
        ("[driver, rider, district]", Equivalence(("driver", "rider", "district"))),
        ("[name='John']", Equivalence(("name",), Literal("John"))),
        ("[name == 'John']", Equivalence(("name",), Literal("John"))),
        ("[level = -2]", Equivalence(("level",), Literal(-2))),
        ("[is_open = TRUE]", Equivalence(("is_open",), Literal(True))),
        ("[name = :who]", Equivalence(("name",), Parameter("who"))),
        ("[within]", Equivalence(("within",))),
    ],
)
def test_equivalence_tests(text, expected):
    assert where(text) == expected
    assert where(f"a.p = 1 AND {text}") == And((P, expected))


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("a[1].x", IndexKind.FIRST),
        ("a[i].x", IndexKind.CURRENT),
        ("a[I].x", IndexKind.CURRENT),
        ("a[i-1].x", IndexKind.PREVIOUS),
        ("a[ i - 1 ].x", IndexKind.PREVIOUS),
        ("a[..i-1].x", IndexKind.BEFORE),
        ("a[a.LEN].x", IndexKind.LAST),
        ("a[a.Len].x", IndexKind.LAST),
        ("a[ a.len ].x", IndexKind.LAST),
        ("a[].x", IndexKind.ALL),
    ],
)
def test_indexes(text, index):
    assert value(text) == Attribute("a", "x", index)


def test_attributes_without_an_index():
    assert value("a.x") == AX
    assert value("a.LEN") == Attribute("a", "LEN")
    assert value("category") == Name("category")
    assert value("NEXT(S).price") == Attribute("S", "price", is_next=True)
    assert value("next( S ).price") == Attribute("S", "price", is_next=True)


@pytest.mark.parametrize("function", ["avg", "SUM", "Min", "max", "count"])
@pytest.mark.parametrize("index", [IndexKind.BEFORE, IndexKind.ALL, IndexKind.PREVIOUS])
def test_aggregates_of_a_block(function, index):
    argument = Attribute("a", "x", index)
    assert value(f"{function}(a{index.value}.x)") == Call(function.upper(), argument)


def test_other_calls():
    assert value("count(a[])") == Call("COUNT", Indexed("a", IndexKind.ALL))
    assert value("COUNT(*)") == Call("COUNT", Star())
    assert value("EXACT COUNT( * )") == Call("COUNT", Star(), exact=True)
    assert value("LOG2(COUNT(*))") == Call("LOG2", Call("COUNT", Star()))
    assert value("Median(a.x, 2)") == Function("median", (AX, Literal(2)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.x IN (1, b.x)", In(AX, (Literal(1), BX))),
        ("a.x NOT IN :list", Not(In(AX, (Parameter("list"),)))),
        ("a.x BETWEEN 1 AND 2 AND TRUE", And((Between(AX, Literal(1), Literal(2)), Literal(True)))),
        ("a.x NOT BETWEEN 1 AND 2", Not(Between(AX, Literal(1), Literal(2)))),
        ("a.x LIKE 'a%'", Like("LIKE", AX, Literal("a%"))),
        ("a.x not ilike 'a!%' escape '!'", Not(Like("ILIKE", AX, Literal("a!%"), "!"))),
        ("a.x RLIKE '^a'", Like("RLIKE", AX, Literal("^a"))),
        ("a.x IS NULL", IsNull(AX)),
        ("a.x IS NOT NULL", Not(IsNull(AX))),
        ("a.x IS DISTINCT FROM b.x", IsDistinct(AX, BX)),
        ("first(a[].x)", Attribute("a", "x", IndexKind.FIRST)),
        ("last(a.x)", Attribute("a", "x", IndexKind.LAST)),
        ("a[2].x", Function("nth", (EVERY_X, Literal(2)))),
        ("count(DISTINCT a[].x)", Function("count_distinct", (EVERY_X,))),
        ("count(distinct.x)", Call("COUNT", Attribute("distinct", "x"))),
        ("a.x is not distinct  from b.x", Not(IsDistinct(AX, BX))),
        ("a.x || 'b' || b.x", Function("concat", (AX, Literal("b"), BX))),
        ("CAST(a.x AS decimal(10,2))", Cast(AX, "DECIMAL(10, 2)")),
        ("CASE WHEN TRUE THEN a.x END", Case(None, ((Literal(True), AX),), None)),
        ("CASE a.x WHEN 1 THEN 2 ELSE 3 END",
         Case(AX, ((Literal(1), Literal(2)),), Literal(3))),
        ("1h 30min", Interval(((1, "h"), (30, "min")))),
        ("INTERVAL '1 hour 30 minutes'", Interval(((1, "hour"), (30, "minutes")))),
        ("DATE '2024-01-31'", TypedLiteral("DATE", "2024-01-31")),
        ("a.x.os", Path(AX, ("os",))),
        ("a.x['k'].v[3]", Path(AX, (Literal("k"), "v", Literal(3)))),
        (r"E'a\n\'b\u00e4'", Literal("a\n'bä")),
    ],
)  # fmt: skip
def test_words_of_sql(text, expected):
    (item,) = parse(f"PATTERN A RETURN {text}").returns
    assert item.expression == expected


@pytest.mark.parametrize(
    ("written", "strategy"),
    [
        ("skip_till_any_match", StrategyName.SKIP_TILL_ANY_MATCH),
        ("skip-till-any-match", StrategyName.SKIP_TILL_ANY_MATCH),
        ("SKIP_TILL_NEXT_MATCH", StrategyName.SKIP_TILL_NEXT_MATCH),
        ("skip-till-next-match", StrategyName.SKIP_TILL_NEXT_MATCH),
        ("contiguous", StrategyName.CONTIGUOUS),
        ("partition_contiguity", StrategyName.PARTITION_CONTIGUITY),
        ("partition-contiguity", StrategyName.PARTITION_CONTIGUITY),
        ("strict_contiguity", StrategyName.STRICT_CONTIGUITY),
        ("Strict-Contiguity", StrategyName.STRICT_CONTIGUITY),
    ],
)
class TestStrategies:
    def test_as_a_function_with_a_body(self, written, strategy):
        found = where(f"{written}(a[], b) {{ [id] and a.p = 1 }}")
        body = And((Equivalence(("id",)), P))
        assert found == StrategyTerm(strategy, ("a", "b"), body)

    def test_with_a_body_but_no_arguments(self, written, strategy):
        assert where(f"{written} {{a.p = 1}}") == StrategyTerm(strategy, None, P)

    def test_as_a_term_among_others(self, written, strategy):
        assert where(f"a.p = 1 AND {written}") == And((P, StrategyTerm(strategy)))
        assert where(f"{written}(a, b) AND a.p = 1").operands[0].variables == ("a", "b")

    def test_as_a_clause(self, written, strategy):
        query = parse(f"PATTERN A SEMANTICS {written} WITHIN 5")
        assert query.semantics == ast.Semantics(strategy)


def test_attribute_names_may_be_words_of_the_language():
    for word in (
        "from",
        "type",
        "within",
        "where",
        "and",
        "or",
        "not",
        "next",
        "true",
        "as",
        "seq",
    ):
        assert value(f"b[1].{word}") == Attribute("b", word, IndexKind.FIRST)
        assert where(f"a.{word} > b.{word}") == Comparison(
            (Attribute("a", word), Attribute("b", word)), (">",)
        )


@pytest.mark.parametrize("word", ["event", "output", "pattern", "into", "within"])
def test_variables_may_be_words_of_the_language(word):
    assert where(f"a.x > {word}.x") == Comparison((AX, Attribute(word, "x")), (">",))
    assert value(f"{word}[{word}.LEN].x") == Attribute(word, "x", IndexKind.LAST)


def test_hyphens_are_minus_in_expressions_and_backticks_make_names():
    assert value("a.x-b") == Arithmetic("-", AX, Name("b"))
    assert value("`SHELF-READING`.id") == Attribute("SHELF-READING", "id")


def test_parameters():
    assert where("a.x > :limit") == Comparison((AX, Parameter("limit")), (">",))
