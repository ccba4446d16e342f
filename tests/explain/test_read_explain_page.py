"""docs/how-to/read-explain.md explains every fold that EXPLAIN can name."""

import re

from cepheid.engine.catalogue import FOLDS
from tests.shown_code import REPOSITORY

PAGE = (REPOSITORY / "docs" / "how-to" / "read-explain.md").read_text(encoding="utf-8")


def test_every_fold_has_a_row():
    section = PAGE.partition("## The folds")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)
    assert sorted({*rows} - {"fold", "---"}) == sorted({each.name for each in FOLDS})
