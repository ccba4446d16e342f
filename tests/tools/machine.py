"""A machine made of a few shell scripts: a PATH on which only what a test put there is found."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

TOOLS = Path(__file__).parents[2] / "tools"
SHELL = shutil.which("sh") or "/bin/sh"
ALWAYS_THERE = (
    *("cat", "chmod", "cksum", "cp", "dirname", "env", "grep", "mkdir"),
    *("mktemp", "rm", "sed", "sh", "tail", "touch"),
)


@dataclass(frozen=True, slots=True)
class Machine:
    root: Path

    @property
    def path(self) -> Path:
        return self.root / "bin"

    def add_program(self, name: str, script: str) -> None:
        write_program(self.path / name, script)

    def log_in_as(self, user_id: int) -> None:
        self.add_program("id", f"echo {user_id}")

    def run(self, tool: str, *arguments: str, **environment: str) -> "Result":
        done = subprocess.run(
            [SHELL, str(TOOLS / tool), *arguments],
            env={"PATH": str(self.path), **environment},
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    answer: str
    messages: str


def write_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{SHELL}\n{script}\n")
    path.chmod(0o755)


def make_machine(root: Path) -> Machine:
    """An almost empty machine whose user is root."""
    machine = Machine(root)
    machine.path.mkdir()
    for name in ALWAYS_THERE:
        program = shutil.which(name)
        assert program, f"{name} is missing on this machine"
        (machine.path / name).symlink_to(program)
    machine.log_in_as(0)
    return machine
