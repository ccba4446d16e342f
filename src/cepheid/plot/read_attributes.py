"""Which attributes of its events a query reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from cepheid.language import ast


def read_attributes(query: ast.Query) -> tuple[str, ...]:
    """Return the attributes in WHERE and RETURN, in the order of the text.

    >>> from cepheid.language.parser import parse
    >>> query = parse("PATTERN SEQ(A a, B b) WHERE a.x < b.x AND length(b.name) > 3 RETURN b.y")
    >>> read_attributes(query)
    ('x', 'name', 'y')
    """
    found = _attributes((query.where, query.returns))
    return tuple(dict.fromkeys(each.name for each in found))


def _attributes(node: object) -> Iterator[ast.Attribute]:
    if isinstance(node, ast.Attribute):
        yield node
    elif isinstance(node, tuple):
        for each in node:
            yield from _attributes(each)
    elif is_dataclass(node):
        for field in fields(node):
            yield from _attributes(getattr(node, field.name))
