"""The grid of workloads has all its points, and every way to answer one gives the same results."""

import json

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.measured_points import Measured, MeasuredPoints
from benchmarks.run_grid import summary
from benchmarks.sharing_costs import WHAT, fitted, lines_of
from benchmarks.sharing_grid import WAYS, grid_points
from cepheid.plan.sharing_costs import VALUE_COSTS


def measured(point: str, *seconds: float) -> Measured:
    return Measured(point, dict(zip(WAYS, seconds, strict=True)))


def test_all_points():
    names = [each.name for each in grid_points(1000)]
    assert len(names) == len(set(names)) == 6 * 4 * 4 * 3 * 3 + 4
    assert "SUM(T.x), 12 queries, bursts of 6, 10 windows, 8 partitions" in names
    assert names[-4:] == [
        f"HAMLET figure 1, [{columns}], {events} events"
        for events in ("1,000", "10,000")
        for columns in ("driver, rider", "district")
    ]


def test_queries_of_a_point_differ():
    for point in grid_points(1000, 20):
        assert len(set(point.queries)) == len(point.queries)


def test_some_points_run(tmp_path, capsys):
    options = ["--points", "2", "--events", "600", "--repeat", "1", "--results", str(tmp_path)]
    assert main(["sharing-grid", *options]) == 0
    (written,) = tmp_path.iterdir()
    facts = json.loads(written.read_text())
    assert len(facts["points"]) == 6
    assert set(facts["points"][0]["seconds"]) == set(facts["sums"]) == set(WAYS)
    assert facts["worst"]["ratio"] == max(each["ratio"] for each in facts["points"])
    assert facts["lost"] == sum(each["ratio"] > 1.1 for each in facts["points"])
    assert "sum over all points" in capsys.readouterr().out


def test_an_interrupt_loses_no_point(tmp_path, capsys, monkeypatch):
    asked = []

    def interrupted(point, rounds):
        if len(asked) == 2:
            raise KeyboardInterrupt
        asked.append(point.name)
        return measured(point.name, 4, 2, 3, 4)

    monkeypatch.setattr("benchmarks.run_grid.measure_point", interrupted)
    options = ["--points", "1", "--events", "600", "--results", str(tmp_path)]
    with pytest.raises(KeyboardInterrupt):
        main(["sharing-grid", *options])
    monkeypatch.setattr(
        "benchmarks.run_grid.measure_point",
        lambda point, rounds: asked.append(point.name) or measured(point.name, 4, 2, 3, 4),
    )
    assert main(["sharing-grid", *options]) == 0
    assert "2 points were measured before" in capsys.readouterr().out
    (written,) = tmp_path.iterdir()
    assert [each["point"] for each in json.loads(written.read_text())["points"]] == asked


def test_points_of_another_commit_and_half_a_line_are_forgotten(tmp_path):
    path = tmp_path / "points.jsonl"
    points = MeasuredPoints(path, {"commit": "a"})
    points.add(measured("one", 1, 2, 3, 4))
    path.write_text(path.read_text() + '{"point": "tw')
    again = MeasuredPoints(path, {"commit": "a"})
    assert again.known == {"one": measured("one", 1, 2, 3, 4)}
    again.add(measured("two", 4, 3, 2, 1))
    assert list(MeasuredPoints(path, {"commit": "a"}).known) == ["one", "two"]
    assert MeasuredPoints(path, {"commit": "b"}).known == {}


def test_points_are_those_of_the_grid(capsys):
    assert main(["w2", "--points", "2"]) == 2
    assert "--points is for sharing-grid alone, or for sharing-costs" in capsys.readouterr().out


def test_costs_are_compared_with_the_constants(capsys):
    assert main(["sharing-costs", "--points", "6", "--events", "600", "--repeat", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["measured", "constant", "ratio", "relative"]
    assert len(lines) == 1 + len(WHAT) + 1


def test_costs_are_those_that_make_the_difference():
    counted = np.array([[9.0, 4, 2, -3, -1], [1, 5, 2, -8, -2], [7, 7, 1, 0, 0], [3, 1, 4, -1, -5],
                        [2, 8, 8, -2, 0], [5, 0, 3, -9, -2]])  # fmt: skip
    costs = np.array([50.0, 28, 100, 420, 5000])
    found = fitted(list(counted), list(counted @ costs * 1e-9), [1.0, 2, 1, 3, 1, 1])
    assert np.allclose(found, costs)


@pytest.mark.parametrize(
    ("times", "far"),
    [([1, 1, 1, 1, 1], 0), ([3, 3, 3, 3, 3], 0), ([1, 1, 1, 3, 1], 1), ([1, 0, 1, 1, 0.4], 2)],
)
def test_constants_that_are_off_are_named(times, far):
    """A machine on which everything takes three times as long decides as others do."""
    *lines, found = lines_of(np.array(VALUE_COSTS[: len(WHAT)]) * times)
    assert sum(line.endswith("far off") for line in lines) == far
    assert found.startswith(f"{far} of 5 constants are off" if far else "the constants fit")


def test_losses_come_first_the_worst_on_top():
    points = [
        measured("even", 1, 1, 1, 1),
        measured("bad", 1, 1.2, 2, 2),
        measured("worse", 1, 3, 2, 2),
    ]
    lines = summary(points)
    assert lines[0].startswith("2 of 3 points")
    assert [line.split("  ")[-1] for line in lines[1:3]] == ["worse", "bad"]
    assert lines[3] == "at most 3.00 times the best of them: worse"
    assert "alone 3.00 s, dynamic 5.20 s" in lines[-1]
