"""The results that are not tables, as types that need neither Numba nor Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from cepheid.tables.table_types import Table_co

if TYPE_CHECKING:
    from cepheid.tables.table_types import SparkFrame


class Picture(Protocol):
    """What `plot()` gives: a `Plot`, which `cepheid.plot` gives, too."""

    def svg(self) -> str:
        """Return the pictures as one SVG document."""

    def html(self) -> str:
        """Return a page that needs nothing from outside."""

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file NAME.html, or the pictures to NAME.svg."""


@runtime_checkable
class Compressed(Protocol[Table_co]):
    """What OUTPUT COMPRESSED gives: all matches, as a graph of what they have in common.

    The text of a query decides on this, which a type checker does not see: it takes the result for
    a table, until `typing.cast` says what it is.
    """

    def count(self) -> int:
        """Return the number of matches, without writing them."""

    def first(self, count: int) -> Table_co:
        """Return some matches, in no particular order; the others are not made."""

    def expand(self) -> Table_co:
        """Return all matches, one row each."""

    def plot(
        self,
        *,
        title: str | None = None,
        begin: Any = None,
        end: Any = None,
        value: str | None = None,
    ) -> Picture:
        """Return a picture of the matches, a `Plot`; the arguments are those of `cepheid.plot`."""

    def __iter__(self) -> Iterator[dict[str, object]]:
        """Yield one match after the other as a dictionary."""


@runtime_checkable
class ResultsWithLate(Protocol):
    """What `late='deliver'` gives: a stream of results, and one of events that came too late.

    To write both from one query, and so consistently, start `tagged` with `each_batch`:

        found.tagged.writeStream.foreachBatch(found.each_batch(write, write_late)).start()
    """

    @property
    def tagged(self) -> SparkFrame:
        """Both in packets, for `each_batch`."""

    @property
    def results(self) -> SparkFrame:
        """The results."""

    @property
    def late(self) -> SparkFrame:
        """The events of the query's types that came too late."""

    def each_batch(
        self,
        results: Callable[[SparkFrame, int], object],
        late: Callable[[SparkFrame, int], object],
    ) -> Callable[[SparkFrame, int], object]:
        """Return a function for `foreachBatch` that hands over both parts of a micro-batch."""
