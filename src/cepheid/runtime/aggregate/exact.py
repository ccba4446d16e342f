"""Counts of any size: the same fold gives residues by several primes, which determine the count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cepheid.kernels.values import NOTHING, Measures, ValueRows
from cepheid.runtime.aggregate.measures import TIER_BITS

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
    bits = np.log2(np.maximum(values.mantissa[:, 0], 1.0)) + TIER_BITS * values.tier[:, 0]
    largest = float(bits.max(initial=0.0))
    if largest < BIGINT_BITS:
        return [int(each) for each in values.low[:, 0]]
    primes = primes_below(FIRST_BELOW, int(largest / BITS_PER_PRIME) + 2)
    total, product = [0] * bits.size, 1
    for begin in range(0, len(primes), PRIMES_AT_ONCE):
        some = primes[begin : begin + PRIMES_AT_ONCE]
        rows = fold_again(some)
        for number, prime in enumerate(some, start=1):
            inverse = pow(product, -1, prime)
            residues = rows.low[:, number].tolist()
            total = [
                each + product * ((residue - each) * inverse % prime)
                for each, residue in zip(total, residues, strict=True)
            ]
            product *= prime
    return total


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
