"""Run a script in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent


def output_of(script: str, *, path: Path = REPOSITORY / "src", **variables: str) -> str:
    """Return what the script prints; variables are added to the environment."""
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{REPOSITORY}", **variables}
    environment = {name: value for name, value in environment.items() if value}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
