"""Every word of a query has a colour, and none is taken for another."""

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, String

from cepheid.language.describe_syntax_error import CLAUSES
from cepheid.language.pygments_lexer import CepheidLexer
from tests.language.test_reference import EXAMPLES


def kinds(text):
    return {value: kind for kind, value in CepheidLexer().get_tokens(text)}


@pytest.mark.parametrize("example", EXAMPLES, ids=[each.splitlines()[0] for each in EXAMPLES])
def test_no_sign_is_unknown(example):
    tokens = list(CepheidLexer().get_tokens(example))
    assert "".join(value for _, value in tokens).strip() == example.strip()
    assert [value for kind, value in tokens if kind is Error] == []


def test_words():
    where = "lower(a.within) IN ('x', :list) AND a.p > 10 min"
    found = kinds(f"PATTERN SEQ(Trade a) WHERE {where} -- note")
    assert found["PATTERN"] is found["WHERE"] is Keyword
    assert found["SEQ"] is found["IN"] is Operator.Word
    assert found["Trade"] is Name.Class
    assert found["lower"] is Name.Function
    assert found["within"] is Name.Attribute
    assert found["'x'"] is String
    assert found[":list"] is Name.Variable
    assert found["10"] is Number
    assert found["min"] is Keyword.Type
    assert found["-- note"] is Comment.Single


@pytest.mark.parametrize("clause", CLAUSES.values())
def test_every_clause_is_a_keyword(clause):
    assert kinds(f"{clause} x")[clause] is Keyword
