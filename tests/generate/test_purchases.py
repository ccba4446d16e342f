"""A-Seq, application III: rounds of expensive purchases with stolen cards."""

from collections import defaultdict

import numpy as np
import pytest

from cepheid.generate import generate
from cepheid.generate.purchases import PATTERN


def by_card(**parameters: float) -> list[list[dict[str, object]]]:
    rows = generate("purchases", events=4_000, cards=10**9, **parameters).to_pylist()
    found = defaultdict(list)
    for row in rows:
        found[row["card"]].append(row)
    return list(found.values())[:100]  # begun well before the end of the table


def test_a_stolen_card_repeats_the_pattern():
    for bought in by_card(fraud=1.0, rounds=4, gap_seconds=1.0):
        assert tuple(row["category"] for row in bought) == 4 * PATTERN
        assert all(400 <= row["amount"] < 1500 for row in bought)


def test_other_purchases_are_single_and_small():
    for bought in by_card(fraud=0.0):
        assert len(bought) == 1
        assert 5 <= bought[0]["amount"] < 300


@pytest.mark.parametrize("fraud", [0.1, 0.5])
def test_share_of_thefts(fraud: float):
    rows = generate("purchases", events=50_000, fraud=fraud, rounds=1).to_pylist()
    stolen = np.mean([row["amount"] >= 400 for row in rows])
    assert stolen == pytest.approx(3 * fraud / (3 * fraud + 1 - fraud), abs=0.02)
