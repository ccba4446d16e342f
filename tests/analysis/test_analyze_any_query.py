"""Whatever parses either binds or is refused with a message that points into the text."""

from hypothesis import given, settings

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
    used = {name: value for name, value in VALUES.items() if f":{name}" in text}
    try:
        analyze(tree, Source(text), schema=schema, parameters=used)
    except BindingError as error:
        assert error.diagnostics
        for each in error.diagnostics:
            assert each.location is not None
            assert each.location.line_text in text
            assert each.render() in str(error)


@given(strategies.queries())
@settings(max_examples=150, deadline=None)
def test_any_query_against_a_closed_schema(query):
    analyze_text(print_query(query), event_schema())


@given(strategies.queries())
@settings(max_examples=150, deadline=None)
def test_any_query_against_an_open_schema(query):
    analyze_text(print_query(query), OPEN_SCHEMA)
