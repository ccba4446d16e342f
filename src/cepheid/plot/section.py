"""What a page says of one query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cepheid.explain.document import Explanation
    from cepheid.plot.body import Body


@dataclass(frozen=True, slots=True)
class Section:
    """A query with its plan, its pictures, and rows of its result as an Arrow table."""

    name: str
    text: str
    explanation: Explanation
    bodies: tuple[Body, ...]
    table: Any
    notes: tuple[str, ...] = ()
