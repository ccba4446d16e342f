"""The examples of docs/reference/language.md parse and bind, and its lists are complete."""

import re
from pathlib import Path

import pytest

from cepheid.analysis.analyze import analyze
from cepheid.language.ast import OutputMode, StrategyName
from cepheid.language.describe_syntax_error import CLAUSES
from cepheid.language.parser import parse
from cepheid.language.printer import print_query
from cepheid.language.source import Source

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference" / "language.md"
TEXT = REFERENCE.read_text("utf-8")
PARAMETERS = {"symbol": "IBM", "limit": 10, "window": "5 minutes"}
EXAMPLES = re.findall(r"^```cep\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=[each.splitlines()[0] for each in EXAMPLES])
def test_example(example):
    tree = parse(example)
    assert parse(print_query(tree)) == tree
    used = {name: value for name, value in PARAMETERS.items() if f":{name}" in example}
    analyze(tree, Source(example), parameters=used)


def test_every_clause_has_a_section_and_an_example():
    headings = " ".join(re.findall(r"^## (.*)$", TEXT, re.MULTILINE))
    used = "\n".join(EXAMPLES)
    for clause in CLAUSES.values():
        assert clause in headings or clause == "EVENT"
        assert clause in used or clause == "EVENT"


def test_every_strategy_and_output_is_named():
    written = TEXT.replace("-", "_")
    assert all(each.value in written for each in StrategyName)
    assert all(f"`{each.value}`" in TEXT for each in OutputMode)
