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
    """What a command has said; whether kernels were compiled depends on who ran before."""

    code: int
    stdout: str
    stderr: str
    compiling: str = ""

    @property
    def lines(self) -> list[str]:
        return self.stdout.splitlines()


def cepheid(*arguments: object) -> Outcome:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return _outcome(result.exit_code, result.stdout, result.stderr)


def cepheid_process(*arguments: object, **options: object) -> Outcome:
    program = "from cepheid.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program, *(str(each) for each in arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    return _outcome(result.returncode, result.stdout, result.stderr)


def _outcome(code: int, stdout: str, stderr: str) -> Outcome:
    lines = stderr.splitlines(keepends=True)
    said = "".join(each for each in lines if COMPILING not in each)
    return Outcome(code, stdout, said, "".join(each for each in lines if COMPILING in each))
