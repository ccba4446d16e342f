"""What counts as few: then NumPy does as well as kernels that are to be compiled first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

FEW = 2**13
_ARE_MANY = ContextVar("are_many", default=False)


def is_few(count: int, most: int = FEW) -> bool:
    """Whether so many events, rows or values are not worth a kernel of their own."""
    return count <= most and not _ARE_MANY.get()


@contextmanager
def as_if_many() -> Iterator[None]:
    """Let few events take the kernels of many, so that those are compiled."""
    token = _ARE_MANY.set(True)
    try:
        yield
    finally:
        _ARE_MANY.reset(token)
