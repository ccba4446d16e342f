"""How large text will be, without a font: all of it is set in a fixed width."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from cepheid.explain.document import Edge, State
from cepheid.explain.drawing import TextKind, TextLine

FONT_SIZE = {
    TextKind.NAME: 15.0,
    TextKind.TYPES: 12.0,
    TextKind.PREDICATE: 11.0,
    TextKind.NEGATION: 12.0,
}
# The widest of the usual fixed-width fonts (DejaVu Sans Mono) needs 0.602 of its size a character.
CHARACTER_WIDTH = 0.605
LINE_HEIGHT = 1.35
WRAP_AT = 30
PIECE = re.compile(r"[^._\[\]]*[._\[\]]*")


def text_width(text: str, font_size: float) -> float:
    """Return the width of a line; characters of East Asian scripts count twice."""
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    return (len(text) + wide) * CHARACTER_WIDTH * font_size


def line_width(line: TextLine) -> float:
    """Return the width of a line of a box or label."""
    return text_width(line.text, FONT_SIZE[line.kind])


def line_height(line: TextLine) -> float:
    """Return the height of a line, with its share of the space between lines."""
    return FONT_SIZE[line.kind] * LINE_HEIGHT


def block_width(lines: Iterable[TextLine]) -> float:
    """Return the width of the widest line."""
    return max(map(line_width, lines), default=0.0)


def block_height(lines: Iterable[TextLine]) -> float:
    """Return the height of all lines."""
    return sum(map(line_height, lines))


def wrap_text(text: str, kind: TextKind, width: int = WRAP_AT) -> tuple[TextLine, ...]:
    """Break a text into lines at spaces; words longer than a line also after `.`, `_` and `[]`.

    >>> [line.text for line in wrap_text("sensor[i].temperature > 3", TextKind.PREDICATE, 12)]
    ['sensor[i].', 'temperature', '> 3']
    """
    lines = [""]
    for separator, word in _words(text, width):
        joined = f"{lines[-1]}{separator if lines[-1] else ''}{word}"
        lines[-1:] = [joined] if len(joined) <= width else [lines[-1], word]
    return tuple(TextLine(each, kind) for each in lines if each)


def _words(text: str, width: int) -> Iterator[tuple[str, str]]:
    """Yield what may not be broken, with what stands before it on the same line."""
    for word in text.split():
        pieces = [word] if len(word) <= width else PIECE.findall(word)
        chunks = [
            each[start : start + width] for each in pieces for start in range(0, len(each), width)
        ]
        for number, chunk in enumerate(chunks):
            yield "" if number else " ", chunk


def state_lines(state: State) -> tuple[TextLine, ...]:
    """Return what stands in the box of a state."""
    lines = wrap_text(state.variable, TextKind.NAME)
    if state.types != (state.variable,):
        lines += wrap_text(" | ".join(state.types), TextKind.TYPES)
    for each in state.predicates:
        lines += wrap_text(each.text, TextKind.PREDICATE)
    return lines


def negation_lines(negation: str | None) -> tuple[TextLine, ...]:
    """Return the label of a negation."""
    return () if negation is None else wrap_text(negation, TextKind.NEGATION)


def predicate_lines(edge: Edge) -> tuple[TextLine, ...]:
    """Return the label of the predicates on an edge."""
    return tuple(
        line for each in edge.predicates for line in wrap_text(each.text, TextKind.PREDICATE)
    )


def edge_lines(edge: Edge) -> tuple[TextLine, ...]:
    """Return the whole label of an edge."""
    return negation_lines(edge.negation) + predicate_lines(edge)
