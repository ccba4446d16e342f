"""A word of SQL that the language does not have is named as such."""

import re
from pathlib import Path

import pytest

import cepheid
from cepheid.analysis.bind_aggregates import FUNCTIONS as OWN_FUNCTIONS
from cepheid.analysis.functions import BY_NAME
from cepheid.language import describe_syntax_error, sql_words

# The reserved words of SQL:2016.
RESERVED = Path(__file__).with_name("reserved_words.txt").read_text("utf-8").split()
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


@pytest.mark.parametrize("word", sorted(sql_words.MISPLACED))
def test_words_that_stand_elsewhere(word: str) -> None:
    with pytest.raises(cepheid.QuerySyntaxError) as caught:
        cepheid.query(f"PATTERN A a WHERE a.x {word} 3")
    (mistake,) = caught.value.diagnostics
    assert (mistake.code, mistake.message) == ("sql-word", f"{word} cannot stand here")
    assert mistake.hint == sql_words.MISPLACED[word]


@pytest.mark.parametrize("text", ["PATTERN A a WHERE a.x {} 3", "PATTERN A a WHERE a.x > 1 {} b",
                                  "PATTERN A a {} 5", "PATTERN A a WHERE {} a.x > 3"])  # fmt: skip
def test_no_reserved_word_is_met_with_another(text: str) -> None:
    """Each is of the grammar, or the mistake; none is taken for a clause that is misspelt."""
    for word in RESERVED:
        try:
            cepheid.query(text.format(word)).bind()
        except cepheid.QueryError as error:
            mistake = error.diagnostics[0]
            hint = mistake.hint or ""
            assert "did you mean" not in hint or hint == "did you mean RETURN?", (word, hint)
            is_operator = text.startswith("PATTERN A a WHERE a.x")
            is_named = word in mistake.message
            assert is_named or not is_operator or _is_of_the_grammar(word), (word, mistake)


def _is_of_the_grammar(word: str) -> bool:
    """Units are, too, and keywords need no blank after them: `ASname`, `RETURNx`."""
    keywords = re.findall(r'^[A-Z_]+: "(\w+)"i', GRAMMAR, re.MULTILINE)
    return (
        word.startswith(tuple(keywords))
        or word.lower() in re.findall(r"[a-z]+", GRAMMAR)
        or word in ("DAY", "HOUR", "MIN", "MINUTE", "SECOND")
    )


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a.x LIKES '%3'", "LIKE"),
        ("a.x BETWEN 1 AND 3", "BETWEEN"),
        ("a.x NOTT IN (1, 2)", "NOT"),
        ("CASES a.x WHEN 1 THEN 2 END = 1", "CASE"),
        ("CASE WEN a.x > 1 THEN 1 END = 1", "WHEN"),
        ("CASE WHEN a.x > 1 THEN 1 ELS 2 END = 1", "ELSE"),
    ],
)
def test_misspelt_operators(text: str, meant: str) -> None:
    with pytest.raises(cepheid.QuerySyntaxError) as caught:
        cepheid.query(f"PATTERN A a WHERE {text}")
    assert caught.value.diagnostics[0].hint == f"did you mean {meant}?"


@pytest.mark.parametrize(
    "text",
    [
        "PATTERN SEQ(A cas B b)",
        "PATTERN SEQ(A a, B b) WHERE a.order b.x",
        "PATTERN SEQ(A a, B b) WHERE a.end b.x",
    ],
)
def test_names_are_not_blamed(text: str) -> None:
    with pytest.raises(cepheid.QueryError) as caught:
        cepheid.query(text)
    assert "did you mean" not in str(caught.value)
    assert caught.value.diagnostics[0].code in ("unexpected-word", "misplaced-variable")


@pytest.mark.parametrize(
    "name",
    [
        "window",
        "filter",
        "range",
        "mod",
        "all",
        "escape",
        "sort",
        "interval",
        "limit",
        "order",
        "date",
        "top",
        "case",
        "first",
    ],
)
def test_they_may_be_names(name: str) -> None:
    query = cepheid.query(f"PATTERN SEQ(A {name}, B b) WHERE {name}.x < b.{name} RETURN b.{name}")
    assert query.bind().matches is not None
