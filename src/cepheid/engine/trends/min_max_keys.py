"""Attributes whose minimum or maximum is wanted, as integers that sort alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cepheid.errors import DataError
from cepheid.kernels.values.value_arrays import NOTHING
from cepheid.program.arrow_arrays import filled, to_arrow, to_numpy

Int64s = NDArray[np.int64]
SIGN = np.int64(2**63 - 1)
KEY_OF_LAST = NOTHING - 1
NEXT_TO_SMALLEST, NEXT_TO_LARGEST = (-SIGN, 1 - SIGN), (SIGN - 1,)


class Sortable:
    """One column; a maximum is the minimum of keys with the opposite sign.

    NaN is larger than every number, as in Spark. Texts and whatever else has an order become ranks.
    The largest integer of 64 bits (the smallest for a maximum) has the key before NOTHING; the one
    or two next to it, whose keys are taken so, have none and make all values ranks.
    """

    def __init__(self, column: Any, *, is_maximum: bool) -> None:
        self.type = column.type
        self.sign = -1 if is_maximum else 1
        self.valid = to_numpy(column.is_valid())
        self.sorted: Any = None
        if pa.types.is_floating(self.type):
            floats = to_numpy(filled(pc.cast(column, pa.float64())))
            self.numbers = _from_floats(floats)
        elif _is_integral(self.type):
            self.numbers = to_numpy(filled(_to_integers(column)))
        else:
            self.numbers = np.zeros(0, np.int64)
        self.last = -SIGN - 1 if is_maximum else SIGN
        without_key = NEXT_TO_SMALLEST if is_maximum else NEXT_TO_LARGEST
        if self.numbers.size != len(column) or bool(np.isin(self.numbers, without_key).any()):
            self.numbers = self._ranks(column)

    def _ranks(self, column: Any) -> Int64s:
        try:
            distinct = column.unique().drop_null()
            self.sorted = distinct.take(pc.array_sort_indices(distinct))
            codes = pc.index_in(column, self.sorted)
        except pa.ArrowNotImplementedError:
            raise DataError(
                f"values of type {self.type} have no order, so no MIN and MAX"
            ) from None
        return to_numpy(pc.cast(filled(codes), pa.int64()))

    @property
    def is_ranked(self) -> bool:
        """Whether keys are ranks among these values, which mean nothing elsewhere."""
        return self.sorted is not None

    def keys(self) -> Int64s:
        """Return a key per event: the smallest one is wanted."""
        keys = np.where(self.valid, self.sign * self.numbers, NOTHING)
        return np.where(self.valid & (self.numbers == self.last), KEY_OF_LAST, keys)

    def values(self, keys: Int64s) -> pa.Array:
        """Return the values of keys, in the type of the column."""
        none = keys == NOTHING
        numbers = np.where(none, 0, self.sign * keys)
        numbers = np.where(keys == KEY_OF_LAST, self.last, numbers)
        if self.sorted is not None:
            return self.sorted.take(to_arrow(numbers, none))
        if pa.types.is_floating(self.type):
            return to_arrow(_to_floats(numbers), none).cast(self.type)
        if pa.types.is_null(self.type):  # of no event at all: with one, NULL is a rank
            return pa.nulls(none.size)
        integers = to_arrow(numbers, none)
        return integers.cast(_integers_like(self.type)).cast(self.type)


def has_own_keys(kind: pa.DataType) -> bool:
    """Whether values of a type have keys that do not depend on other values."""
    return bool(pa.types.is_floating(kind)) or _is_integral(kind)


def _is_integral(kind: pa.DataType) -> bool:
    is_integer = pa.types.is_integer(kind) and kind != pa.uint64()
    is_time = pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    return bool(is_integer or is_time or pa.types.is_boolean(kind) or pa.types.is_null(kind))


def _integers_like(kind: pa.DataType) -> pa.DataType:
    """Return the integers that a type can be cast from."""
    return pa.int32() if pa.types.is_date32(kind) else pa.int64()


def _to_integers(column: Any) -> Any:
    if pa.types.is_boolean(column.type):
        return pc.cast(pc.cast(column, pa.int8()), pa.int64())
    return pc.cast(pc.cast(column, _integers_like(column.type)), pa.int64())


def _from_floats(values: NDArray[np.float64]) -> Int64s:
    """Return integers in the order of the floats; both zeros are one, and so are all NaNs."""
    plain = np.where(np.isnan(values), np.nan, values + 0.0)
    bits = plain.view(np.int64)
    return bits ^ ((bits >> 63) & SIGN)


def _to_floats(keys: Int64s) -> NDArray[np.float64]:
    bits = keys ^ ((keys >> 63) & SIGN)
    return bits.view(np.float64)
