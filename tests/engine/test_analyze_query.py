"""EXPLAIN ANALYZE of one query: what was counted, and the time of every stage."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cepheid

ROLES = {"time": "ts", "type": "kind"}
EVENTS = pa.table({"ts": range(8), "kind": list("AABBABBC"), "x": [1, 2, 1, 3, 2, 2, 4, 0]})


def counts(text: str) -> dict[str, int]:
    return dict(cepheid.query(text).analyze(EVENTS, **ROLES).report.counts)


def test_nodes_and_edges_of_a_graph_of_positions():
    """Every event of the pattern is a node; each B has one edge, to all A that wait."""
    found = counts("PATTERN SEQ(A a, B b)")
    assert (found["nodes"], found["edges"], found["matches"]) == (7, 4, 10)
    assert "runs merged" not in found


def test_runs_that_are_kept_and_merged():
    """The last predicate reads x of A: so at each B the runs of 1 stay apart from those of 2.

    Two A have a 2, so later B have an edge more than runs; and C has an edge to every B.
    """
    apart = counts("PATTERN SEQ(A a, B b, C c) WHERE a.x + c.x < 9")
    assert apart["runs kept"] == apart["nodes"] == 3 + 4 * 2 + 1
    assert (apart["edges"], apart["runs merged"]) == (2 + 2 + 3 + 3 + 8, 2 + 7)
    merged = counts("PATTERN SEQ(A a, B b, C c) WHERE b.x + c.x < 9")
    assert (merged["runs kept"], merged["edges"], merged["runs merged"]) == (8, 14, 9)


def test_panes_and_values_of_an_aggregate():
    found = counts("PATTERN SEQ(A a, B b) WITHIN 4 SLIDE 2 RETURN SUM(b.x) AS total")
    assert (found["steps"], found["panes"], found["windows open at once"]) == (7, 4, 2)
    assert found["runs kept at once"] % 2 == 0


def test_values_by_last_event():
    found = counts("PATTERN B b+ WHERE b.x <= NEXT(b).x RETURN COUNT(*) AS n")
    assert found["runs kept at once"] == 4


@pytest.mark.parametrize("is_stored", [False, True])
def test_every_stage_has_its_time(is_stored, tmp_path):
    given = EVENTS
    if is_stored:
        given = str(tmp_path / "events.parquet")
        pq.write_table(EVENTS, given)
    found = cepheid.query("PATTERN SEQ(A a, B b)").analyze(given, **ROLES)
    stages = found.report.stages
    assert {"read", "plan", "order", "fold", "walk", "convert"} <= set(stages)
    assert sum(stages.values()) <= found.report.seconds
    assert "time: read" in found.text()


def test_a_workload_has_them_too():
    texts = [f"PATTERN SEQ({each}, B+) WITHIN 4 SLIDE 2 RETURN COUNT(*) AS n" for each in "AC"]
    found = cepheid.workload([*texts, "PATTERN SEQ(A a, B b)"]).analyze(EVENTS, **ROLES)
    assert {"read", "plan", "order", "fold", "columns"} <= set(found.report.stages)
    assert {"events that matter", "nodes", "edges"} <= set(found.report.counts)


def test_parts_of_a_query_are_named():
    text = cepheid.query("PATTERN A a AND SEQ(A b, B c) WITHIN 3").analyze(EVENTS, **ROLES).text()
    for part in ("first side", "second side", "pairs"):
        assert f"Folds of query: {part}\n" in text


class TestPlanned:
    def test_parts_of_a_query(self):
        text = cepheid.query("PATTERN A a AND SEQ(A b, B c) WITHIN 3").explain()
        assert "second side:  graph of positions, then graph of runs" in text
        assert "pairs:        pairs of windows" in text

    def test_folds_of_a_set(self):
        texts = [f"PATTERN SEQ({each}, B+) WITHIN 4 SLIDE 2 RETURN COUNT(*) AS n" for each in "AC"]
        text = cepheid.workload(texts).explain()
        assert "Folds of queries together\n  q1, q2:\n    1  counts of a set\n" in text

    def test_facts_that_do_not_exist(self):
        with pytest.raises(cepheid.ConfigError, match="there is no fact called 'row'"):
            cepheid.workload(["PATTERN A"]).explain(facts={"row": 3})
