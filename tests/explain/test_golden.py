"""Explanations of whole queries, as files to read; `make golden` rewrites them."""

import os
import re
from pathlib import Path

import pytest

from cepheid.engine.plan_folds import plan_folds
from cepheid.explain.explain import explain
from cepheid.stream.explain_steps import plan_steps
from tests.explain.plans import CASE_NAMES, CASES, lasting_plan_of

DOCUMENTATION = Path(__file__).parents[2] / "docs"
UPDATE = bool(os.environ.get("CEPHEID_UPDATE_GOLDEN"))
ENDINGS = {"text": "txt", "json": "json", "mermaid": "mmd"}


@pytest.mark.parametrize("format", ENDINGS)
@pytest.mark.parametrize("name", CASE_NAMES)
def test_explanation_is_as_in_its_file(name, format):
    plan = lasting_plan_of((CASES / f"{name}.cep").read_text(encoding="utf-8"))
    found = explain(plan, plan_folds(plan), format=format) + "\n"
    path = CASES / f"{name}.{ENDINGS[format]}"
    if UPDATE:
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


class TestTheGuide:
    """docs/how-to/read-explain.md shows what explain really says."""

    GUIDE = DOCUMENTATION / "how-to" / "read-explain.md"
    PICTURE = DOCUMENTATION / "images" / "sase_plus_query_3.svg"
    PLAN = lasting_plan_of((CASES / "sase_plus_query_3.cep").read_text(encoding="utf-8"))

    def test_shows_the_text(self):
        guide = self.GUIDE.read_text(encoding="utf-8")
        before, block, after = re.split(r"(?s)(?<=```text\n)(.*?)(?=```)", guide, maxsplit=1)
        found = explain(self.PLAN, plan_folds(self.PLAN), plan_steps(self.PLAN)) + "\n"
        if UPDATE:
            self.GUIDE.write_text(f"{before}{found}{after}", encoding="utf-8")
            block = found
        assert block == found

    def test_shows_the_picture(self):
        found = explain(self.PLAN, format="svg") + "\n"
        if UPDATE:
            self.PICTURE.write_text(found, encoding="utf-8")
        assert self.PICTURE.read_text(encoding="utf-8") == found

    def test_explains_the_query_it_shows(self):
        code = re.search(
            r'(?s)cepheid\.query\("""(.*?)"""\)', self.GUIDE.read_text(encoding="utf-8")
        )
        assert lasting_plan_of(code.group(1)).query.tree == self.PLAN.query.tree
