"""Comparisons with NULL never hold: EXPLAIN, `check` and every run say so."""

import logging

import pyarrow as pa
import pytest

import cepheid
from tests.cli.command import cepheid as command

EVENTS = pa.table({"time": [1, 2, 3], "x": [1.0, None, float("nan")]})
NEVER = "never holds"


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("a.x = NULL", [("'a.x = NULL'", "IS NULL")]),
        ("NULL != a.x", [("'NULL != a.x'", "write a.x IS NOT NULL")]),
        ("NOT (a.x > 1 OR a.x <> NULL)", [("'a.x != NULL'", "write a.x IS NOT NULL")]),
        ("1 < a.x < NULL", [("'a.x < NULL'", "IS NULL")]),
        ("contiguous(a) { a.x = NULL AND a.x = NULL }", [("'a.x = NULL'", "IS NULL")] * 2),
        ("CASE WHEN a.x = NULL THEN 1 ELSE 2 END = 1", [("'a.x = NULL'", "IS NULL")]),
        ("coalesce(CASE WHEN NOT a.x != NULL THEN 1 END, 2) = 1", [("'a.x != NULL'", "IS NOT")]),
        ("a.x NOT IN (1, NULL)", [("'a.x NOT IN (1, NULL)'", "write a.x NOT IN (1)")]),
        ("NOT (a.x > 1 OR a.x IN (NULL))", [("'a.x NOT IN (NULL)'", "write a.x IS NOT NULL")]),
        ("a.x IN (NULL)", [("'a.x IN (NULL)'", "write a.x IS NULL")]),
        ("a.x BETWEEN NULL AND 2", [("'a.x BETWEEN NULL AND 2'", "write a.x <= 2")]),
        ("a.x BETWEEN 2 AND NULL", [("'a.x BETWEEN 2 AND NULL'", "write a.x >= 2")]),
        ("a.x NOT BETWEEN NULL AND NULL", [("'a.x NOT BETWEEN NULL AND NULL'", "two values")]),
        ("a.type LIKE NULL", [("'a.type LIKE NULL'", "or a.type IS NULL")]),
        ("a.type NOT LIKE NULL", [("'a.type NOT LIKE NULL'", "write a.type LIKE 'a%'")]),
        ("a.x = 1 OR a.x IN (1, NULL) OR a.x NOT BETWEEN NULL AND 2 OR a.x NOT IN (1)", []),
    ],
)
def test_warnings(where: str, expected: list[tuple[str, str]]) -> None:
    query = cepheid.query(f"PATTERN A a WHERE {where}")
    found = query.bind().warnings
    assert [each.code for each in found] == ["never-holds"] * len(expected)
    for each, (text, hint) in zip(found, expected, strict=True):
        assert each.message.startswith(f"{text} {NEVER}")
        assert hint in str(each.hint)
    assert query.explain().count(NEVER) == len(expected)


def test_having() -> None:
    query = cepheid.query("PATTERN A a RETURN COUNT(*) AS n HAVING n = NULL")
    assert [each.code for each in query.bind().warnings] == ["never-holds"]


def test_a_run_says_so(caplog: pytest.LogCaptureFixture) -> None:
    text = "PATTERN A a WHERE a.x != NULL"
    for attempt in ("first", "second"):
        caplog.clear()
        with caplog.at_level(logging.WARNING, "cepheid"):
            assert cepheid.query(text, name="q").run(EVENTS, time="time").num_rows == 0
        assert [NEVER in each.getMessage() for each in caplog.records] == [True], attempt
    caplog.clear()
    with caplog.at_level(logging.WARNING, "cepheid"):
        cepheid.workload([text, "PATTERN A a"]).run(EVENTS, time="time")
    assert [each.getMessage().split(":")[0] for each in caplog.records] == ["query 'q1'"]


def test_what_the_hint_says_to_write() -> None:
    found = cepheid.query("PATTERN A a WHERE a.x = a.x RETURN a.time").run(EVENTS, time="time")
    assert found.to_pylist() == [{"a_time": 1}]


def test_check(tmp_path) -> None:
    path = tmp_path / "q.cep"
    path.write_text("PATTERN A a WHERE a.x = NULL")
    outcome = command("check", path)
    assert (outcome.code, "ok" in outcome.stdout) == (0, True)
    assert NEVER in outcome.stderr
    assert "line 1, column 19" in outcome.stderr.replace("\n", " ")
