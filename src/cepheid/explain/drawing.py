"""The parts of a picture, in pixels, y downwards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from cepheid.explain.document import State


class TextKind(StrEnum):
    """What a line of text says; also its class in the SVG."""

    NAME = "name"
    TYPES = "types"
    PREDICATE = "predicate"
    NEGATION = "negation"


class LineKind(StrEnum):
    """What a line means; also its class in the SVG."""

    EDGE = "edge"
    LOOP = "loop"
    ENTRY = "entry"
    EXIT = "exit"


class Point(NamedTuple):
    """A place in the picture."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text, already wrapped."""

    text: str
    kind: TextKind


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An upright rectangle by its top left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> Point:
        """The middle."""
        return Point(self.x + self.width / 2, self.y + self.height / 2)

    @property
    def right(self) -> float:
        """The x of the right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of the lower side."""
        return self.y + self.height

    def overlaps(self, other: Rectangle) -> bool:
        """Whether the two share more than a border."""
        return (
            self.x < other.right
            and other.x < self.right
            and self.y < other.bottom
            and other.y < self.bottom
        )


@dataclass(frozen=True, slots=True)
class Box:
    """A state; `area` includes the second ring of an exit."""

    state: State
    area: Rectangle
    lines: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """Lines of text, centred in their area."""

    area: Rectangle
    lines: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """Where a negation crosses a line, and at what angle (0 is upright)."""

    place: Point
    angle: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """An edge, an entry or an exit; `name` is `0-1`, `entry-0` or `exit-1`.

    `mark` is the free end of an entry or exit.
    """

    name: str
    kind: LineKind
    path: str
    bar: Bar | None
    labels: tuple[Label, ...]
    mark: Point | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """The automaton of one side."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
