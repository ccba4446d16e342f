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
def test_a_column_without_values_is_a_text_that_can_be_cast(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(FILES[name])
    path = str(tmp_path / name)
    listed = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.x IS NULL RETURN a.x, upper(a.x) AS u")
    assert listed.run(path, **ROLES).to_pylist() == [{"a_x": None, "u": None}] * 2
    summed = cepheid.query("PATTERN SEQ(A a, B b) RETURN SUM(CAST(a.x AS INT)) AS s, COUNT(*) AS n")
    assert summed.run(path, **ROLES).to_pylist() == [{"s": None, "n": 2}]
    with pytest.raises(cepheid.BindingError, match="SUM needs numbers"):
        cepheid.query("PATTERN SEQ(A a, B b) RETURN SUM(a.x)").run(path, **ROLES)


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
