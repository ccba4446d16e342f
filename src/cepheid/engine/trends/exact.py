"""Counts of any size: the same fold gives residues by several primes, which determine the count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.trends.measures import TIER_BITS
from cepheid.kernels.values.value_arrays import NOTHING, Measures, ValueRows

Int64s = NDArray[np.int64]
FIRST_BELOW = 2**31  # so that products of residues fit 64 bits
BITS_PER_PRIME = 30.9
BIGINT_BITS = 62.9  # below that the low word is the count
PRIMES_AT_ONCE = 32


def exact_counts(values: ValueRows, fold_again: Callable[[Sequence[int]], ValueRows]) -> list[int]:
    """Return the count of every row.

    `fold_again` gives the same rows with counts modulo primes: numbers 1, 2, … of the values. How
    often it is called grows with the number of digits of the largest count.
    """
    largest = _bits(values, 0)
    if largest < BIGINT_BITS:
        return [int(each) for each in values.low[:, 0]]
    return _by_residues(largest, PRIMES_AT_ONCE, lambda primes: fold_again(primes).low[:, 1:])[0]


def exact_sums(
    values: ValueRows, magnitude: int, fold_again: Callable[[Sequence[int]], ValueRows]
) -> list[int]:
    """Return the sum of every row; `magnitude` is the number that bounds it.

    `fold_again` gives the same rows with sums modulo primes: see `sum_residues`.
    """
    totals, product = _by_residues(
        _bits(values, magnitude) + 2,
        PRIMES_AT_ONCE // 2,
        lambda primes: fold_again(primes).low[:, 1::2],
    )
    return [each if 2 * each < product else each - product for each in totals]


def _bits(values: ValueRows, number: int) -> float:
    """Return how many bits the largest of numbers that are not negative has."""
    bits = np.log2(np.maximum(values.mantissa[:, number], 1.0)) + TIER_BITS * values.tier[:, number]
    return float(bits.max(initial=0.0))


def _by_residues(
    bits: float, at_once: int, residues_by: Callable[[Sequence[int]], Int64s]
) -> tuple[list[int], int]:
    """Return what is determined by its residues by primes, and the product of these."""
    primes = primes_below(FIRST_BELOW, int(bits / BITS_PER_PRIME) + 2)
    total: list[int] = []
    product = 1
    for begin in range(0, len(primes), at_once):
        some = primes[begin : begin + at_once]
        found = residues_by(some)
        total = total or [0] * found.shape[0]
        for number, prime in enumerate(some):
            inverse = pow(product, -1, prime)
            total = [
                each + product * ((residue - each) * inverse % prime)
                for each, residue in zip(total, found[:, number].tolist(), strict=True)
            ]
            product *= prime
    return total, product


def residues(primes: Sequence[int], events: int) -> Measures:
    """Return measures of so many events that count trends modulo primes, and nothing else."""
    count = len(primes) + 1
    return Measures(
        np.array([0, *primes], np.int64),
        np.zeros(count, np.uint64),
        np.zeros((count, events)),
        np.zeros((count, events), np.int64),
        np.zeros((count, events), np.int64),
        np.zeros(0, np.uint64),
        np.full((0, events), NOTHING, np.int64),
    )


def sum_residues(primes: Sequence[int], measures: Measures, number: int) -> Measures:
    """Return measures that add up what a number does modulo primes, and count trends by them."""
    found = residues([prime for prime in primes for _ in range(2)], measures.mantissa.shape[1])
    low, is_wrapped = (
        measures.low[number],
        (measures.low[number] < 0) & (measures.mantissa[number] > 0),
    )
    for place, prime in enumerate(primes):
        at = 1 + 2 * place
        found.moduli[at] = -prime
        found.positions[at] = measures.positions[number]
        found.low[at] = (low % prime + is_wrapped * (2**64 % prime)) % prime
    return found


def primes_below(limit: int, count: int) -> list[int]:
    """Return the largest primes below a limit.

    >>> primes_below(100, 3)
    [97, 89, 83]
    """
    found: list[int] = []
    candidate = limit - 1
    while len(found) < count:
        if _is_prime(candidate):
            found.append(candidate)
        candidate -= 1
    return found


def _is_prime(number: int) -> bool:
    """The test of Miller and Rabin; these bases decide every number below 3,215,031,751."""
    if number < 2:
        return False
    for prime in (2, 3, 5, 7):
        if number % prime == 0:
            return number == prime
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True
