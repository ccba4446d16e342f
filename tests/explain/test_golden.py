"""Explanations of whole queries, as files to read; `make golden` rewrites them."""

import os

import pytest

from cepheid.explain.explain import explain
from tests.explain.plans import CASE_NAMES, CASES, lasting_plan_of

ENDINGS = {"text": "txt", "json": "json", "mermaid": "mmd"}


@pytest.mark.parametrize("format", ENDINGS)
@pytest.mark.parametrize("name", CASE_NAMES)
def test_explanation_is_as_in_its_file(name, format):
    plan = lasting_plan_of((CASES / f"{name}.cep").read_text(encoding="utf-8"))
    found = explain(plan, format=format) + "\n"
    path = CASES / f"{name}.{ENDINGS[format]}"
    if os.environ.get("CEPHEID_UPDATE_GOLDEN"):
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")
