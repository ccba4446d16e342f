"""What a page says of one query."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cepheid.explain.document import Explanation
    from cepheid.plot.body import Body


QUERY_FILE = ".cep"


def heading_of(name: str) -> str:
    """Return a name as a heading: of the path of a query the last part.

    >>> heading_of("/srv/queries/logins.cep"), heading_of("a/b")
    ('logins.cep', 'a/b')
    """
    return PurePath(name).name if name.endswith(QUERY_FILE) else name


@dataclass(frozen=True, slots=True)
class Section:
    """A query with its plan, its pictures, and rows of its result as an Arrow table."""

    name: str
    text: str
    explanation: Explanation
    bodies: tuple[Body, ...]
    table: Any
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
