"""`:name` is replaced by a value before anything is bound."""

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import BindingError, ConfigError
from cepheid.language.printer import print_expression
from tests.analysis.schemas import bind


@pytest.mark.parametrize(
    ("value", "text"),
    [(10, "a.price > 10"), (2.5, "a.price > 2.5"), (-1, "a.price > -1"), (True, None)],
)
def test_values_in_where(value, text):
    query = "PATTERN Trade a WHERE a.price > :limit"
    if text is None:
        with pytest.raises(BindingError, match="cannot compare a float with a boolean"):
            bind(query, parameters={"limit": value})
    else:
        bound = bind(query, parameters={"limit": value})
        assert [each.text for each in bound.pattern.clauses] == [text]


def test_text_is_a_value_and_never_syntax():
    bound = bind("PATTERN Trade a WHERE a.symbol = :s", parameters={"s": "x' OR TRUE --"})
    assert [each.text for each in bound.pattern.clauses] == ["a.symbol = 'x'' OR TRUE --'"]


def test_a_parameter_may_occur_often_and_anywhere_a_value_may():
    bound = bind(
        "PATTERN SEQ(Trade a, Quote b) WHERE [symbol = :s] AND a.price > 2 * :p "
        "AND b.price < :p RETURN a.price + :p AS shifted WITHIN :w",
        parameters={"s": "IBM", "p": 3, "w": "5 min"},
    )
    texts = [each.text for each in bound.pattern.clauses]
    assert texts == ["a.price > 2 * 3", "b.price < 3", "a.symbol = 'IBM'", "b.symbol = 'IBM'"]
    assert bound.window.text == "WITHIN 5 min"


def test_having_may_use_a_parameter():
    bound = bind("PATTERN Trade RETURN COUNT(*) AS n HAVING n > :least", parameters={"least": 5})
    assert bound.having.right.value == 5


def test_the_bound_tree_has_no_parameters_left():
    bound = bind("PATTERN Trade WHERE price > :p WITHIN :w", parameters={"p": 1, "w": "5 s"})
    assert "Parameter" not in repr(bound.tree)


def test_every_missing_parameter_is_reported():
    with pytest.raises(BindingError) as caught:
        bind("PATTERN Trade WHERE price > :p AND volume > :v WITHIN :w")
    codes = [each.code for each in caught.value.diagnostics]
    assert codes == ["missing-parameter"] * 3


@pytest.mark.parametrize("value", [[1], float("nan"), float("inf"), object])
def test_what_is_no_value_is_refused(value):
    with pytest.raises(BindingError, match="bad-parameter"):
        bind("PATTERN Trade WHERE price > :p", parameters={"p": value})


NEW_YEAR = datetime.datetime(2024, 1, 1, 12)


@pytest.mark.parametrize(
    ("where", "value", "text"),
    [
        ("a.time > :p", NEW_YEAR, "a.time > '2024-01-01 12:00:00'"),
        ("a.time > :p", NEW_YEAR.date(), "a.time > '2024-01-01'"),
        ("a.price > :p", Decimal("2.50"), "a.price > 2.50"),
        ("a.price > :p", None, "a.price > NULL"),
        ("a.symbol IN :p", ["A", "B"], "a.symbol IN ('A', 'B')"),
        ("a.symbol NOT IN (:p, 'C')", ("A",), "NOT (a.symbol IN ('A', 'C'))"),
        ("a.symbol IN :p", ["A"], "a.symbol = 'A'"),
        ("a.symbol IN :p", set(), "FALSE"),
        ("a.time - DATE '2024-01-01' < :p", datetime.timedelta(seconds=2),
         "microseconds(a.time) - microseconds('2024-01-01') < 2000000 us"),
    ],
)  # fmt: skip
def test_values_of_python(where, value, text):
    bound = bind(f"PATTERN Trade a WHERE {where}", parameters={"p": value})
    assert [each.text for each in bound.pattern.clauses] == [text]


def test_a_timedelta_is_a_window():
    length = datetime.timedelta(minutes=5)
    bound = bind("PATTERN SEQ(Trade a, Trade b) WITHIN :w", parameters={"w": length})
    assert bound.window.length == 300_000_000


def test_a_list_is_for_in():
    with pytest.raises(BindingError, match="write x IN :p"):
        bind("PATTERN Trade a WHERE a.price = :p", parameters={"p": [1]})


@pytest.mark.parametrize("value", [True, "soon", "5 5", float("inf"), "-3 s"])
def test_what_is_no_duration_is_refused(value):
    with pytest.raises(BindingError, match="bad-parameter"):
        bind("PATTERN Trade WITHIN :w", parameters={"w": value})


def test_a_parameter_that_the_query_lacks_is_refused():
    with pytest.raises(ConfigError, match="did you mean ':limit'"):
        bind("PATTERN Trade WHERE price > :limit", parameters={"limit": 1, "limits": 2})


@pytest.mark.parametrize(
    ("value", "kind"),
    [(Decimal("2.50"), "decimal128(3, 2)"), (Decimal("1E+2"), "decimal128(3, 0)")],
)
def test_a_decimal_is_a_column_of_decimals(value, kind):
    table = pa.table({"time": [1, 2], "x": [1.0, 3.0]})
    query = cepheid.query("PATTERN A a WHERE a.x < :p RETURN :p AS p", parameters={"p": value})
    result = query.run(table, time="time")
    assert str(result.schema.field("p").type) == kind
    assert set(result.column("p").to_pylist()) == {value}


def test_what_a_parameter_may_be_is_told():
    with pytest.raises(BindingError, match="a timedelta or None; a list of such for IN"):
        bind("PATTERN Trade WHERE price > :p", parameters={"p": object()})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (np.int64(3), "3"),
        (np.float32(1.5), "1.5"),
        (np.bool_(True), "TRUE"),
        (np.str_("x"), "'x'"),
        (np.datetime64("2024-01-31T10:00:00.123456789"), "TIMESTAMP '2024-01-31 10:00:00.123456'"),
    ],
)
def test_values_of_numpy(given, said):
    bound = bind("PATTERN Trade a RETURN :p AS v", parameters={"p": given})
    assert print_expression(bound.tree.returns[0].expression) == said


@pytest.mark.parametrize("given", [np.array([1, 2]), [np.int64(1), 2], (np.int8(1), np.int64(2))])
def test_lists_of_numpy(given):
    bound = bind("PATTERN Trade a WHERE a.price IN :p", parameters={"p": given})
    assert [each.value for each in bound.tree.where.values] == [1, 2]
