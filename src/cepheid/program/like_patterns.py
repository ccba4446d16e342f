"""Patterns of LIKE and ILIKE, in which `%` is any text and `_` one character."""

from __future__ import annotations

import re
from collections.abc import Iterator

SPECIAL = re.compile(r"[\\.^$*+?()\[\]{}|]")


def like_signs(pattern: str, escape: str) -> Iterator[tuple[str, bool]]:
    """Yield every sign of a pattern, and whether it stands for others.

    >>> list(like_signs("a%!%", "!"))
    [('a', False), ('%', True), ('%', False)]
    """
    signs = iter(pattern)
    for sign in signs:
        if escape and sign == escape:
            yield next(signs, sign), False
        else:
            yield sign, sign in "%_"


def like_pattern(pattern: str, escape: str) -> str:
    """Return a pattern as a regular expression.

    >>> like_pattern("a_c%", ""), like_pattern("100!%", "!")
    ('^a.c.*$', '^100%$')
    """
    words = {"%": ".*", "_": "."}
    signs = like_signs(pattern, escape)
    texts = [words[sign] if wild else SPECIAL.sub(r"\\\g<0>", sign) for sign, wild in signs]
    return f"^{''.join(texts)}$"
