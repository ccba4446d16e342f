"""Code of the documentation that is not run as it stands names what there is."""

import ast
import inspect
import re

import pytest

import cepheid
from cepheid.run_keywords import RunKeywords
from tests.shown_code import NOT_RUN, REPOSITORY, shown_blocks

BLOCKS = shown_blocks()
METHODS = ("run", "stream")  # of queries, workloads and query folders
ANY_RUN = frozenset(RunKeywords.__annotations__)


def calls(code: str) -> list[ast.Call]:
    return [each for each in ast.walk(ast.parse(code)) if isinstance(each, ast.Call)]


def of_cepheid(node: ast.AST) -> str | None:
    """The name, if it is `cepheid.name`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == "cepheid" else None
    return None


def allowed(function: object) -> set[str]:
    """The keywords that a function takes."""
    assert callable(function)
    parameters = inspect.signature(function).parameters.values()
    passes_on = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)
    return {each.name for each in parameters} | (set(ANY_RUN) if passes_on else set())


def problems(code: str) -> list[str]:
    """What a block says that is not so."""
    named = [name for each in ast.walk(ast.parse(code)) if (name := of_cepheid(each))]
    found = [f"cepheid.{each}" for each in named if each not in cepheid.__all__]
    for call in calls(code):
        name = of_cepheid(call.func)
        keywords = {each.arg for each in call.keywords if each.arg}
        if name in cepheid.__all__:
            found += sorted(keywords - allowed(getattr(cepheid, name)))
        elif isinstance(call.func, ast.Attribute) and call.func.attr in METHODS:
            found += sorted(keywords - ANY_RUN - {"sharing", "keys"})
    return found


@pytest.mark.parametrize("shown", BLOCKS, ids=lambda each: f"{each.page}-{each.number}")
def test_names_and_keywords_are_there(shown):
    assert problems(BLOCKS[shown]) == []


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("cepheid.querry('')", ["cepheid.querry"]),
        ("cepheid.Streaming(watermark=1, bucket=3)", ["bucket"]),
        ("query.run(stream, time='ts', typ='kind')", ["typ"]),
        ("cepheid.events(frame, time='ts', tiebreak='seq')", ["tiebreak"]),
        ("query.run(stream, time='ts', type='kind', late='drop')", []),
    ],
)
def test_what_is_not_there_is_noticed(code, wrong):
    assert problems(code) == wrong


@pytest.mark.parametrize("shown", NOT_RUN, ids=lambda each: f"{each.page}-{each.number}")
def test_a_block_that_is_not_run_says_what_runs_instead(shown):
    assert shown in BLOCKS
    instead = re.findall(r"tests/\S+\.py", NOT_RUN[shown])
    assert instead
    assert all((REPOSITORY / each).exists() for each in instead)
