"""COGRA q4: heart rates of patients."""

import numpy as np
import pytest

from cepheid.generate import generate
from cepheid.generate.activity import ACTIVE, PASSIVE


def test_eighteen_activities_of_fourteen_patients():
    table = generate("activity")
    assert set(table["activity"].unique().to_pylist()) == {*PASSIVE, *ACTIVE}
    assert len({*PASSIVE, *ACTIVE}) == 18
    assert sorted(table["patient"].unique().to_pylist()) == list(range(1, 15))


def test_class_follows_the_activity():
    for row in generate("activity", events=2_000).to_pylist():
        assert (row["class"] == "passive") == (row["activity"] in PASSIVE)


def test_rate_is_a_bounded_walk_per_patient():
    table = generate("activity", events=150_000)
    rate, patient = table["rate"].to_numpy(), table["patient"].to_numpy()
    assert (rate.min(), rate.max()) == (45, 130)
    for each in range(1, 15):
        assert np.abs(np.diff(rate[patient == each])).max() == 8
    # Reflection keeps the walk uniform.
    assert np.mean(rate < 60) == pytest.approx(15 / 85, abs=0.03)
    assert np.mean(rate > 100) == pytest.approx(30 / 85, abs=0.04)


@pytest.mark.parametrize("change", [0.0, 0.02, 0.5])
def test_activities_are_held(change: float):
    table = generate("activity", events=150_000, change=change)
    names, patient = np.array(table["activity"].to_pylist()), table["patient"].to_numpy()
    changes = sum(
        np.count_nonzero(names[patient == each][1:] != names[patient == each][:-1])
        for each in range(1, 15)
    )
    assert changes / 150_000 == pytest.approx(change * 17 / 18, abs=0.01)


def test_readings_per_minute():
    table = generate("activity", events=50_000, patients=10, readings_per_minute=30.0)
    minutes = (table["time"][-1].as_py() - table["time"][0].as_py()).total_seconds() / 60
    assert minutes == pytest.approx(50_000 / 300, rel=0.02)


def test_q4_has_matches():
    table = generate("activity")
    found = 0
    for patient in range(1, 15):
        rows = [row for row in table.to_pylist() if row["patient"] == patient]
        for index, first in enumerate(rows):
            if first["rate"] >= 60:
                continue
            for last in range(index + 2, len(rows)):
                if rows[last - 1]["class"] != "passive":
                    break
                if (rows[last]["time"] - first["time"]).total_seconds() >= 600:
                    break
                found += rows[last]["rate"] > 100
    assert found > 0
