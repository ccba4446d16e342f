"""Run the command line in this process, or as a user would."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from cepheid.cli.app import app
from cepheid.cli.console import COMPILING

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command has said; not that kernels are compiled, which depends on who ran before."""

    code: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[str]:
        return self.stdout.splitlines()


def cepheid(*arguments: object) -> Outcome:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, _without_compiling(result.stderr))


def cepheid_process(*arguments: object, **options: object) -> Outcome:
    program = "from cepheid.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program, *(str(each) for each in arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    return Outcome(result.returncode, result.stdout, _without_compiling(result.stderr))


def _without_compiling(stderr: str) -> str:
    return "".join(each for each in stderr.splitlines(keepends=True) if COMPILING not in each)
