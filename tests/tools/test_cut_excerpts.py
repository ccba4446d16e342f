"""The excerpts of real data are those that their page describes."""

import csv
import re
from datetime import datetime

import pytest

from tools.cut_excerpts import DATA, _clock, _step_of_visit

PAGE = (DATA / "README.md").read_text(encoding="utf-8")
FILES = re.findall(r"^\| `(\w+\.csv)` \|.*?([\d,]+) rows \|", PAGE, re.MULTILINE)


def test_every_file_is_on_the_page():
    assert {name for name, _ in FILES} == {each.name for each in DATA.glob("*.csv")}


@pytest.mark.parametrize(("name", "count"), FILES)
def test_a_file_has_as_many_rows_as_the_page_says(name, count):
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == int(count.replace(",", ""))


@pytest.mark.parametrize(
    ("written", "meant"),
    [("517", datetime(2013, 6, 13, 5, 17)), ("2400", datetime(2013, 6, 14)), ("5.0", None)],
)
def test_times_of_day_are_read(written, meant):
    assert _clock(written) == (meant or datetime(2013, 6, 13, 0, 5))


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ('authentication for user "a b" with password "x" accepted', ("Login", "a b", "")),
        ('authentication for user "root" without credentials rejected', ("Fail", "root", "")),
        (
            "[channel 1] direct TCP/IP forwarding from 1.2.3.4:22 to [2a00::2e]:443 requested",
            ("Forward", "", "443"),
        ),
        ('[channel 0] command "uname -s" requested', ("Command", "", "")),
        ("connection closed", ("Close", "", "")),
        ("[channel 0] closed", ("", "", "")),
    ],
)
def test_lines_of_a_honeypot_are_read(line, step):
    assert _step_of_visit(line) == step
