"""Results that draw themselves: of workloads, analysed runs, and compressed matches."""

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import ConfigError
from tests.plot.pictures import LOGINS, ROLES

QUERY = "PATTERN SEQ(Fail f, !Logout o, Login s) WHERE [user] WITHIN 60"


def test_results_of_a_workload():
    queries = cepheid.workload({"pairs": QUERY, "all": "PATTERN Login s"})
    results = queries.run(LOGINS, **ROLES)
    assert results["all"].num_rows == 4
    drawn = cepheid.plot(queries, LOGINS, title="Both", **ROLES)
    assert results.plot(title="Both").svg() == drawn.svg()


def test_notebooks_show_the_rows_and_the_error_of_a_query_without_any():
    events = pa.table({"ts": [1, 2], "kind": ["A", "A"], "x": [2**62, 2**62]})
    queries = {"big": "PATTERN A a RETURN SUM(a.x) AS s", "all": "PATTERN A a"}
    shown = cepheid.workload(queries).run(events, **ROLES)._repr_html_()
    assert "<caption>2 rows</caption>" in shown
    assert "exceeds BIGINT" in shown


def test_analyzed_runs():
    found = cepheid.query(QUERY).analyze(LOGINS, **ROLES)
    assert found.plot().svg() == cepheid.plot(QUERY, LOGINS, **ROLES).svg()


def test_compressed_matches():
    query = cepheid.query(f"{QUERY} OUTPUT COMPRESSED")
    found = query.run(LOGINS, **ROLES)
    assert isinstance(found, cepheid.Compressed)
    assert found.plot(begin=20).svg() == cepheid.plot(query, LOGINS, begin=20, **ROLES).svg()


def test_a_result_that_does_not_know_its_events():
    query = cepheid.query(f"{QUERY} OUTPUT COMPRESSED", name="q")
    found = cepheid.workload([query]).run(LOGINS, **ROLES)["q"]
    with pytest.raises(ConfigError, match="does not know its events"):
        found.plot()
