"""Whatever parses either binds or is refused with a message that points into the text."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from cepheid.analysis.analyze import analyze
from cepheid.analysis.schema import OPEN_SCHEMA
from cepheid.errors import BindingError
from cepheid.language.parser import parse
from cepheid.language.printer import print_query
from cepheid.language.source import Source
from tests.analysis.schemas import event_schema
from tests.language import strategies

VALUES = {"w": 5, "limit": "3 hours", "Threshold_1": 2.5}


def analyze_text(text, schema):
    tree = parse(text)
    used = {name: VALUES[name] for name in re.findall(r"Parameter\(name='(\w+)'\)", repr(tree))}
    try:
        analyze(tree, Source(text), schema=schema, parameters=used)
    except BindingError as error:
        mistakes = error.diagnostics
        message = str(error)
    else:
        return
    assert mistakes
    for each in mistakes:
        assert each.location is not None
        assert each.location.line_text in text
        assert each.render() in message


@given(strategies.queries())
@settings(max_examples=100, deadline=None)
def test_any_query_against_a_closed_schema(query):
    analyze_text(print_query(query), event_schema())


@given(strategies.queries())
@settings(max_examples=100, deadline=None)
def test_any_query_against_an_open_schema(query):
    analyze_text(print_query(query), OPEN_SCHEMA)


PATTERNS = (
    "SEQ(Trade a, Quote b)", "SEQ(Trade a+, Quote b)", "SEQ(Trade a, !Halt c, Quote b)",
    "SEQ(!Halt c, Trade a, Quote b?)", "SEQ(Trade a, (Quote b, !Halt c)+)", "Trade a+ AND Quote b",
    "(SEQ(Trade a+, Quote b))+", "SEQ(Trade a, Quote b*, !(Halt c, News))", "Trade a OR Quote b",
    "SEQ(Trade a{1,3}, ANY(Quote, Halt) b)", "SEQ(Trade a, !(Quote b, !Halt c, News), Trade d)",
)  # fmt: skip
CONDITIONS = (
    "a.price > b.price", "[symbol]", "[symbol = 'X']", "a.symbol = b.symbol", "c.symbol = a.symbol",
    "a[i].price > a[i-1].price", "a[1].price > 3", "sum(a[..i-1].price) < b.price", "a.LEN > 2",
    "a.price < NEXT(a).price", "c.until > a.time", "c.is_short", "contiguous", "TRUE", "b.bid > 1",
    "skip_till_next_match(a, b)", "Trade.price > 2", "Quote.bid = Trade.price",
    "a[a.LEN].price = 1",
)  # fmt: skip
RESTS = (
    "", "WITHIN 5 s", "WITHIN 10 EVENTS", "RETURN COUNT(*)", "RETURN a.price, avg(a[].price)",
    "GROUP BY symbol RETURN COUNT(*), MAX(a.price) AS m HAVING m > 3 WITHIN 1 min SLIDE 5 s",
    "RETURN SUM(b.price), COUNT(c)", "WITHIN 5 s OUTPUT PARTIAL", "WITHIN 1 s BETWEEN a, b",
)  # fmt: skip


@st.composite
def plausible_texts(draw):
    """Queries about the schema's own names, most of them correct."""
    terms = draw(st.lists(st.sampled_from(CONDITIONS), min_size=1, max_size=3))
    joint = draw(st.sampled_from((" AND ", " OR ")))
    sign = draw(st.sampled_from(("", "NOT ")))
    where = joint.join(f"({each})" for each in terms) if joint == " OR " else joint.join(terms)
    where = f"{sign}({where})" if sign else where
    pattern, rest = draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(RESTS))
    return f"PATTERN {pattern} WHERE {where} {rest}"


@given(plausible_texts(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_plausible_queries(text, declared):
    analyze_text(text, event_schema(declared=declared))
