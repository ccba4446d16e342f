"""Values as columns: BIGINT or DOUBLE, logarithms, exact text, averages, minima and maxima."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.matches.match_rows import match_column_type
from cepheid.engine.trends.integer_sums import (
    BIGINT_LIMIT,
    DOUBT,
    Bounds,
    ExactSums,
    as_double,
    fits_at_once,
    is_determined,
    nearest_doubles,
    scaled,
    undecided,
)
from cepheid.engine.trends.measures import TIER_BITS
from cepheid.errors import DataError
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.program.aggregate_output import (
    AggregateColumn,
    AggregateOutput,
    Form,
    MinimumMeasure,
    NumberKind,
)
from cepheid.program.arrow_arrays import texts_to_arrow, to_arrow
from cepheid.program.decimals import decimal_of, with_point

Int64s = NDArray[np.int64]
ARROW_NUMBERS = {NumberKind.BIGINT: pa.int64(), NumberKind.DOUBLE: pa.float64()}


def column_type(column: AggregateColumn, output: AggregateOutput, events: pa.Schema) -> pa.DataType:
    """Return the Arrow type of a column."""
    match column.form:
        case Form.EXTREME:
            if column.scale is not None:
                return decimal_of(column.scale)
            return extreme_type(output.minima[column.minimum], output, events)
        case Form.EXACT:
            return pa.float64() if column.is_hidden else pa.string()
        case Form.LOGARITHM | Form.AVERAGE | Form.AVERAGE_OF_TWO:
            return pa.float64()
        case Form.NUMBER | Form.SUM_OF_TWO:
            is_decimal = column.scale is not None and column.kind is NumberKind.BIGINT
            return decimal_of(column.scale or 0) if is_decimal else ARROW_NUMBERS[column.kind]


def extreme_type(
    measure: MinimumMeasure, output: AggregateOutput, events: pa.Schema
) -> pa.DataType:
    """Return the type of a minimum or maximum: that of the attribute."""
    if measure.is_of_match:
        columns = {each.output: each for each in output.of_matches}
        return match_column_type(columns[measure.attribute], events)
    kind = events.field(measure.attribute).type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


class ValueColumns:
    """Makes columns of values.

    `exact` are the counts with all digits where they are wanted, `sums` those of integers that have
    been found exactly, `bounds` tell how far others can be off, `extremes` are the columns of
    minima and maxima; `places` names window and group of each row, for messages.
    """

    def __init__(
        self,
        values: ValueRows,
        exact: Sequence[int] | None,
        sums: ExactSums,
        bounds: Bounds,
        extremes: Sequence[Any],
        places: pa.Table,
    ) -> None:
        self.values = values
        self.exact = exact
        self.sums = sums
        self.bounds = bounds
        self.extremes = extremes
        self.places = places

    def column(self, column: AggregateColumn) -> Any:
        """Return one column."""
        match column.form:
            case Form.EXTREME:
                return with_point(self.extremes[column.minimum], column.scale)
            case Form.EXACT:
                assert self.exact is not None
                return self._exact(self.exact, is_text=not column.is_hidden)
            case Form.LOGARITHM:
                return self._logarithm()
            case Form.AVERAGE:
                assert column.values is not None
                return with_point(self._average(column, column.values), column.scale)
            case Form.NUMBER:
                return with_point(self._number(column), column.scale)
            case Form.SUM_OF_TWO | Form.AVERAGE_OF_TWO:
                return with_point(self._of_two(column), column.scale)

    def beyond_64_bits(self, output: AggregateOutput) -> dict[str, Sequence[int]]:
        """Return the counts that expressions read and that do not fit 64 bits."""
        if self.exact is None or max(self.exact, default=0) < BIGINT_LIMIT:
            return {}
        hidden = [each for each in output.columns if each.is_hidden and each.form is Form.EXACT]
        return {each.name: self.exact for each in hidden}

    def _exact(self, counts: Sequence[int], *, is_text: bool) -> pa.Array:
        """Return all digits; HAVING computes with numbers, beyond 64 bits with DOUBLE.

        Python refuses to write integers of more than 4300 digits, but not decimals.
        """
        if is_text:
            return texts_to_arrow([str(Decimal(each)) for each in counts])
        if max(counts, default=0) < BIGINT_LIMIT:
            return to_arrow(np.array(counts, np.int64))
        return to_arrow(as_double(self.values, 0))

    def _number(self, column: AggregateColumn) -> pa.Array:
        none = None
        if column.values is not None:
            none = self.values.mantissa[:, column.values] == 0
        if column.kind is NumberKind.BIGINT:
            return to_arrow(self._bigint(column), none)
        if column.number not in self.bounds:
            return to_arrow(as_double(self.values, column.number), none)
        bound = self.bounds[column.number]
        return to_arrow(nearest_doubles(self.values, column.number, bound), none)

    def _bigint(self, column: AggregateColumn) -> Int64s:
        if column.number not in self.sums:
            self._reject_overflow(column)
            return self.values.low[:, column.number]
        sums = self.sums[column.number]
        for row, each in enumerate(sums):
            if not -(2**63) <= each < 2**63:
                self._raise_overflow(column, row)
        return np.array(sums, np.int64)

    def _logarithm(self) -> pa.Array:
        mantissa, tier = self.values.mantissa[:, 0], self.values.tier[:, 0]
        none = mantissa == 0
        return to_arrow(np.log2(np.where(none, 1.0, mantissa)) + float(TIER_BITS) * tier, none)

    def _average(self, column: AggregateColumn, count: int) -> pa.Array:
        """Divide before the exponents are applied, so that only the average itself can overflow."""
        values, total = self.values, column.number
        none = values.mantissa[:, count] == 0
        divisor = np.where(none, 1.0, values.mantissa[:, count])
        with np.errstate(invalid="ignore", over="ignore"):
            quotient = values.mantissa[:, total] / divisor
        average = scaled(quotient, values.tier[:, total] - values.tier[:, count])
        if total in self.bounds:
            bound = self.bounds[total]
            nearest = nearest_doubles(values, total, bound)
            with np.errstate(invalid="ignore", over="ignore"):
                quotient = nearest / scaled(divisor, values.tier[:, count])
            average = np.where(is_determined(bound), quotient, average)
        return to_arrow(average, none)

    def _of_two(self, column: AggregateColumn) -> pa.Array:
        """Return a sum with another, or less it, or that divided by the number of trends.

        Low words are those of the sums modulo 2^64, and so is that of both together. Where doubles
        tell that it is below 2^62 it is the result itself, however large the sums are.
        """
        values, count = self.values, as_double(self.values, 0)
        none = count == 0
        with np.errstate(invalid="ignore", over="ignore"):
            one, other = as_double(values, column.number), as_double(values, column.other)
            total = one + other if column.sign > 0 else one - other
            if column.magnitude is not None and column.other_magnitude is not None:
                magnitudes = column.magnitude, column.other_magnitude
                bound = as_double(values, magnitudes[0]) + as_double(values, magnitudes[1])
                low = values.low[:, column.number] + column.sign * values.low[:, column.other]
                is_known = np.abs(total) + bound * DOUBT < BIGINT_LIMIT / 2
                if column.kind is NumberKind.BIGINT:
                    if not (is_known | none).all():
                        self._raise_overflow(column, int(np.flatnonzero(~(is_known | none))[0]))
                    return to_arrow(low, none)
                total = np.where(is_known, low.astype(np.float64), total)
            if column.form is Form.AVERAGE_OF_TWO:
                total = total / np.where(none, 1.0, count)
        return to_arrow(total, none)

    def _reject_overflow(self, column: AggregateColumn) -> None:
        """Below 2^63 the low word is exact. Close to that its sign tells."""
        values, number = self.values, column.number
        magnitude = number if column.magnitude is None else column.magnitude
        bound = as_double(values, magnitude)
        if fits_at_once(bound):
            return
        size, low = as_double(values, number), values.low[:, number]
        with np.errstate(invalid="ignore"):
            doubt = bound * DOUBT  # so much the sum can be off; the low word tells up to 2^62
            surely = np.abs(size) - doubt > BIGINT_LIMIT
            perhaps = (np.abs(size) + doubt >= BIGINT_LIMIT) & ((low < 0) != (size < 0))
        unknown = undecided(values, number, magnitude)
        overflow = surely | perhaps | ~is_determined(bound)
        overflow &= (bound >= BIGINT_LIMIT * (1 - DOUBT)) & ~unknown
        if overflow.any():
            self._raise_overflow(column, int(np.flatnonzero(overflow)[0]))
        if unknown.any():
            self._raise_undecided(column, int(np.flatnonzero(unknown)[0]))

    def _raise_undecided(self, column: AggregateColumn, row: int) -> None:
        raise DataError(
            f"whether {column.name!r} fits BIGINT cannot be told here: what it adds up is more "
            f"than 2^90 ({describe_place(self.places, row)})",
            hint="cast the column to DOUBLE, or run the query alone, with parallel_in_time=False",
        )

    def _raise_overflow(self, column: AggregateColumn, row: int) -> None:
        place = describe_place(self.places, row)
        is_count = column.number == 0
        hint = "use LOG2(COUNT(*)) or EXACT COUNT(*), or a shorter window"
        raise DataError(
            f"{'a count' if is_count else repr(column.name)} exceeds BIGINT ({place})",
            hint=hint if is_count else "use a shorter window, or cast the column to DOUBLE",
        )


def describe_place(places: pa.Table, row: int) -> str:
    """Return window and group of a row in words."""
    values = places.slice(row, 1).to_pylist()
    named = ", ".join(f"{name} = {value}" for name, value in (values or [{}])[0].items())
    return named or "the whole input"
