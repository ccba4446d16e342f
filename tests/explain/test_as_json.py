import json
from dataclasses import asdict, fields

import pytest

from cepheid.explain.as_json import VERSION, as_json
from cepheid.explain.document import Explanation
from tests.explain.plans import QUERIES, explanation_of


def lists(value):
    """Tuples as lists, as JSON has it."""
    if isinstance(value, dict):
        return {key: lists(each) for key, each in value.items()}
    return [lists(each) for each in value] if isinstance(value, tuple | list) else value


@pytest.mark.parametrize("name", QUERIES)
def test_nothing_is_lost(name):
    explanation = explanation_of(QUERIES[name])
    content = json.loads(as_json(explanation))
    assert content.pop("version") == VERSION
    assert content == lists(asdict(explanation))


def test_keys_have_a_fixed_order():
    content = json.loads(as_json(explanation_of("PATTERN A")))
    assert list(content) == ["version", *(each.name for each in fields(Explanation))]
