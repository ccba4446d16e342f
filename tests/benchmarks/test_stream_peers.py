"""One stream through several engines: all find the same, and what is measured is written."""

import json

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from benchmarks import stream_peers
from benchmarks.__main__ import main
from benchmarks.peers.flink import JARS


def test_the_matches_that_are_waited_for_are_those_of_the_query() -> None:
    events, window = stream_peers.make_events(5_000, 2_000), 2_000
    at = np.arange(5_000) * stream_peers.APART
    table = pa.table({"ts": at, "kind": events.types, "k": events.keys, "at": at})
    text = stream_peers.QUERY.replace("{window} milliseconds", str(window * stream_peers.APART))
    found = cepheid.query(text).run(table, time="ts", type="kind")[0].to_numpy()
    assert (
        np.bincount(found // stream_peers.APART, minlength=5_000).tolist() == events.ends.tolist()
    )


@pytest.mark.spark
def test_table_and_facts(tmp_path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(JARS, raising=False)
    assert main(["stream-peers", "--events", "1000", "--results", str(tmp_path)]) == 0
    facts = json.loads((tmp_path / "stream-peers-1000.json").read_text())
    assert facts["skipped"] == {"Flink CEP": "no jars (--flink-jars DIR)"}
    found = facts["contenders"]["Cepheid on Spark"]
    assert found["matches"] == stream_peers.make_events(3_000, 1_000).ends.sum()
    assert found["per_second"] > 0
    assert 0 < found["median"] <= found["slowest"]
    shown = capsys.readouterr().out
    assert "| Flink CEP | - | - | - | no jars (--flink-jars DIR) |" in shown
