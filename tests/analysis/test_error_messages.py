"""Wrong queries get the message in tests/cases/errors, to the letter.

`CEPHEID_UPDATE_GOLDEN=1` rewrites the messages; people review the diff.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from cepheid.errors import CepheidError
from cepheid.workload import workload
from tests.analysis.schemas import bind, event_schema

CASES = Path(__file__).parent.parent / "cases" / "errors"
HEADER = "# Wrong queries and what the user reads. CEPHEID_UPDATE_GOLDEN=1 rewrites the messages.\n"


@dataclass(frozen=True)
class Case:
    """A wrong query; `schema` holds options of `event_schema`, `others` the rest of a workload."""

    title: str
    query: str
    message: str
    schema: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)

    def actual_message(self) -> str:
        with pytest.raises(CepheidError) as caught:
            self._bind()
        return "\n".join(line.rstrip() for line in str(caught.value).splitlines())

    def _bind(self) -> None:
        if self.others:
            workload([self.query, *self.others]).plans(event_schema(**self.schema))
        else:
            bind(self.query, parameters=self.parameters, **self.schema)


def read(path: Path) -> list[Case]:
    return [Case(**entry) for entry in yaml.safe_load(path.read_text("utf-8"))]


def _literal(text: str) -> str:
    lines = text.split("\n")
    mark = "2" if text.startswith(" ") else ""
    return f"|{mark}-\n" + "\n".join(f"    {line}" if line else "" for line in lines)


def _entry(case: Case) -> str:
    def flow(value: object) -> str:
        text = yaml.safe_dump(value, default_flow_style=True, width=1000, allow_unicode=True)
        return text.removesuffix("...\n").strip()

    lines = [f"- title: {flow(case.title)}"]
    lines.append(f"  query: {_literal(case.query) if case.query else flow(case.query)}")
    if case.schema:
        lines.append(f"  schema: {flow(case.schema)}")
    if case.others:
        lines += ["  others:", *(f"  - {flow(each)}" for each in case.others)]
    if case.parameters:
        lines.append(f"  parameters: {flow(case.parameters)}")
    lines.append(f"  message: {_literal(case.actual_message())}")
    return "\n".join(lines) + "\n"


def rewrite(path: Path) -> None:
    entries = [_entry(case) for case in read(path)]
    path.write_text("\n".join([HEADER, *entries]), "utf-8")


if os.environ.get("CEPHEID_UPDATE_GOLDEN"):
    for each_path in sorted(CASES.glob("*.yaml")):
        rewrite(each_path)

ALL = [(path.stem, case) for path in sorted(CASES.glob("*.yaml")) for case in read(path)]


@pytest.mark.parametrize("case", [each for _, each in ALL], ids=[f"{g}: {c.title}" for g, c in ALL])
def test_message(case):
    assert case.actual_message() == case.message


def test_titles_are_unique():
    titles = [case.title for _, case in ALL]
    assert len(set(titles)) == len(titles)
