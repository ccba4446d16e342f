"""Sums and averages of blocks against fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cepheid.kernels.arrays import Float64s, Int64s
from cepheid.kernels.jit import kernel
from cepheid.kernels.predicates import block_values

LIMIT = 2**63


# What only kernels call has no entry point.
@kernel
def added_up(integers: Int64s, floats: Float64s, is_float: int) -> tuple[int, float]:
    integer, real = 0, 0.0
    for index in range(integers.size):
        integer, real = block_values.with_value(
            integer, real, integers[index], floats[index], is_float
        )
    return integer, real


@kernel
def average(integer: int, real: float, count: int, is_float: int) -> float:
    return block_values.average(integer, real, count, is_float)


@kernel
def sum_of(integer: int, real: float) -> float:
    return block_values.sum_of(integer, real)


near_a_power = st.builds(
    lambda power, rest, sign: max(-LIMIT, min(LIMIT - 1, sign * (2**power + rest))),
    st.integers(0, 63),
    st.integers(-3, 3),
    st.sampled_from((1, -1)),
)
integers = st.integers(-LIMIT, LIMIT - 1) | near_a_power
large = st.builds(
    lambda mantissa, power: mantissa * 2.0**power, st.integers(-3, 3), st.integers(1018, 1022)
)


def sum_of_integers(values: Sequence[int]) -> tuple[int, float]:
    with np.errstate(over="ignore"):  # without compiler NumPy tells that integers wrap
        return added_up(np.array(values, np.int64), np.zeros(len(values)), 0)


def sum_of_floats(values: Sequence[float]) -> tuple[int, float]:
    with np.errstate(over="ignore"):
        return added_up(np.zeros(len(values), np.int64), np.array(values), 1)


@given(st.lists(integers, min_size=1, max_size=9))
def test_sums_of_integers_are_exact(values: list[int]) -> None:
    integer, carries = sum_of_integers(values)
    assert integer + 2**64 * int(carries) == sum(values)
    assert (carries == 0.0) == (-LIMIT <= sum(values) < LIMIT)


@given(st.lists(integers, min_size=1, max_size=9))
def test_averages_of_integers_are_rounded_once(values: list[int]) -> None:
    integer, carries = sum_of_integers(values)
    assert average(integer, carries, len(values), 0) == float(Fraction(sum(values), len(values)))


@given(st.lists(large, min_size=1, max_size=9))
def test_floats_come_back_from_beyond_their_range(values: list[float]) -> None:
    exact = sum(map(Fraction, values), Fraction(0))
    state = sum_of_floats(values)
    limit = Fraction(2) ** 1024
    beyond = math.inf if exact > 0 else -math.inf
    assert sum_of(*state) == (float(exact) if abs(exact) < limit else beyond)
    assert average(*state, len(values), 1) == float(exact / len(values))


@given(st.lists(st.sampled_from((math.inf, -math.inf, math.nan, 1e308, 1.0)), min_size=1))
def test_what_is_not_finite_adds_up_as_it_is(values: list[float]) -> None:
    found = sum_of(*sum_of_floats(values))
    strange = [each for each in values if not math.isfinite(each)]
    if strange:
        expected = sum(strange)
        assert found == expected or (math.isnan(found) and math.isnan(expected))
