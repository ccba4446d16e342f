"""A query in colours is the same query."""

import re
from html import unescape

import pytest

from cepheid.plot.colour_query import colour_query
from tests.cli.command import EXAMPLES

TAG = re.compile(r"</?span[^>]*>")


@pytest.mark.parametrize("file", sorted(EXAMPLES.rglob("*.cep")), ids=lambda each: each.stem)
def test_no_character_is_lost(file):
    text = file.read_text(encoding="utf-8")
    assert unescape(TAG.sub("", colour_query(text))) == text


@pytest.mark.parametrize(
    ("text", "kind", "word"),
    [
        ("-- WHERE a < 3\nPATTERN A", "comment", "-- WHERE a &lt; 3"),
        ("WHERE a.x = 'it''s SEQ'", "text", "&#x27;it&#x27;&#x27;s SEQ&#x27;"),
        ("within 10 s", "keyword", "within"),
        ("SEQ(SHELF-READING x)", "type", "SHELF-READING"),
        ("SEQ(`Create Order` o, !fail f, login{2,} s+)", "type", "`Create Order`"),
        ("SEQ(`Create Order` o, !fail f, login{2,} s+)", "type", "fail"),
        ("SEQ(`Create Order` o, !fail f, login{2,} s+)", "type", "login"),
        ("SEMANTICS skip_till_any_match", "strategy", "skip_till_any_match"),
        ("x > :limit", "parameter", ":limit"),
        ("b < 80% * a.x", "number", "80%"),
        ("sum(a[].x)", "function", "sum"),
    ],
)
def test_words_have_their_colour(text, kind, word):
    assert f'<span class="q-{kind}">{word}</span>' in colour_query(text)


@pytest.mark.parametrize(
    "text", ["a.`user name`, 1", "[`user.name`]", "lower(a.name)", "b.x AS y,"]
)
def test_names_are_no_types(text):
    assert "q-type" not in colour_query(text)


@pytest.mark.parametrize("text", ["a.where", "x.AND", "`SEQ`", "patterned"])
def test_names_are_no_keywords(text):
    assert "q-keyword" not in colour_query(text)
