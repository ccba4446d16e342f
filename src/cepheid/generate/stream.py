"""What a stream is: its columns, its parameters and the function that makes its blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cepheid.errors import ConfigError, suggest

Ints = npt.NDArray[np.int64]
Block = Mapping[str, "npt.NDArray[Any] | pa.Array"]

BLOCK_EVENTS = 1 << 16
"""About how many events a stream makes at a time; never depends on how many are asked for."""

TIMESTAMP = pa.timestamp("us")
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `event_types` are the types that carry it (empty: all), elsewhere it is null."""

    name: str
    type: pa.DataType
    meaning: str
    event_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that shapes a stream; whole if its default is."""

    name: str
    default: int | float
    help: str
    minimum: int | float
    maximum: int | float

    def check(self, value: object) -> int | float:
        """Return the value, or raise ConfigError if it is not a number in range."""
        whole = isinstance(self.default, int)
        if isinstance(value, np.integer | np.floating):
            value = value.item()
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            kind = "a whole number" if whole else "a number"
            raise ConfigError(f"parameter '{self.name}' must be {kind}, not {value!r}")
        if not self.minimum <= value <= self.maximum:
            raise ConfigError(
                f"parameter '{self.name}' is {value}, outside [{self.minimum}, {self.maximum}]",
                hint=f"{self.help}; the default is {self.default}",
            )
        return value


def option(default: Number, text: str, *, minimum: float, maximum: float) -> Number:
    """Declare a field of a settings class that `Stream.parameters` shows as a Parameter."""
    declared: Any = field(
        default=default, metadata={"help": text, "minimum": minimum, "maximum": maximum}
    )
    return declared  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Stream:
    """A kind of synthetic stream; `function(seed, settings)` yields its blocks without end."""

    name: str
    description: str
    columns: tuple[Column, ...]
    time_column: str
    type_column: str | None
    event_types: tuple[str, ...]
    settings: type
    function: Callable[[int, Any], Iterator[Block]]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, with defaults, in the order of the settings class."""
        defaults = self.settings()
        return tuple(
            Parameter(each.name, getattr(defaults, each.name), **each.metadata)
            for each in fields(self.settings)
        )

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the stream's tables."""
        return pa.schema([(column.name, column.type) for column in self.columns])

    def blocks(self, seed: int, given: Mapping[str, object]) -> Iterator[pa.Table]:
        """Return endless tables of the stream; raises ConfigError at once for a bad parameter."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise ConfigError(
                    f"stream '{self.name}' has no parameter '{name}'",
                    hint=suggest(name, known, owner=self.name),
                )
        checked = {name: known[name].check(value) for name, value in given.items()}
        blocks = self.function(seed, self.settings(**checked))
        return (_table(block, self.schema) for block in blocks)


def _table(block: Block, schema: pa.Schema) -> pa.Table:
    # from_pandas: NaN in a float column stands for a missing value.
    arrays = [
        (each if isinstance(each, pa.Array) else pa.array(each, from_pandas=True)).cast(form.type)
        for form in schema
        for each in (block[form.name],)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)
