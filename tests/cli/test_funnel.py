"""`cepheid funnel` on files."""

import json
from pathlib import Path

import pytest

from tests.cli.command import EXAMPLES, cepheid

CLICKS = EXAMPLES / "clicks.jsonl"
ASKED = ("--by", "userId", "--within", "1 hour", "-s", "ViewKindle", "-s", "BuyKindle", "-s",
         "BuyCase")  # fmt: skip


def test_a_table_is_printed() -> None:
    done = cepheid("funnel", CLICKS, *ASKED, "-q")
    assert done.code == 0
    assert [line.split()[:2] for line in done.lines] == [
        ["step", "name"], ["1", "ViewKindle"], ["2", "BuyKindle"], ["3", "BuyCase"],
    ]  # fmt: skip


def test_formats(tmp_path: Path) -> None:
    done = cepheid("funnel", CLICKS, *ASKED, "-q", "-f", "json")
    rows = [json.loads(line) for line in done.lines]
    assert [each["step"] for each in rows] == [1, 2, 3]
    assert rows[0]["keys"] > rows[1]["keys"] > 0
    for name, start in (("funnel.csv", '"step"'), ("funnel.html", "<!DOCTYPE"), ("f.txt", "step")):
        wanted = ["-f", "table"] if name.endswith("txt") else []
        assert cepheid("funnel", CLICKS, *ASKED, *wanted, "-o", tmp_path / name).code == 0
        assert (
            (tmp_path / name).read_text("utf-8").replace('"', "").startswith(start.replace('"', ""))
        )


def test_mistakes_are_told() -> None:
    done = cepheid("funnel", CLICKS, *ASKED, "--mode", "strict")
    assert done.code == 2
    assert "contiguous, no-repeats, ordered" in done.stderr


@pytest.mark.spark
@pytest.mark.slow
def test_on_spark() -> None:
    here, there = (
        cepheid("funnel", CLICKS, *ASKED, "-q", *more) for more in ((), ("--engine", "spark"))
    )
    assert there.stdout == here.stdout
