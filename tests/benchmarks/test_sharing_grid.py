"""The grid of workloads has all its points, and every way to answer one gives the same results."""

import json

import numpy as np

from benchmarks.__main__ import main
from benchmarks.run_grid import Measured, summary
from benchmarks.sharing_costs import WHAT, fitted, lines_of
from benchmarks.sharing_grid import WAYS, grid_points


def measured(point: str, *seconds: float) -> Measured:
    return Measured(point, dict(zip(WAYS, seconds, strict=True)))


def test_all_points():
    names = [each.name for each in grid_points(1000)]
    assert len(names) == len(set(names)) == 6 * 4 * 4 * 3 * 3 + 2
    assert "SUM(T.x), 12 queries, bursts of 6, 10 windows, 8 partitions" in names
    assert names[-2:] == ["HAMLET figure 1, [driver, rider]", "HAMLET figure 1, [district]"]


def test_queries_of_a_point_differ():
    for point in grid_points(1000, 20):
        assert len(set(point.queries)) == len(point.queries)


def test_some_points_run(tmp_path, capsys):
    options = ["--points", "2", "--events", "600", "--repeat", "1", "--results", str(tmp_path)]
    assert main(["sharing-grid", *options]) == 0
    (written,) = tmp_path.iterdir()
    facts = json.loads(written.read_text())
    assert len(facts["points"]) == 4
    assert set(facts["points"][0]["seconds"]) == set(WAYS)
    assert "sum over all points" in capsys.readouterr().out


def test_points_are_those_of_the_grid(capsys):
    assert main(["w2", "--points", "2"]) == 2
    assert "--points is for sharing-grid alone, or for sharing-costs" in capsys.readouterr().out


def test_costs_are_compared_with_the_constants(capsys):
    assert main(["sharing-costs", "--points", "6", "--events", "600", "--repeat", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["measured", "constant", "ratio"]
    assert len(lines) == 1 + len(WHAT)


def test_costs_are_those_that_make_the_difference():
    counted = np.array([[9.0, 4, 2, -3, -1], [1, 5, 2, -8, -2], [7, 7, 1, 0, 0], [3, 1, 4, -1, -5],
                        [2, 8, 8, -2, 0], [5, 0, 3, -9, -2]])  # fmt: skip
    costs = np.array([50.0, 28, 100, 420, 5000])
    found = fitted(list(counted), list(counted @ costs * 1e-9), [1.0, 2, 1, 3, 1, 1])
    assert np.allclose(found, costs)
    assert [line.split()[-1] for line in lines_of(costs * [1, 1, 1, 3, 1])].count("off") == 1


def test_losses_come_first_the_worst_on_top():
    points = [
        measured("even", 1, 1, 1, 1),
        measured("bad", 1, 1.2, 2, 2),
        measured("worse", 1, 3, 2, 2),
    ]
    lines = summary(points)
    assert lines[0].startswith("2 of 3 points")
    assert [line.split("  ")[-1] for line in lines[1:3]] == ["worse", "bad"]
    assert "alone 3.00 s, dynamic 5.20 s" in lines[-1]
