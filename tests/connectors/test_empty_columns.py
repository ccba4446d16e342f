"""Columns of text files without any value, and files without any event."""

from pathlib import Path
from typing import Any

import pytest

import cepheid

ROLES: Any = {"time": "ts", "type": "kind"}
FILES = {
    "events.csv": "ts,kind,x\n1,A,\n2,A,\n3,B,\n",
    "events.jsonl": "".join(
        f'{{"ts": {time}, "kind": "{kind}", "x": null}}\n'
        for time, kind in ((1, "A"), (2, "A"), (3, "B"))
    ),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("WHERE a.x > 0 RETURN a.x", []),
        ("WHERE a.x = 'text' RETURN a.x", []),
        ("WHERE a.x IS NULL RETURN a.x, a.x + 1 AS y", [{"a_x": None, "y": None}] * 2),
        ("RETURN SUM(a.x), AVG(b.x), MAX(a.x), COUNT(*)",
         [{"sum_a_x": None, "avg_b_x": None, "max_a_x": None, "count": 2}]),
        ("RETURN upper(a.x) AS u, hour(a.x) AS h", [{"u": None, "h": None}] * 2),
    ],
)  # fmt: skip
def test_a_column_without_values_fits_every_query(
    tmp_path: Path, name: str, text: str, expected: list[dict[str, object]]
) -> None:
    (tmp_path / name).write_text(FILES[name])
    query = cepheid.query(f"PATTERN SEQ(A a, B b) {text}")
    assert query.run(str(tmp_path / name), **ROLES).to_pylist() == expected


def test_medians_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text(FILES["events.csv"])
    query = cepheid.query(
        "PATTERN SEQ(A a, A+ b, B c) RETURN median(b[].x) AS m, string_agg(b[].x, '-') AS s"
    )
    result = query.run(str(tmp_path / "events.csv"), **ROLES)
    assert result.to_pylist() == [{"m": None, "s": None}]


@pytest.mark.parametrize(
    "text",
    ["WHERE [x] AND a.x > 0 WITHIN 5 minutes", "RETURN COUNT(*), SUM(a.x) HAVING SUM(a.x) > 3"],
)
def test_a_header_alone_gives_no_rows(tmp_path: Path, text: str) -> None:
    (tmp_path / "events.csv").write_text("ts,kind,x\n")
    result = cepheid.query(f"PATTERN SEQ(A a, B b) {text}").run(
        str(tmp_path / "events.csv"), **ROLES
    )
    assert result.num_rows == 0


def test_a_type_column_without_values_has_no_type(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("ts,kind,x\n1,,4\n2,,5\n")
    result = cepheid.query("PATTERN A a").run(str(tmp_path / "events.csv"), **ROLES)
    assert result.num_rows == 0
