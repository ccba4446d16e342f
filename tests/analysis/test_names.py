"""What the names of a query mean (semantics, section 2) and what the result is called."""

import pytest

from cepheid.analysis.bound import EventsColumn, ValueColumn
from cepheid.analysis.expressions import references
from tests.analysis.schemas import bind


def readings(where, pattern="SEQ(Trade a, Quote b)", **options):
    """Return the (variable, column) pairs that a condition reads."""
    query = bind(f"PATTERN {pattern} WHERE {where}", **options)
    return [
        (each.variable, each.attribute)
        for clause in query.pattern.clauses
        for each in references(clause.condition)
    ]


def test_a_variable_and_its_type_mean_the_same():
    assert readings("a.price > 1") == [("a", "price")]
    assert readings("Trade.price > 1") == [("a", "price")]


def test_a_type_means_all_its_positive_positions():
    query = bind("PATTERN SEQ(Trade a, !Trade n, Quote q, Trade b) WHERE Trade.price > 1")
    assert query.pattern.variables["Trade"].occurrences == (0, 3)


def test_a_variable_hides_a_type_of_the_same_name():
    pattern = "SEQ(Trade Quote, Quote q)"
    assert readings("Quote.volume > 1", pattern) == [("Quote", "volume")]


def test_occurrences_without_a_variable_are_called_by_type_and_number():
    query = bind("PATTERN SEQ(Trade, Quote, Trade)")
    assert query.pattern.positive_variables == ("Trade_1", "Quote", "Trade_2")


def test_a_bare_attribute_belongs_to_the_only_positive_variable():
    assert readings("price > 1", "Trade") == [("Trade", "price")]
    assert readings("price > 1", "Trade+ t") == [("t", "price")]


def test_type_and_time_are_the_role_columns_unless_the_data_has_such_columns():
    assert readings("a.type = 'Trade'") == [("a", "kind")]
    assert readings("a.time > '2024-01-31'") == [("a", "time")]
    own = {"Trade": {"type": "string"}, "Quote": {"type": "string"}}
    assert readings("a.type = 'limit'", types=own) == [("a", "type")]


def test_a_variable_of_several_types_has_the_attributes_of_any():
    pattern = "SEQ(Trade a, ANY(Quote, Halt) x)"
    assert readings("x.bid > 1 AND x.symbol = 'A'", pattern) == [("x", "bid"), ("x", "symbol")]


@pytest.mark.parametrize("text", ["2024-01-31", "2024-01-31 09:30:00", "2024-01-31T09:30:00+01:00"])
def test_text_compared_with_a_time_is_a_time(text):
    assert readings(f"'{text}' < h.until", "SEQ(Trade a, Halt h)") == [("h", "until")]


def columns_of(text, **options):
    query = bind(text, **options)
    return [each.output for each in query.matches or query.aggregates]


def test_without_return_a_match_has_every_attribute_of_every_positive_variable():
    columns = columns_of("PATTERN SEQ(Trade a, !Quote q, Halt+ h)")
    assert columns == [
        "a_symbol", "a_price", "a_volume", "a_time", "a_kind",
        "h_symbol", "h_is_short", "h_until", "h_time", "h_kind",
    ]  # fmt: skip


def test_columns_of_return():
    text = """PATTERN SEQ(Trade+ a[], Quote b) RETURN
        a.price, b.bid AS bid, a[1].price, a[a.LEN].price, sum(a[].price), count(a[]) AS n, a.LEN"""
    query = bind(text)
    assert [each.output for each in query.matches] == [
        "a_price", "bid", "a_first_price", "a_last_price", "sum_a_price", "n", "a_LEN",
    ]  # fmt: skip
    kinds = [type(each) for each in query.matches]
    assert kinds == [EventsColumn, EventsColumn] + [ValueColumn] * 5
    assert [each.is_array for each in query.matches[:2]] == [True, False]


def test_columns_of_an_aggregate_query():
    text = "PATTERN Trade a GROUP BY a.symbol RETURN symbol, COUNT(*), SUM(a.price) AS total"
    query = bind(text)
    assert [each.output for each in query.aggregates] == ["count", "total"]
    assert query.is_aggregate
    assert query.matches is None


def test_every_attribute_of_a_variable_or_of_all():
    def outputs(columns):
        query = bind(f"PATTERN SEQ(Trade a, !Quote n, Quote+ b) RETURN {columns}")
        return [(each.output, each.is_array) for each in query.matches]

    of_b = outputs("b.*")
    assert of_b == [(name, True) for name, _ in of_b]
    assert outputs("*") == [*outputs("a.*"), *of_b]
    query = bind("PATTERN SEQ(Trade a, Quote b) RETURN b.price - a.price AS gain, a.*")
    assert query.matches[0].output == "gain"
    assert len(query.matches) == 1 + len(outputs("a.*"))
