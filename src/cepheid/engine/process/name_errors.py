"""Let errors say which of several queries met them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from cepheid.errors import UNNAMED, DataError, OutOfMemoryError, last_defence


@contextmanager
def errors_of(name: str | None) -> Iterator[None]:
    """Name the query in errors that do not name one; None: it may be another one.

    Where there is not enough memory, Arrow and NumPy raise errors that do not say what to do.

    >>> with errors_of("q1"):
    ...     raise DataError("a count exceeds BIGINT")
    Traceback (most recent call last):
    cepheid.errors.DataError: query 'q1': a count exceeds BIGINT
    """
    try:
        with last_defence("a query" if name is None else f"query '{name}'"):
            yield
    except DataError as error:
        if error.query is not None or name in (None, UNNAMED):
            raise
        raise DataError(error.message, hint=error.hint, query=name) from error
    except MemoryError as error:
        raise OutOfMemoryError(name, str(error)) from None


@contextmanager
def errors_of_one(each_alone: Iterable[Callable[[], object]]) -> Iterator[None]:
    """Find out which of several queries met an error that names none: run one after the other."""
    try:
        yield
    except DataError as error:
        if error.query is None:
            for run_alone in each_alone:
                run_alone()
        raise
