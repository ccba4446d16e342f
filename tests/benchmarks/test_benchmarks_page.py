"""The ratios and dates in docs/reference/benchmarks.md are those of the stored results."""

import json
import re
from pathlib import Path

import pytest

from tools.draw_ratios import LOSSES, RATIO, least_ratio, stream_ratios, won

REPOSITORY = Path(__file__).parent.parent.parent
PAGE = (REPOSITORY / "docs" / "reference" / "benchmarks.md").read_text(encoding="utf-8")
RESULTS = REPOSITORY / "benchmarks" / "results"
MEASURED = re.compile(r"^\| `([\w-]+)` \| (\S+) \| `(\w+)`(, changed)? \| (\S+) \|$", re.MULTILINE)
LINE = re.compile(r"^\| ([^|]+) \| ([\d.,]+) ms \|", re.MULTILINE)


def times(result: str) -> dict[str, float]:
    table = (RESULTS / f"{result}.md").read_text(encoding="utf-8")
    return {name: number(time) for name, time in LINE.findall(table)}


@pytest.mark.parametrize(
    ("question", "other", "its", "ours", "ratio", "rate", "line", "result"), RATIO.findall(PAGE)
)
def test_a_ratio_is_that_of_the_result(question, other, its, ours, ratio, rate, line, result):
    found = times(result)
    assert (number(its), number(ours)) == (found[other], found[line])
    assert float(ratio) == pytest.approx(found[other] / found[line], abs=0.051)
    table = (RESULTS / f"{result}.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| {line} \|[^|]+\|[^|]+\| {rate} \|", table, re.MULTILINE)


def test_every_row_of_ratios_is_read():
    assert len(won(PAGE)) == len(re.findall(r"^\|.* ms \| .* ms \| ", PAGE, re.MULTILINE)) > 0


@pytest.mark.parametrize("loss", LOSSES, ids=lambda each: each.other)
def test_what_is_drawn_as_a_loss_is_one(loss):
    assert least_ratio(loss) < 1


def test_the_picture_is_said_to_have_the_bars_that_it_has():
    ratios = [ratio for _, ratio in (*won(PAGE), *stream_ratios())]
    ratios += [least_ratio(each) for each in LOSSES]
    lost = sum(each < 1 for each in ratios)
    alternative = f"![{len(ratios)} comparisons, a bar for each: {lost} to the left of 1, "
    assert f"{alternative}where the other is faster, and {len(ratios) - lost} to the right]" in PAGE


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_every_result_that_is_named_is_there():
    assert {each for each in named_results() if not stored(each).exists()} == set()


def test_every_result_that_is_named_has_its_date():
    assert {each[0] for each in MEASURED.findall(PAGE)} == named_results()


@pytest.mark.parametrize(("result", "date", "commit", "changed", "load"), MEASURED.findall(PAGE))
def test_a_date_is_that_of_the_result(result, date, commit, changed, load):
    found = json.loads(stored(result).read_text(encoding="utf-8"))
    assert found["date"].startswith(date)
    assert found["commit"] == f"{commit}{'-dirty' if changed else ''}"
    assert float(load) == found["load_average"][0]


def named_results() -> set[str]:
    figures = set(re.findall(r"`((?:cogra|a-seq|hamlet)-fig-\w+|sase-pais)`", PAGE))
    return figures | set(re.findall(r"`([a-z0-9-]+-\d{4,})`", PAGE))


def stored(result: str) -> Path:
    alone = RESULTS / f"{result}.json"
    return alone if alone.exists() else RESULTS / "papers" / f"{result}.json"
