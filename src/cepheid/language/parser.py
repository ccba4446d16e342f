"""Text to tree."""

from __future__ import annotations

from functools import cache, lru_cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from cepheid.errors import QuerySyntaxError
from cepheid.language import ast
from cepheid.language.build_tree import build_tree
from cepheid.language.describe_syntax_error import describe_syntax_error
from cepheid.language.parse_table import load_grammar
from cepheid.language.source import Source, Span

MOST_TREES = 128  # that are kept
DEEPEST = 200  # levels of nesting; everything that walks a tree does so by recursion


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
    _check_depth(tree, source)
    query, diagnostics = build_tree(tree, source)
    if query is None or diagnostics:
        raise QuerySyntaxError(diagnostics)
    return query


def _check_depth(tree: Tree[Token], source: Source) -> None:
    """Refuse a text that is nested too deeply: brackets, operators in a row, quantifiers."""
    level, depth = [tree], 0
    while level:
        if depth > DEEPEST:
            meta = level[0].meta
            at = 0 if meta.empty else meta.start_pos
            raise QuerySyntaxError(
                [
                    source.diagnose(
                        "nested-too-deeply",
                        f"this is nested more than {DEEPEST} levels deep",
                        Span(at, at + 1),
                        "a chain such as a + b + c counts as levels, too: write it in parts",
                    )
                ]
            )
        level = [each for one in level for each in one.children if isinstance(each, Tree)]
        depth += 1
