"""Results have the type of the events for type checkers, and nothing public is of any type."""

import inspect
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

import cepheid

SOURCE = Path(cepheid.__file__).parents[1]
CASES = Path(__file__).with_name("kinds_of_results.py")
# pyarrow is not typed, so that its tables are `Any` and every check of them would pass. This is the
# little of a stub package that tells them apart.
ARROW = """
from typing import Any
class Table: ...
class RecordBatch: ...
class RecordBatchReader: ...
def __getattr__(name: str) -> Any: ...
"""
READ_BY_SYNTAX = {"__getitem__", "__iter__", "__call__"}  # private by name only
SETTINGS = "[mypy]\nmypy_path = {stubs}:{source}\nwarn_unused_ignores = True\n"


@pytest.mark.slow
def test_the_kind_of_a_result_is_known(tmp_path: Path) -> None:
    stubs = tmp_path / "stubs" / "pyarrow"
    stubs.mkdir(parents=True)
    (stubs / "__init__.pyi").write_text(ARROW)
    settings = tmp_path / "mypy.ini"
    settings.write_text(SETTINGS.format(stubs=stubs.parent, source=SOURCE))
    cases = tmp_path / CASES.name
    cases.write_text(CASES.read_text())
    shown = tmp_path / "shown.py"  # so that a mypy that looks at nothing is noticed
    shown.write_text(
        "import pandas, cepheid\n"
        "def run(table: pandas.DataFrame) -> None:\n"
        "    reveal_type(cepheid.query('PATTERN A').run(table, time='ts'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file",
         str(settings), "--cache-dir", str(tmp_path / "cache"), str(cases), str(shown)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert [line for line in done.stdout.splitlines() if ": error:" in line] == []
    assert 'Revealed type is "pandas.core.frame.DataFrame"' in done.stdout, done.stderr
    assert done.returncode == 0


def public_functions() -> Iterator[tuple[str, object]]:
    for name in cepheid.__all__:
        found = getattr(cepheid, name)
        if not inspect.isclass(found):
            yield name, found
            continue
        ours = [each for each in found.__mro__ if each.__module__.startswith("cepheid")]
        members = dict(item for each in reversed(ours) for item in vars(each).items())
        for member, value in members.items():
            if not member.startswith("_") or member in READ_BY_SYNTAX:
                function = value.fget if isinstance(value, property) else value
                yield f"{name}.{member}", function


@pytest.mark.parametrize(
    ("name", "function"),
    [(name, each) for name, each in public_functions() if inspect.isfunction(each)],
)
def test_nothing_public_returns_any(name: str, function: typing.Any) -> None:
    said = typing.get_overloads(function) or [function]
    returns = [each.__annotations__["return"] for each in said]
    assert [each for each in returns if "Any" in each or each == "object"] == []


def test_there_is_something_to_check() -> None:
    names = {name for name, _ in public_functions()}
    expected = {
        "events", "Query.run", "Workload.run", "Events.kind", "Compressed.expand",
        "WorkloadResults.__getitem__", "WorkloadResults.items",
    }  # fmt: skip
    assert expected <= names
