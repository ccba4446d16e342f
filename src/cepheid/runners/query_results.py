"""The results of several queries by name, of which some may have met an error."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, ValuesView
from typing import Any, TypeVar, overload

from cepheid.engine.failed import Failed

Result = TypeVar("Result")
Default = TypeVar("Default")


class QueryResults(dict[str, Result]):
    """A dictionary; a query without a result raises its error when it is read.

    >>> from cepheid.errors import DataError
    >>> found = QueryResults({"q1": Failed(DataError("'s' exceeds BIGINT", query="q1")), "q2": 5})
    >>> list(found), found["q2"]
    (['q1', 'q2'], 5)
    >>> found["q1"]
    Traceback (most recent call last):
    cepheid.errors.DataError: query 'q1': 's' exceeds BIGINT
    """

    def __getitem__(self, name: str) -> Result:
        """Return the result of a query, or raise its error."""
        found = super().__getitem__(name)
        if isinstance(found, Failed):
            raise found.error
        return found

    def __iter__(self) -> Iterator[str]:
        """Yield the names; that this is defined makes `dict(results)` read every result."""
        return super().__iter__()

    @overload
    def get(self, name: str, default: None = None, /) -> Result | None: ...
    @overload
    def get(self, name: str, default: Result, /) -> Result: ...
    @overload
    def get(self, name: str, default: Default, /) -> Result | Default: ...
    def get(self, name: str, default: Any = None, /) -> Any:
        """Return the result of a query, or raise its error."""
        try:
            return self[name]
        except KeyError:
            return default

    def values(self) -> ValuesView[Result]:  # type: ignore[override]
        """Return the results; to go through them raises the error of one that has none."""
        return ValuesView(self)

    def items(self) -> ItemsView[str, Result]:  # type: ignore[override]
        """Return names and results; to go through them raises the error of one that has none."""
        return ItemsView(self)


def in_order(results: dict[str, Result], names: Iterable[str]) -> QueryResults[Result]:
    """Return results in another order, without reading them."""
    return QueryResults({name: dict.__getitem__(results, name) for name in names})
