"""Steps of a stream in ever longer windows: what is measured is written."""

import json

import pytest

from benchmarks import run_stream_window
from benchmarks.__main__ import main


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_stream_window, "WINDOWS", (3_000,))
    monkeypatch.setattr(run_stream_window, "KEYS", (1, 50))


def test_table_plot_and_facts(tmp_path, capsys):
    assert (
        main(["stream-window", "--events", "6000", "--repeat", "1", "--results", str(tmp_path)])
        == 0
    )
    facts = json.loads((tmp_path / "stream-window-6000.json").read_text())
    points = facts["points"]
    assert len(points) == len(run_stream_window.KINDS) * 2 * 2
    assert {each["window"] for each in points} == {3_000, 6_000}
    assert all(each["milliseconds"] > 0 and each["bytes_read"] > 0 for each in points)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert len(rows) == len(points) + 1
    assert (tmp_path / "stream-window-6000.svg").read_text().startswith("<?xml")
    assert "NON OVERLAPPING" in (tmp_path / "stream-window-6000.md").read_text()
