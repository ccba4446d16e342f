"""Queries in colours: a lexer for Pygments, for terminals, notebooks and pages.

It is registered as `cepheid` and for files `*.cep`.
"""

from __future__ import annotations

import re

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Token,
    Whitespace,
)

CLAUSES = (
    "EVENT", "PATTERN", "SEMANTICS", "WHERE", "WITHIN", "SLIDE", "RETURN", "AGG", "HAVING",
    "OUTPUT", "INTO",
)  # fmt: skip
WORDS = (
    "SEQ", "ANY", "AS", "NEXT", "EXACT", "AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "ILIKE",
    "RLIKE", "ESCAPE", "IS", "DISTINCT", "FROM", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST",
    "ALL", "NON", "OVERLAPPING", "COMPRESSED", "PARTIAL", "LONGEST", "SHORTEST", "SKIP",
    "PAST", "TO",
)  # fmt: skip
STRATEGIES = (
    r"(skip[_-]till[_-](any|next)[_-]match|contiguous|(partition|strict)[_-]contiguity"
    r"|latest[_-]wins)\b"
)
UNITS = (
    r"(?:(?:nano|micro|milli)?seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|events?"
    r"|[num]?s|m|h|d|w)\b"
)
REPEATED = r"(\{[^}\n]*\}|[+*?])?"
# A type in lower case is known by the variable that follows, at the end of a part of the pattern.
BEFORE_VARIABLE = rf"[^\W\d]\w*(?={REPEATED}\s+[^\W\d]\w*(\[\])?{REPEATED}\s*[,)])"
AGGREGATES = r"(count|sum|avg|min|max|log2)(?=\s*\()"


class CepheidLexer(RegexLexer):  # type: ignore[misc]
    """Tells the words of a query apart.

    >>> [str(kind) for kind, _ in CepheidLexer().get_tokens("WHERE a.x > 5")][:3]
    ['Token.Keyword', 'Token.Text.Whitespace', 'Token.Name']
    """

    name = "Cepheid"
    aliases = ["cepheid", "cep"]  # noqa: RUF012
    filenames = ["*.cep"]  # noqa: RUF012
    url = "https://pypi.org/project/cepheid/"
    flags = re.IGNORECASE

    tokens = {  # noqa: RUF012
        "root": [
            (r"\s+", Whitespace),
            (r"--[^\n]*", Comment.Single),
            (r"/\*(.|\n)*?\*/", Comment.Multiline),
            (r"e'([^'\n\\]|\\.|'')*'", String.Escape),
            (r"'([^'\n]|'')*'|\"([^\"\n]|\"\")*\"", String),
            (r"(?<![.\[])`[^`\n]+`(?!\s*[.\]])", Name.Class),
            (r"`[^`\n]+`", Name),
            (r":[^\W\d]\w*", Name.Variable),
            (r"(?<=\.)[^\W\d]\w*", Name.Attribute),
            (STRATEGIES, Keyword.Constant),
            (r"group[\s_-]*by\b", Keyword),
            (words(CLAUSES, prefix=r"\b", suffix=r"\b"), Keyword),
            (words(WORDS, prefix=r"\b", suffix=r"\b"), Operator.Word),
            (r"(true|false|null)\b", Keyword.Constant),
            (r"(date|timestamp|decimal|interval)(?=\s*['\"])", Keyword.Type),
            (AGGREGATES, Name.Builtin),
            (r"[^\W\d]\w*(?=\s*\()", Name.Function),
            (rf"(\d+(?:\.\d+)?)(\s*)({UNITS})", bygroups(Number, Whitespace, Keyword.Type)),
            (r"\d+(\.\d+)?(e[+-]?\d+)?%?|\.\d+", Number),
            (r"(?-i:[A-Z])\w*(-[^\W\d]\w*)*", Name.Class),
            (BEFORE_VARIABLE, Name.Class),
            (r"[^\W\d]\w*", Name),
            (r"[=<>!≠≤≥+*/%|&∧\u2228¬~?-]", Operator),
            (r"[][(){},;.]", Punctuation),
            (r".", Token.Error),
        ]
    }
