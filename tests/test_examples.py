"""The commands in examples/README.md run and print what the page says.

Commands are lines of ```sh blocks and code in tables. What the commands of a block print must equal
the ```text block that comes next, if one comes before the next block of commands, and else nothing.
A command of a table may read a file that a block generates.
"""

import re
import shlex
import shutil
from dataclasses import dataclass

import pytest

from cepheid.language.parser import parse
from tests.cli.command import EXAMPLES, cepheid

PAGE = (EXAMPLES / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
QUERIES = sorted(EXAMPLES.rglob("*.cep"))


@dataclass(frozen=True, slots=True)
class Block:
    commands: tuple[str, ...]
    output: str


BLOCKS = [Block(tuple(found[1].splitlines()), found[2] or "") for found in BLOCK.finditer(PAGE)]
GENERATE = [
    command
    for block in BLOCKS
    for command in block.commands
    if command.startswith("cepheid generate")
]
IN_THE_TABLE = re.findall(r"`(cepheid run [^`]*\.cep [^`]*)`", PAGE)


def printed(command: str) -> str:
    name, *arguments = shlex.split(command)
    assert name == "cepheid"
    outcome = cepheid(*arguments)
    assert outcome.code == 0, outcome.stderr
    return outcome.stdout


@pytest.fixture
def in_a_copy(tmp_path, monkeypatch):
    """The commands make files, so they run in a copy of the folder."""
    copy = shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(copy)


@pytest.mark.usefixtures("in_a_copy")
def test_blocks_run_as_printed():
    for block in BLOCKS:
        output = "".join(printed(command) for command in block.commands)
        lines = [line.rstrip() for line in output.splitlines()]
        assert lines == block.output.splitlines(), block.commands


@pytest.mark.usefixtures("in_a_copy")
@pytest.mark.parametrize("command", IN_THE_TABLE)
def test_commands_of_the_table_find_something(command):
    words = shlex.split(command)
    for making in GENERATE:
        if shlex.split(making)[-1] in words:
            printed(making)
    assert len(printed(f"{command} --limit 0").splitlines()) > 2  # more than names and a rule


def test_every_query_is_on_the_page():
    commands = [*IN_THE_TABLE, *(each for block in BLOCKS for each in block.commands)]
    shown = {word for each in commands for word in shlex.split(each)}
    assert {each.relative_to(EXAMPLES).as_posix() for each in QUERIES} <= shown


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_queries_parse(path):
    assert parse(path.read_text(encoding="utf-8")).pattern is not None
