"""Sums of integers that may cancel: what double, low word and the sum of the sizes tell together.

The sum of the sizes bounds how far a double can be off. As long as that is less than 2^62, double
and low word determine the sum, whatever it is. Beyond, a sum is *undecided*, unless the double is
large enough to tell that the sum leaves 64 bits. BIGINT sums carry the sum of the sizes; for others
the number of values times the largest size will do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.trends.measures import TIER_BITS, EventMeasures
from cepheid.kernels.values.value_arrays import ValueRows
from cepheid.program.aggregate_output import AggregateOutput, Form, NumberKind

Float64s = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Bounds = Mapping[int, Float64s]  # of the sum of the sizes, likewise
ExactSums = Mapping[int, Sequence[int]]  # by number, for every row
MOST_BITS = 20_000  # beyond every double
BIGINT_LIMIT = 2.0**63
DOUBT = 1e-9  # how far a float may be from the number it stands for, beside what was added up


def as_double(values: ValueRows, number: int) -> Float64s:
    """Return a number of every row; infinite if it is too large."""
    return scaled(values.mantissa[:, number], values.tier[:, number])


def scaled(mantissa: Float64s, tier: NDArray[np.int64]) -> Float64s:
    """Return mantissa * 2^(512 * tier)."""
    if not tier.any():
        return mantissa
    exponent = np.clip(TIER_BITS * np.clip(tier, -MOST_BITS, MOST_BITS), -MOST_BITS, MOST_BITS)
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(mantissa, exponent.astype(np.int32))


def signed_sums(output: AggregateOutput) -> dict[int, int]:
    """Return the BIGINT sums of signed integers: number, and number of the sum of the sizes.

    Those of what matches give are left out: nothing that events add tells their residues.
    """
    return {
        each.number: each.magnitude
        for each in output.columns
        if each.form is Form.NUMBER
        and each.magnitude is not None
        and not output.numbers[each.number - 1].is_of_match
    }


def rounded_sums(output: AggregateOutput) -> dict[int, int]:
    """Return sums of integers that are shown as DOUBLE or divided: number, and that of values."""
    return {
        each.number: each.values
        for each in output.columns
        if each.is_whole and each.kind is NumberKind.DOUBLE and each.values is not None
    }


def largest_sizes(output: AggregateOutput, measures: EventMeasures) -> list[float]:
    """Return of every rounded sum the largest size of a value that it adds up."""
    attributes = (output.numbers[number - 1].attribute for number in rounded_sums(output))
    return [measures.largest(each or "") for each in attributes]


def bounds_by_largest(
    values: ValueRows, output: AggregateOutput, largest: Sequence[float]
) -> Bounds:
    """Return the bounds of rounded sums, given the largest size of each."""
    with np.errstate(over="ignore", invalid="ignore"):  # then nothing is determined
        return {
            number: as_double(values, count) * size
            for (number, count), size in zip(rounded_sums(output).items(), largest, strict=True)
        }


def fits_at_once(bound: Float64s) -> bool:
    """Whether all sums surely fit 63 bits, so that low words are the sums."""
    return bool(bound.max(initial=0.0) < BIGINT_LIMIT * (1 - DOUBT))


def is_determined(bound: Float64s) -> Booleans:
    """Return in which rows double and low word determine a sum."""
    determined: Booleans = bound * DOUBT < BIGINT_LIMIT / 2
    return determined


def undecided(values: ValueRows, number: int, magnitude: int) -> Booleans:
    """Return of which sums neither their value is known nor that they are beyond 64 bits."""
    sizes = values.mantissa[:, magnitude]
    share = scaled(
        np.abs(values.mantissa[:, number]) / np.where(sizes == 0, 1.0, sizes),
        values.tier[:, number] - values.tier[:, magnitude],
    )  # of the sizes: so much is left
    is_large = (share > 2 * DOUBT) & (np.abs(as_double(values, number)) / 2 > BIGINT_LIMIT)
    return ~is_determined(as_double(values, magnitude)) & ~is_large


def determined_sums(values: ValueRows, number: int) -> list[int]:
    """Return sums that double and low word determine: what is next to the double."""
    found = []
    doubles = as_double(values, number).tolist()
    for double, low in zip(doubles, values.low[:, number].tolist(), strict=True):
        near = int(double)
        distance = (low - near) % 2**64
        found.append(near + distance - (2**64 if distance >= 2**63 else 0))
    return found


def nearest_doubles(values: ValueRows, number: int, bound: Float64s) -> Float64s:
    """Return doubles without what cancelling lost, where low words tell; else as they are."""
    low = values.low[:, number]
    if fits_at_once(bound):
        return low.astype(np.float64)
    size = as_double(values, number)
    determined = is_determined(bound)
    near = np.where(determined, size, 0.0)
    rest = np.fmod(near, 2.0**64)
    wrapped = np.abs(rest).astype(np.uint64)
    wrapped = np.where(rest < 0, ~wrapped + np.uint64(1), wrapped)
    distance = (np.ascontiguousarray(low).view(np.uint64) - wrapped).view(np.int64)
    nearest = near + distance
    nearest = np.where(np.abs(nearest) < BIGINT_LIMIT / 2, low.astype(np.float64), nearest)
    return np.where(determined, nearest, size)
