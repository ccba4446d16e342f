"""Wrong pipelines get the message in tests/cases/pipelines, to the letter.

A case says which keys of the small pipeline in files.py it gives otherwise, or its whole text.
`CEPHEID_UPDATE_GOLDEN=1` rewrites the messages; people review the diff.
"""

import os
import re
import tempfile
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from cepheid.errors import CepheidError
from cepheid.pipeline.load import load_pipeline
from tests.pipeline.files import ENVIRONMENT, pipeline_text, write_pipeline

CASES = Path(__file__).parent.parent / "cases" / "pipelines"
HEADER = (
    "# Wrong pipelines and what the user reads. CEPHEID_UPDATE_GOLDEN=1 rewrites the messages.\n"
)


@dataclass(frozen=True)
class Case:
    title: str
    message: str
    keys: dict[str, str | None] = field(default_factory=dict)
    text: str | None = None

    def actual_message(self, folder: Path) -> str:
        text = pipeline_text(**self.keys) if self.text is None else self.text
        (folder / "good.cep").write_text("PATTERN SEQ(A a, B b)\nWHERE a.v > b.x")
        (folder / "taken").touch()
        path = Path(write_pipeline(folder, text))
        with chdir(folder), pytest.raises(CepheidError) as caught:
            load_pipeline(path.name, ENVIRONMENT)
        return "\n".join(line.rstrip() for line in str(caught.value).splitlines())


class _Dumper(yaml.SafeDumper):
    pass


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def read(path: Path) -> list[Case]:
    return [Case(**entry) for entry in yaml.safe_load(path.read_text("utf-8"))]


def rewrite(path: Path) -> None:
    entries = []
    for case in read(path):
        with tempfile.TemporaryDirectory() as folder:
            message = case.actual_message(Path(folder))
        entry: dict[str, object] = {"title": case.title}
        entry |= {"keys": case.keys} if case.text is None else {"text": case.text}
        options = {"sort_keys": False, "width": 1000, "allow_unicode": True}
        entries.append(yaml.dump([{**entry, "message": message}], Dumper=_Dumper, **options))
    path.write_text("\n".join([HEADER, *entries]), "utf-8")


if os.environ.get("CEPHEID_UPDATE_GOLDEN"):
    for each_path in sorted(CASES.glob("*.yaml")):
        rewrite(each_path)

ALL = [(path.stem, case) for path in sorted(CASES.glob("*.yaml")) for case in read(path)]


@pytest.mark.parametrize("case", [each for _, each in ALL], ids=[f"{g}: {c.title}" for g, c in ALL])
def test_message(case, tmp_path):
    assert case.actual_message(tmp_path) == case.message


def test_titles_are_unique():
    titles = [case.title for _, case in ALL]
    assert len(set(titles)) == len(titles)


def test_no_message_shows_a_secret():
    assert [case.title for _, case in ALL if "hunter2" in case.message] == []


def test_every_code_of_pipelines_has_a_case():
    source = Path(load_pipeline.__code__.co_filename).parent
    code = r"\"([a-z]+(?:-[a-z]+)+)\""
    written = {
        found
        for path in source.glob("*.py")
        for found in re.findall(rf"Diagnostic\(\s*{code}", path.read_text("utf-8"))
    }
    shown = set(re.findall(r"error\[([a-z-]+)\]", "\n".join(case.message for _, case in ALL)))
    assert written - shown == set()
