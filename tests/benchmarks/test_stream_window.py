"""Steps of a stream in ever longer windows: what is measured is written."""

import json

import pytest

from benchmarks import run_stream_window
from benchmarks.__main__ import main
from benchmarks.contender import NotRunnableError
from benchmarks.stream_window import NOT_REPLAYED


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
    assert all(each["bytes_written"] > 0 for each in points)
    replayed = {each["query"] for each in points if each["replay_milliseconds"] is not None}
    assert replayed == run_stream_window.KINDS.keys() - {*NOT_REPLAYED}
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert len(rows) == len(points) + 1
    assert (tmp_path / "stream-window-6000.svg").read_text().startswith("<?xml")
    assert "NON OVERLAPPING" in (tmp_path / "stream-window-6000.md").read_text()


def test_an_interrupt_loses_nothing(tmp_path, monkeypatch):
    measure = run_stream_window.measure

    def interrupted(kind, *options, **others):
        if kind == "match any":
            raise KeyboardInterrupt
        return measure(kind, *options, **others)

    monkeypatch.setattr(run_stream_window, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        main(["stream-window", "--events", "6000", "--repeat", "1", "--results", str(tmp_path)])
    facts = json.loads((tmp_path / "stream-window-6000.json").read_text())
    assert [each["query"] for each in facts["points"]] == ["match"] * 4


def test_what_cannot_be_kept_is_not_measured(monkeypatch, capsys):
    def refuse(folder):
        raise NotRunnableError("not written")

    monkeypatch.setattr(run_stream_window, "require_clean", refuse)
    assert main(["stream-window", "--events", "6000", "--repeat", "1"]) == 2
    assert capsys.readouterr().out.strip() == "not written"
