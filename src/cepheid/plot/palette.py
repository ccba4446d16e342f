"""Colours and shapes that stay apart for everybody, on light and on dark paper.

Six colours that are told apart with every kind of colour blindness and have a contrast of three to
one with their paper; tests/plot/test_palette.py computes both. Types differ in shape too. Red is
kept for what must not occur.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1d2433",
    "muted": "#5b6475",
    "lane": "#f3f5fa",
    "grid": "#dde2ee",
    "bar": "#7b8bb5",
    "other": "#858d9e",
    "no": "#c02b37",
    "accent": "#2458b7",
    "text": "#0a6b4a",
    "number": "#8b3a8f",
}
DARK = {
    "paper": "#14171f",
    "ink": "#e6e9f0",
    "muted": "#9aa4b8",
    "lane": "#1c2130",
    "grid": "#2c3447",
    "bar": "#7383b0",
    "other": "#7d879c",
    "no": "#ff6b6b",
    "accent": "#6cb6ff",
    "text": "#5fd7a0",
    "number": "#e09be6",
}
LIGHT_KINDS = ("#2966b6", "#ed5c1f", "#03a463", "#6d0874", "#4e4220", "#cb669c")
DARK_KINDS = ("#00adff", "#e78924", "#18da8e", "#c064d4", "#ffff89", "#e3337f")
LIGHT |= {f"kind{place}": colour for place, colour in enumerate(LIGHT_KINDS)}
DARK |= {f"kind{place}": colour for place, colour in enumerate(DARK_KINDS)}

CIRCLE = "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"
SHAPES = (
    CIRCLE,
    "M-4.5-4.5h9v9h-9z",  # square
    "M0-6.4L6.4 0 0 6.4-6.4 0z",  # diamond
    "M0-5.8L5.6 4.4h-11.2z",  # triangle
    "M0 5.8L5.6-4.4h-11.2z",  # triangle on its tip
    "M-1.8-5.6h3.6v3.8h3.8v3.6h-3.8v3.8h-3.6v-3.8h-3.8v-3.6h3.8z",  # plus
)
CROSS = "M-4.5-4.5L4.5 4.5M4.5-4.5L-4.5 4.5"
DOT = "M-2.4 0a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0-4.8 0z"


def colour_class(kind: int) -> str:
    """Return the class of a kind's colour; the seventh kind has the colour of the first."""
    return f"k{kind % len(LIGHT_KINDS)}"


def shape_of(kind: int) -> str:
    """Return the outline of a kind's mark; kinds of one colour differ in it.

    >>> len({(colour_class(each), shape_of(each)) for each in range(36)})
    36
    """
    return SHAPES[(kind + kind // len(LIGHT_KINDS)) % len(SHAPES)]
