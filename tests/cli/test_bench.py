"""`cepheid bench` lists and runs what is in the folder benchmarks of a clone."""

from pathlib import Path

import pytest

from cepheid.cli import bench
from tests.cli.command import cepheid


def test_lists_benchmarks_and_papers():
    outcome = cepheid("bench")
    assert outcome.code == 0
    assert all(name in outcome.stdout for name in ("w1-sparse", "sase", "sase-fig-8"))


def test_runs_one_figure(tmp_path):
    outcome = cepheid("bench", "sase", "--figure", "8", "--scale", "0.001", "--output", tmp_path)
    assert outcome.code == 0
    assert "The paper's curve" in outcome.stdout
    stem = "sase-fig-8-scale-0.001"
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{stem}.{ending}" for ending in ("json", "md", "svg")
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("w9",), "no benchmark is called w9"),
        (("sase", "--figure", "7"), "sase has no figure 7"),
        (("sase", "--events", "10"), "--events is for a benchmark, not for sase"),
        (("w2", "--scale", "0.1"), "--scale is for the experiments of a paper, not for w2"),
    ],
)
def test_arguments_that_do_not_fit(arguments, message):
    outcome = cepheid("bench", *arguments)
    assert outcome.code == 2
    assert message in outcome.stdout


def test_without_a_clone(monkeypatch, tmp_path):
    installed = tmp_path / "lib" / "site-packages" / "cepheid" / "__init__.py"
    monkeypatch.setattr(bench.cepheid, "__file__", str(installed))
    outcome = cepheid("bench")
    assert outcome.code == 2
    assert "benchmarks need a clone of the repository" in outcome.stderr
    assert Path(installed).exists() is False
