"""SASE+ section 6: value ranges and probabilities of the stock ticker."""

import numpy as np
import pytest

from cepheid.generate import generate


def moves(increase: float) -> np.ndarray:
    table = generate("stock", events=100_000, increase=increase)
    symbol, price = table["symbol"].to_numpy(), table["price"].to_numpy()
    return np.concatenate([np.diff(price[symbol == each]) for each in (1, 2)])


@pytest.mark.parametrize("increase", [0.7, 0.55])
def test_price_moves_with_the_papers_probabilities(increase: float):
    step = moves(increase)
    within = step[np.abs(step) <= 1]
    assert np.mean(within == 1) == pytest.approx(increase, abs=0.01)
    assert np.mean(within == -1) == pytest.approx((1 - increase) / 2, abs=0.01)
    assert np.mean(within == 0) == pytest.approx((1 - increase) / 2, abs=0.01)


def test_price_wraps_at_the_ends_only():
    step = moves(0.7)
    assert set(step) == {-999, -1, 0, 1} or set(step) == {-999, -1, 0, 1, 999}
    assert np.mean(np.abs(step) > 1) < 0.002


def test_value_ranges():
    table = generate("stock", events=200_000)
    assert table["symbol"].unique().to_pylist() in ([1, 2], [2, 1])
    assert np.mean(table["symbol"].to_numpy() == 1) == pytest.approx(0.5, abs=0.01)
    for name in ("price", "volume"):
        values = table[name].to_numpy()
        assert (values.min(), values.max()) == (1, 1000)


def test_volume_is_uniform():
    volume = generate("stock", events=200_000)["volume"].to_numpy()
    assert np.mean(volume < 150) == pytest.approx(0.149, abs=0.005)


def test_queries_of_the_paper_start_often_enough():
    price = generate("stock", events=100_000)["price"].to_numpy()
    assert np.mean(price % 500 == 0) == pytest.approx(0.002, abs=0.001)


def test_more_symbols():
    table = generate("stock", events=20_000, symbols=50)
    assert np.bincount(table["symbol"].to_numpy())[1:].min() > 300
