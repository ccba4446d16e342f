"""HAMLET: bursts of Travel, trips as in figure 1."""

from itertools import groupby

import numpy as np
import pytest

from cepheid.generate import generate


def burst_lengths(kinds: list[str]) -> list[int]:
    runs = [(kind, len(list(run))) for kind, run in groupby(kinds)]
    # The end of the table may cut the last burst.
    return [length for kind, length in runs[:-1] if kind == "Travel"]


@pytest.mark.parametrize(
    ("burst", "shortest", "longest"), [(1, 1, 1), (20, 10, 30), (120, 60, 180)]
)
def test_bursts_in_the_whole_stream(burst: int, shortest: int, longest: int):
    lengths = burst_lengths(generate("ridesharing", events=80_000, burst=burst)["kind"].to_pylist())
    assert (min(lengths), max(lengths)) == (shortest, longest)
    assert np.mean(lengths) == pytest.approx(burst, rel=0.05)


def test_bursts_in_a_partition():
    table = generate("ridesharing", events=80_000, burst=20)
    kinds = np.array(table["kind"].to_pylist())[table["district"].to_numpy() == 3]
    lengths = burst_lengths(kinds.tolist())
    assert (min(lengths), max(lengths)) == (10, 30)


def trips(**parameters: float) -> list[str]:
    # So many drivers and riders that a pair is one trip.
    many = {"drivers": 10**6, "riders": 10**6, "kinds": 5, "burst": 1}
    table = generate("ridesharing", events=30_000, **many, **parameters)
    by_pair: dict[tuple[int, int], str] = {}
    for row in table.select(["driver", "rider", "kind"]).to_pylist():
        pair = row["driver"], row["rider"]
        by_pair[pair] = by_pair.get(pair, "") + row["kind"][0]
    return list(by_pair.values())[:5000]  # begun well before the end of the table


def test_trips_are_served_cancelled_or_missed():
    stories = trips()
    assert set(stories) == {"RTPTD", "RTC", "RT"}
    assert stories.count("RTC") / len(stories) == pytest.approx(0.1, abs=0.02)
    assert stories.count("RT") / len(stories) == pytest.approx(0.1, abs=0.02)


def test_trips_without_cancellations():
    assert set(trips(cancelled=0.0, missed=0.0)) == {"RTPTD"}


def test_trips_overlap():
    table = generate("ridesharing", events=30_000, kinds=5, burst=1, trips=50)
    kinds = np.array(table["kind"].to_pylist())
    under_way = np.cumsum((kinds == "Request").astype(int) - (kinds == "Dropoff"))
    assert under_way[:1500].max() > 30


def test_district_and_type_belong_to_the_trip():
    table = generate("ridesharing", events=30_000, drivers=10**6, riders=10**6)
    pairs = table.group_by(["driver", "rider"]).aggregate(
        [("district", "count_distinct"), ("type", "count_distinct")]
    )
    assert set(pairs["district_count_distinct"].to_pylist()) == {1}
    assert set(pairs["type_count_distinct"].to_pylist()) == {1}


def test_rate_and_share_of_pool():
    table = generate("ridesharing", events=100_000, burst=1)
    minutes = (table["time"][-1].as_py() - table["time"][0].as_py()).total_seconds() / 60
    assert minutes == pytest.approx(10, rel=0.02)
    requests = table.filter(np.array(table["kind"].to_pylist()) == "Request")
    share = requests["type"].to_pylist().count("Pool") / requests.num_rows
    assert share == pytest.approx(0.4, abs=0.02)


def test_a_long_burst_needs_little_work():
    assert generate("ridesharing", events=250_000, burst=100_000).num_rows == 250_000
