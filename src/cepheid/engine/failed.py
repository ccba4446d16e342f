"""What a query has that met an error while others of its bundle have results."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.errors import DataError


@dataclass(frozen=True, slots=True)
class Failed:
    """What a query has instead of a result: the error that it met, which names it."""

    error: DataError
