"""A query in colours, as HTML: the one place that knows how."""

from __future__ import annotations

from html import escape

from pygments.token import Comment, Keyword, Name, Number, Operator, String

from cepheid.language.pygments_lexer import CepheidLexer

# What the lexer tells apart, by the classes of the style sheet; the first one that fits.
CLASSES = {
    Comment: "comment",
    String: "text",
    Number: "number",
    Name.Variable: "parameter",
    Name.Builtin: "function",
    Name.Class: "type",
    Keyword.Constant: "strategy",
    Keyword.Type: None,
    Keyword: "keyword",
    Operator.Word: "keyword",
}


def colour_query(text: str) -> str:
    """Return the text with a span for every word that has a colour.

    >>> colour_query("PATTERN A a")
    '<span class="q-keyword">PATTERN</span> <span class="q-type">A</span> a'
    """
    found = []
    for _, kind, word in CepheidLexer().get_tokens_unprocessed(text):
        name = next((name for each, name in CLASSES.items() if kind in each), None)
        found.append(escape(word) if name is None else _span(name, word))
    return "".join(found)


def _span(name: str, word: str) -> str:
    return f'<span class="q-{name}">{escape(word)}</span>'
