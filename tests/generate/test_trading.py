"""COGRA q3: prices of companies in sectors."""

import numpy as np
import pytest

from cepheid.generate import generate


def test_a_company_has_one_sector():
    table = generate("trading", events=20_000, companies=30, sectors=4)
    assert table.group_by(["company", "sector"]).aggregate([]).num_rows == 30
    assert sorted(table["sector"].unique().to_pylist()) == [1, 2, 3, 4]


@pytest.mark.parametrize("step", [1, 7])
def test_prices_walk(step: int):
    table = generate("trading", events=100_000, companies=2, step=step)
    company, price = table["company"].to_numpy(), table["price"].to_numpy()
    for each in (1, 2):
        steps = np.diff(price[company == each])
        assert np.abs(steps).max() == step
        assert abs(steps.mean()) < 0.1
    assert 100 <= price.min() <= price.max() <= 1100


def test_rate():
    table = generate("trading", events=6_000, transactions_per_minute=300.0)
    time = table["time"].to_numpy()
    assert (time[-1] - time[0]) / np.timedelta64(60, "s") == pytest.approx(20, rel=0.1)
