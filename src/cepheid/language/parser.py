"""Text to tree."""

from __future__ import annotations

from functools import cache, lru_cache

from lark import Lark
from lark.exceptions import UnexpectedInput

from cepheid.errors import QuerySyntaxError
from cepheid.language import ast
from cepheid.language.build_tree import build_tree
from cepheid.language.describe_syntax_error import describe_syntax_error
from cepheid.language.parse_table import load_grammar
from cepheid.language.source import Source

MOST_TREES = 128  # that are kept


@cache
def _grammar() -> Lark:
    return load_grammar()


def parse(text: str, *, name: str = "query") -> ast.Query:
    """Parse the text of one query; `name` is shown in error messages.

    >>> parse("PATTERN SEQ(A, B+) WITHIN 10s").window.within.amount
    10
    """
    return _parsed(text, name)


@lru_cache(maxsize=MOST_TREES)
def _parsed(text: str, name: str) -> ast.Query:
    """Trees do not change, so a text that is run again need not be parsed again."""
    source = Source(text, name)
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        raise QuerySyntaxError([describe_syntax_error(error, source, _grammar())]) from None
    query, diagnostics = build_tree(tree, source)
    if query is None or diagnostics:
        raise QuerySyntaxError(diagnostics)
    return query
