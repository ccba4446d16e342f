"""A query in colours, for a terminal."""

from __future__ import annotations

from pygments.token import Comment, Keyword, Name, Number, Operator, String
from rich.text import Text

from cepheid.language.pygments_lexer import CepheidLexer

STYLES = {
    Comment: "dim",
    Keyword: "bold cyan",
    Keyword.Constant: "cyan",
    Keyword.Type: "magenta",
    Operator.Word: "bold cyan",
    Name.Builtin: "bold blue",
    Name.Function: "blue",
    Name.Class: "yellow",
    Name.Variable: "bold magenta",
    Number: "magenta",
    String: "green",
}


def highlight_query(text: str) -> Text:
    """Return the query with styles; of nested kinds of words the innermost has one."""
    found = Text()
    for kind, value in CepheidLexer(stripnl=False, ensurenl=False).get_tokens(text.rstrip("\n")):
        while kind not in STYLES and kind.parent is not None:
            kind = kind.parent  # noqa: PLW2901
        found.append(value, STYLES.get(kind))
    return found
