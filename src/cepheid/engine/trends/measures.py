"""What events contribute to sums and minima, as kernel arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.engine.process.threads import cut, side_by_side
from cepheid.engine.trends.min_max_keys import Sortable
from cepheid.errors import DataError
from cepheid.kernels.values.extended import TIER_OF_INFINITY
from cepheid.kernels.values.value_arrays import NOTHING, Measures
from cepheid.program.aggregate_output import (
    AggregateOutput,
    Content,
    MinimumMeasure,
    NumberMeasure,
)
from cepheid.program.arrow_arrays import empty, filled, take_plain, to_arrow, to_numpy

Int64s = NDArray[np.int64]
Float64s = NDArray[np.float64]
LEAST_EVENTS = 2**17  # that are worth a thread
LARGEST_EXPONENT = 256  # of a mantissa, see kernels/values/extended.py
TIER_BITS = 512


class EventMeasures:
    """Reads the attributes that an output aggregates, for some rows of the events."""

    def __init__(
        self,
        output: AggregateOutput,
        columns: Mapping[str, Any],
        rows: Int64s,
        *,
        threads: int = 1,
    ) -> None:
        self.output = output
        self.columns = columns
        self.rows = to_arrow(rows)
        self.size = rows.size
        self.threads = threads if rows.size >= LEAST_EVENTS else 1
        self.taken: dict[str, Any] = {}
        self._largest: dict[str, float] = {}
        self.sortables = [
            Sortable(
                pa.nulls(self.size) if each.is_of_match else self._taken(each.attribute),
                is_maximum=each.is_maximum,
            )
            for each in output.minima
        ]

    def arrays(self) -> Measures:
        """Return the contributions of every event."""
        output = self.output
        count = len(output.numbers) + 1
        shape = (count, self.size if count > 1 else 0)
        measures = Measures(
            np.zeros(count, np.int64),
            np.zeros(count, np.uint64),
            empty(shape[0] * shape[1], np.float64).reshape(shape),
            np.zeros(shape, np.int64),
            empty(shape[0] * shape[1]).reshape(shape),
            np.array([each.positions for each in output.minima], np.uint64),
            np.full((len(output.minima), self.size), NOTHING, np.int64),
        )
        for number, measure in enumerate(output.numbers, start=1):
            measures.positions[number] = measure.positions
            if measure.attribute is not None and not measure.is_of_match:
                self._taken(measure.attribute)  # once, before threads ask for it
        plain = [each for each in enumerate(output.numbers, start=1) if self._is_plain(each[1])]
        parts = [slice(each.start, each.stop) for each in cut(self.size, self.threads)]
        side_by_side([partial(self._fill_plain, measures, plain, part) for part in parts])
        for number, measure in enumerate(output.numbers, start=1):
            if measure.is_of_match:  # events add nothing
                measures.mantissa[number] = measures.low[number] = 0
            elif not self._is_plain(measure):
                self._fill(measures, number, measure)
        for number in range(len(output.minima)):
            measures.least[number] = self.sortables[number].keys()
        return measures

    def sortable(self, measure: MinimumMeasure) -> Sortable:
        """Return what gives the values of a minimum back, at whatever positions it is taken."""
        known = ((each.attribute, each.is_maximum) for each in self.output.minima)
        return self.sortables[list(known).index((measure.attribute, measure.is_maximum))]

    def largest(self, attribute: str) -> float:
        """Return the largest size of a value of an attribute."""
        if attribute not in self._largest:
            limits = pc.min_max(self._taken(attribute)).as_py()
            self._largest[attribute] = float(max(abs(each or 0) for each in limits.values()))
        return self._largest[attribute]

    def _is_plain(self, measure: NumberMeasure) -> bool:
        """Whether integers without NULL are added up, or nothing but events is counted."""
        if measure.attribute is None or measure.is_of_match:
            return not measure.is_of_match
        column = self._taken(measure.attribute)
        return not column.null_count and bool(pa.types.is_signed_integer(column.type))

    def _fill_plain(
        self, measures: Measures, numbers: Sequence[tuple[int, NumberMeasure]], part: slice
    ) -> None:
        """Fill plain numbers for a part of the events."""
        for number, measure in numbers:
            mantissa, low = measures.mantissa[number, part], measures.low[number, part]
            if measure.attribute is None or measure.content in (Content.EVENTS, Content.VALUES):
                mantissa[:], low[:] = 1.0, 1
                continue
            low[:] = mantissa[:] = to_numpy(self._taken(measure.attribute))[part]
            if measure.content is Content.MAGNITUDE:
                np.abs(low, out=low)
                np.abs(mantissa, out=mantissa)

    def _fill(self, measures: Measures, number: int, measure: NumberMeasure) -> None:
        column = None if measure.attribute is None else self._taken(measure.attribute)
        counts = np.ones(self.size, np.bool_)
        if measure.attribute is None or column is None:
            measures.mantissa[number] = counts
            measures.low[number] = counts
            return
        if column.null_count:
            counts &= to_numpy(column.is_valid())
        if measure.content is Content.VALUES:
            measures.mantissa[number] = counts
            measures.low[number] = counts
            return
        values, low = _numbers(column, measure.attribute)
        if measure.content is Content.MAGNITUDE:
            values, low = np.abs(values), np.abs(low)
        if not counts.all():
            values, low = np.where(counts, values, 0.0), np.where(counts, low, 0)
        measures.mantissa[number], measures.tier[number] = _extended(values)
        measures.low[number] = low

    def _taken(self, attribute: str) -> Any:
        if attribute not in self.taken:
            self.taken[attribute] = take_plain(self.columns[attribute], self.rows)
        return self.taken[attribute]


def of_second_side(output: AggregateOutput, measures: Measures) -> Measures:
    """Return measures of the second side of AND; residues of counts are those of any side."""
    if measures.moduli.any():
        return measures
    numbers = [0, *(each.second_positions for each in output.numbers)]
    minima = [each.second_positions for each in output.minima]
    return measures._replace(
        positions=np.array(numbers, np.uint64), least_positions=np.array(minima, np.uint64)
    )


def _numbers(column: Any, name: str) -> tuple[Float64s, Int64s]:
    """Return values as floats, and integers as they are; NULL is 0."""
    try:
        floats = pc.cast(column, pa.float64(), safe=False)
        is_integer = pa.types.is_integer(column.type)
        integers = pa.nulls(len(column), pa.int64())
        if is_integer:  # a low word is all that is asked for
            integers = pc.cast(column, pa.int64(), safe=False)
    except pa.ArrowInvalid as error:
        raise DataError(f"column '{name}' cannot be added up: {error}") from None
    return to_numpy(filled(floats)), to_numpy(filled(integers))


def _extended(values: Float64s) -> tuple[Float64s, Int64s]:
    """Return mantissas and tiers; those of most values are the values and 0."""
    size = np.abs(values)
    tiers = np.zeros(values.size, np.int64)
    small = (size < 2.0**-LARGEST_EXPONENT) & (size > 0)
    unusual = ~(size < 2.0**LARGEST_EXPONENT) | small  # NaN is not less
    if unusual.any():
        mantissa, exponent = np.frexp(np.where(np.isfinite(values), values, 1.0))
        tier = (exponent.astype(np.int64) + LARGEST_EXPONENT) // TIER_BITS
        scaled = np.ldexp(mantissa, (exponent - TIER_BITS * tier).astype(np.int32))
        finite = unusual & np.isfinite(values)
        values, tiers = np.where(finite, scaled, values), np.where(finite, tier, 0)
        tiers[~np.isfinite(values)] = TIER_OF_INFINITY
    return values, tiers
