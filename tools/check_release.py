"""Build the wheel and the sdist, install them elsewhere, and run what README says there.

    python3 tools/check_release.py

Nothing of the checkout is on the path of what is installed; Spark needs Java. This is a part of the
list in docs/reference/releases.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDED = ("cepheid/py.typed", "cepheid/language/grammar.lark", "cepheid/language/grammar.json")


def main() -> int:
    """Check, and say what was checked."""
    with tempfile.TemporaryDirectory(prefix="cepheid-release-") as name:
        folder = Path(name)
        builder = _environment(folder / "builder", ["hatchling"])
        _run([builder, "-m", "hatchling", "build", "-d", str(folder / "dist")], REPOSITORY)
        (wheel,) = (folder / "dist").glob("*.whl")
        (sdist,) = (folder / "dist").glob("*.tar.gz")
        files = set(zipfile.ZipFile(wheel).namelist())
        _require(not [each for each in NEEDED if each not in files], f"{wheel.name} lacks files")
        print(f"{wheel.name}: {len(files)} files, {wheel.stat().st_size / 1e6:.1f} MB")
        _check_metadata(wheel)
        with tarfile.open(sdist) as packed:
            inside = {each.partition("/")[2] for each in packed.getnames()}
            listed = _run(["git", "ls-files"], REPOSITORY).splitlines()
            lacking = [each for each in listed if each not in inside]
            _require(not lacking, f"{sdist.name} lacks {', '.join(lacking[:9])}")
            packed.extractall(folder / "unpacked", filter="data")
        print(f"{sdist.name}: {len(inside)} files, {sdist.stat().st_size / 1e6:.1f} MB")
        (source,) = (folder / "unpacked").iterdir()
        _run(
            [builder, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "again")],
            source,
        )
        (again,) = (folder / "again").glob("*.whl")
        _require(set(zipfile.ZipFile(again).namelist()) == files, "the sdist builds another wheel")
        print("the sdist builds the same wheel")
        python = _environment(folder / "installed", [f"{wheel}[pandas]"])
        _run_readme(python, folder)
        command = str(python.parent / "cepheid")
        _run([command, "--version"], folder)
        _run([command, "explain", "PATTERN SEQ(A, B+)"], folder)
        on_spark = _environment(folder / "on_spark", [f"{wheel}[spark]"])
        # A query in the process and one on Spark; it fails if something is to be done.
        said = _run([str(on_spark.parent / "cepheid"), "doctor"], folder)
        print("\n".join(each for each in said.splitlines() if each.startswith("ok   a query")))
    print("The release can be installed and runs.")
    return 0


def _check_metadata(wheel: Path) -> None:
    """Compare what the wheel says of itself with what pyproject.toml says."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (each for each in packed.namelist() if each.endswith(".dist-info/METADATA"))
        text = packed.read(name).decode()
    for each in project["classifiers"]:
        _require(f"Classifier: {each}" in text, f"the wheel lacks the classifier {each}")
    for each in project["optional-dependencies"]:
        _require(f"Provides-Extra: {each}" in text, f"the wheel lacks the extra {each}")
    version = re.search(
        r'__version__ = "(.*)"', (REPOSITORY / "src/cepheid/__init__.py").read_text()
    )
    _require(version is not None and version[1] == project["version"], "two versions")
    print(f"version {project['version']}, {len(project['classifiers'])} classifiers")


def _run_readme(python: Path, folder: Path) -> None:
    """Run the Python of README with the installed wheel, and compare what it prints."""
    fences = list(FENCE.finditer((REPOSITORY / "README.md").read_text(encoding="utf-8")))
    blocks = [
        each for each in zip(fences, [*fences[1:], None], strict=True) if each[0][1] == "python"
    ]
    for number, (block, after) in enumerate(blocks, start=1):
        script = folder / f"readme_{number}.py"
        script.write_text(block[2])
        found = _run([python, str(script)], folder)
        expected = after[2] if after is not None and after[1] == "text" else ""
        _require(found == expected, f"block {number} of README prints something else:\n{found}")
    print(f"{len(blocks)} blocks of README run as they say")


def _environment(folder: Path, packages: list[str]) -> Path:
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    _run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages], folder)
    return python


def _run(command: list[Path | str], folder: Path) -> str:
    ours = ("PYTHONPATH", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON")
    environment = {name: each for name, each in os.environ.items() if name not in ours}
    if Path(command[0]).is_absolute():  # as in an environment that is activated
        environment["PATH"] = f"{Path(command[0]).parent}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    _require(done.returncode == 0, f"{command}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def _require(holds: bool, problem: str) -> None:
    if not holds:
        sys.exit(problem)


if __name__ == "__main__":
    sys.exit(main())
