"""The types of tables, for annotations only: no library of tables is imported here.

A type checker that knows nothing of a library, such as pyarrow without stubs, takes its tables for
`Any`; the others keep their types.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from pandas import DataFrame as PandasFrame
    from polars import DataFrame as PolarsFrame
    from pyarrow import RecordBatch as ArrowBatch
    from pyarrow import Table as ArrowTable

    from cepheid.tables.frame_type import SparkFrame

    OneTable: TypeAlias = ArrowTable | ArrowBatch | PandasFrame | PolarsFrame | SparkFrame
    AnyTable: TypeAlias = str | PathLike[str] | Mapping[str, OneTable] | OneTable
    __all__ = ["ArrowBatch", "ArrowTable", "PandasFrame", "PolarsFrame", "SparkFrame"]

StoredPath: TypeAlias = str | PathLike[str]
# The kind of table that a result is: that of the events.
Table = TypeVar("Table", bound="ArrowTable | PandasFrame | PolarsFrame | SparkFrame")
Table_co = TypeVar(
    "Table_co", bound="ArrowTable | PandasFrame | PolarsFrame | SparkFrame", covariant=True
)
