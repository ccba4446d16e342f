"""A word of SQL that the language does not have is named as such."""

from pathlib import Path

import pytest

import cepheid
from cepheid.analysis.bind_aggregates import FUNCTIONS as OWN_FUNCTIONS
from cepheid.analysis.functions import BY_NAME
from cepheid.language import describe_syntax_error, sql_words

GRAMMAR = Path(sql_words.__file__).with_name("grammar.lark").read_text("utf-8")


def test_the_language_has_none_of_them() -> None:
    own = {word for word in sql_words.WORDS if f'"{word}"i' in GRAMMAR}
    assert not own
    assert not sql_words.WORDS.keys() & describe_syntax_error.CLAUSES.keys()
    assert not sql_words.FUNCTIONS.keys() & {*OWN_FUNCTIONS, *map(str.upper, BY_NAME)}


@pytest.mark.parametrize("word", sorted(sql_words.WORDS))
@pytest.mark.parametrize("text", ["PATTERN A a WHERE a.x {} 'b'", "PATTERN A a WHERE a.x > 1 {} b",
                                  "PATTERN A a {} 5", "PATTERN A {} BY b"])  # fmt: skip
def test_words(text: str, word: str) -> None:
    with pytest.raises(cepheid.QuerySyntaxError) as caught:
        cepheid.query(text.format(word.lower()))
    (mistake,) = caught.value.diagnostics
    assert (mistake.code, mistake.message) == ("sql-word", sql_words.not_here(word))
    assert mistake.hint == sql_words.WORDS[word]


@pytest.mark.parametrize("function", sorted(sql_words.FUNCTIONS))
@pytest.mark.parametrize("text", ["PATTERN A a RETURN {}(a.x)", "PATTERN A a WHERE {}(a.x, 2) = 1",
                                  "PATTERN A a WHERE {}(a.x) = 1"])  # fmt: skip
def test_functions(text: str, function: str) -> None:
    with pytest.raises(cepheid.QueryError) as caught:
        cepheid.query(text.format(function.lower())).bind()
    messages = [each.message for each in caught.value.diagnostics]
    assert sql_words.not_here(function) in messages
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize("name", ["limit", "order", "date", "top", "case", "first"])
def test_they_may_be_names(name: str) -> None:
    query = cepheid.query(f"PATTERN SEQ(A {name}, B b) WHERE {name}.x < b.{name} RETURN b.{name}")
    assert query.bind().matches is not None
