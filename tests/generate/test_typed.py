"""SASE section 5.1: number of types, domain sizes, Zipf."""

import numpy as np
import pyarrow.compute as pc
import pytest

from cepheid.generate import generate


def shares(**parameters: float) -> dict[str, float]:
    counts = pc.value_counts(generate("typed", events=100_000, **parameters)["type"])
    return {each["values"]: each["counts"] / 100_000 for each in counts.to_pylist()}


def test_twenty_uniform_types():
    by_type = shares()
    assert set(by_type) == {f"E{number}" for number in range(1, 21)}
    assert all(share == pytest.approx(0.05, abs=0.004) for share in by_type.values())


def test_zipf_types():
    by_type = shares(types=4, theta=1.0)
    for number in (1, 2, 3, 4):
        assert by_type[f"E{number}"] == pytest.approx(12 / 25 / number, abs=0.01)


def test_one_type():
    assert shares(types=1, theta=2.0) == {"E1": 1.0}


@pytest.mark.parametrize(
    ("attribute", "size"),
    [("attr1", 100), ("attr2", 20), ("attr3", 10), ("attr4", 1000), ("attr5", 10_000)],
)
def test_default_domains_are_uniform(attribute: str, size: int):
    values = generate("typed", events=200_000)[attribute].to_numpy()
    assert set(np.unique(values)) == set(range(1, size + 1))
    assert values.mean() == pytest.approx((size + 1) / 2, rel=0.01)


def test_domain_size_is_a_parameter():
    table = generate("typed", events=5_000, attr1_values=3)
    assert sorted(table["attr1"].unique().to_pylist()) == [1, 2, 3]


def test_columns_are_independent():
    table = generate("typed", events=100_000)
    values = np.stack([table[f"attr{number}"].to_numpy() for number in range(1, 6)])
    assert np.abs(np.corrcoef(values) - np.eye(5)).max() < 0.02
