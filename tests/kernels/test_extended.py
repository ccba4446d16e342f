"""Extended numbers against fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cepheid.kernels.jit import kernel
from cepheid.kernels.values import extended
from cepheid.kernels.values.add_by_key import add_by_key
from cepheid.kernels.values.value_arrays import ValueRows

TIER = 2**512


# What only kernels call has no entry point.
@kernel
def added(mantissa: float, tier: int, other: float, other_tier: int) -> tuple[float, int]:
    return extended.added(mantissa, tier, other, other_tier)


@kernel
def multiplied(mantissa: float, tier: int, factor: float) -> tuple[float, int]:
    return extended.multiplied(mantissa, tier, factor)


@kernel
def product(mantissa: float, tier: int, other: float, other_tier: int) -> tuple[float, int]:
    return extended.product(mantissa, tier, other, other_tier)


whole_numbers = st.one_of(
    st.integers(0, 100),
    st.integers(2**53 - 2, 2**53 + 2),
    st.integers(2**63 - 2, 2**64 + 2),
    st.integers(2**250, 2**260),
    st.builds(lambda shift, rest: (1 << shift) + rest, st.integers(0, 3000), st.integers(0, 2**60)),
)


def encode(value: int) -> tuple[float, int]:
    if value < 0:
        mantissa, tier = encode(-value)
        return -mantissa, tier
    tier = max(0, -((256 - value.bit_length()) // 512))
    mantissa = float(Fraction(value, TIER**tier))
    return (mantissa / 2.0**512, tier + 1) if mantissa >= 2.0**256 else (mantissa, tier)


def decode(mantissa: float, tier: int) -> Fraction:
    return Fraction(mantissa) * TIER**tier


def is_close(found: tuple[float, int], expected: Fraction | int, roundings: int = 2) -> bool:
    return abs(decode(*found) - expected) <= Fraction(roundings, 2**52) * expected


def is_normal(mantissa: float, tier: int) -> bool:
    return (mantissa == 0.0 and tier == 0) or (
        tier >= 0 and 2.0**-256 <= mantissa < 2.0**256 and (tier > 0 or mantissa >= 1.0)
    )


def low_word(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


@given(whole_numbers)
def test_encoding_of_the_tests(value):
    assert is_normal(*encode(value))
    assert is_close(encode(value), value)


@given(whole_numbers, whole_numbers)
def test_added(one, other):
    found = added(*encode(one), *encode(other))
    assert is_normal(*found)
    assert is_close(found, one + other)
    assert found == added(*encode(other), *encode(one))


@given(st.integers(0, 2**52), st.integers(0, 2**52))
def test_sums_up_to_2_to_the_53_are_exact(one, other):
    assert decode(*added(*encode(one), *encode(other))) == one + other


@given(whole_numbers, st.integers(1, 2**40))
def test_multiplied(value, factor):
    found = multiplied(*encode(value), float(factor))
    assert is_normal(*found)
    assert is_close(found, value * factor)


signed_numbers = st.builds(
    lambda sign, value: sign * value, st.sampled_from((-1, 1)), whole_numbers
)


@given(signed_numbers, signed_numbers)
def test_signed_sums(one, other):
    found = added(*encode(one), *encode(other))
    error = abs(decode(*found) - (one + other))
    assert error <= Fraction(2, 2**52) * max(abs(one), abs(other))
    assert found[0] == 0.0 or 2.0**-256 <= abs(found[0]) < 2.0**256
    assert found == added(*encode(other), *encode(one))


@given(signed_numbers, signed_numbers)
def test_product(one, other):
    found = product(*encode(one), *encode(other))
    assert abs(decode(*found) - one * other) <= Fraction(3, 2**52) * abs(one * other)
    assert (found[0] == 0.0 and found[1] == 0) or 2.0**-256 <= abs(found[0]) < 2.0**256


def test_small_products_leave_the_lowest_tier_only_below_its_range():
    assert product(2.0**-200, 1, 2.0**-200, 0) == (2.0**112, 0)
    assert product(2.0**-200, 0, 2.0**-200, 0) == (2.0**112, -1)


@given(st.lists(st.tuples(st.integers(0, 3), whole_numbers), max_size=12))
def test_add_by_key(numbers):
    encoded = [encode(value) for _, value in numbers]
    keys = np.array([key for key, _ in numbers], np.int64)
    rows = ValueRows(
        keys,
        keys,
        np.array([[mantissa] for mantissa, _ in encoded], np.float64).reshape(-1, 1),
        np.array([[tier] for _, tier in encoded], np.int64).reshape(-1, 1),
        np.array([[low_word(value)] for _, value in numbers], np.int64).reshape(-1, 1),
        np.zeros((keys.size, 0), np.int64),
    )
    none = np.zeros((4, 1), np.int64)
    totals = ValueRows(none[:, 0], none[:, 0], np.zeros((4, 1)), none, none.copy(), none[:, :0])
    with np.errstate(over="ignore"):  # low words wrap on purpose
        add_by_key(keys, rows, np.zeros(1, np.int64), totals)
    for key in range(4):
        expected = sum(value for other, value in numbers if other == key)
        found = float(totals.mantissa[key, 0]), int(totals.tier[key, 0])
        assert is_close(found, expected, len(numbers) + 2)
        assert totals.low[key, 0] == low_word(expected)
