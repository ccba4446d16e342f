"""Patterns of LIKE and ILIKE, in which `%` is any text and `_` one character, and of RE2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

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


def fits_like(escape: str, text: str, pattern: str) -> bool:
    """Whether a text fits a pattern that an event has.

    >>> fits_like("", "Cepheid", "C%_d"), fits_like("!", "100", "100!%")
    (True, False)
    """
    return _compiled(pattern, escape).fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str, escape: str) -> re.Pattern[str]:
    return re.compile(like_pattern(pattern, escape), re.DOTALL)


def fits_regex(text: str, pattern: str) -> bool | None:
    """Whether RE2 finds a pattern that an event has; None if it cannot be read.

    >>> fits_regex("Cepheid", "^C.*d$"), fits_regex("Cepheid", "(")
    (True, None)
    """
    try:
        found: bool = pc.match_substring_regex(pa.scalar(text), pattern).as_py()
    except pa.ArrowInvalid:
        return None
    return found
