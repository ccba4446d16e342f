"""Run a chosen suite with other versions of Python and packages, each in its own environment.

    python3 tools/run_matrix.py                 all combinations, one after the other
    python3 tools/run_matrix.py spark-4.0 …     some of them
    python3 tools/run_matrix.py --list

Environments are in build/matrix/NAME and are kept; what ran is in build/matrix/results.md. Maven
brings Python 3.14 where there is none; a combination whose Python is missing otherwise is skipped,
and that is said.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / "build" / "matrix"
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "packaging", "pydantic", "pyyaml", "psutil")
IN_PROCESS = ("tests/engine/test_input_kinds.py", "tests/kernels/test_cache.py")
ON_SPARK = (
    "tests/spark/test_batch.py",
    "tests/spark/test_connect.py",
    "tests/spark/test_declarative_pipeline.py",  # skips itself before Spark 4.1
    "tests/spark/test_sql.py",
    "tests/spark/stream/test_kinds.py",
)
# Pythons that are packed as jars, for Linux on x86-64: for JavaCPP, but they run by themselves.
PACKED = {"3.14": "org.bytedeco:cpython:3.14.3-1.5.13:jar:linux-x86_64"}


@dataclass(frozen=True, slots=True)
class Jars:
    """Versions of table formats that are published for a version of Spark."""

    spark: str
    delta: str
    iceberg: str | None


@dataclass(frozen=True, slots=True)
class Combination:
    """A Python, the packages that are asked for beside Cepheid's own, and the tests that run."""

    python: str
    packages: tuple[str, ...]
    tests: tuple[str, ...] = (*IN_PROCESS, *ON_SPARK)
    jars: Jars | None = None


def _combination(
    python: str, spark: str, pandas: str, polars: str, numba: str, **others: str
) -> Combination:
    given = {"pyspark": spark, "pandas": pandas, "polars": polars, "numba": numba} | others
    return Combination(python, tuple(f"{name}~={version}" for name, version in given.items()))


def _lakehouse(spark: str, delta: str, iceberg: str | None) -> Combination:
    packages = (f"pyspark~={spark}.0", "pandas~=2.3")
    return Combination("3.11", packages, ("tests/lakehouse",), Jars(spark, delta, iceberg))


COMBINATIONS = {
    # The oldest that pyproject.toml allows.
    "spark-4.0": _combination(
        "3.11", "4.0.0", "2.2.0", "1.3.0", "0.61.0", pyarrow="18.0.0", numpy="2.0.0"
    ),
    "spark-4.1": _combination("3.12", "4.1.0", "2.3.0", "1.44.0", "0.65.0"),
    "spark-4.2": _combination("3.13", "4.2.0", "2.3.0", "2.0.0", "0.67.0"),
    "spark-4.3": _combination("3.13", "4.3.0", "3.1.0", "2.1.0", "0.68.0"),  # the newest
    "python-3.14": _combination("3.14", "4.3.0", "3.1.0", "2.1.0", "0.68.0"),
    # The newest of Delta Lake and Iceberg; neither has jars for Spark 4.3 yet, nor Iceberg for 4.2.
    "lakehouse-4.0": _lakehouse("4.0", "4.4.0", "1.11.0"),
    "lakehouse-4.1": _lakehouse("4.1", "4.4.0", "1.12.0"),
    "lakehouse-4.2": _lakehouse("4.2", "4.4.0", None),
}


def main() -> int:
    """Run the combinations that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="combinations; all, if none is named"
    )
    parser.add_argument("--list", action="store_true", help="print the combinations and end")
    options = parser.parse_args()
    for name in (unknown for unknown in options.names if unknown not in COMBINATIONS):
        print(f"there is no combination {name}; there are: {', '.join(COMBINATIONS)}")
        return 2
    names = options.names or [name for name, each in COMBINATIONS.items() if each.jars is None]
    if options.list:
        for name, each in COMBINATIONS.items():
            print(f"{name}: Python {each.python}, {', '.join(each.packages)}")
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    told = [_run(name, COMBINATIONS[name]) for name in names]
    head = ["| combination | versions | result |", "|---|---|---|"]
    text = "\n".join([*head, *(row for row, _ in told)])
    (FOLDER / "results.md").write_text(text + "\n")
    print(text)
    return int(any(failed for _, failed in told))


def _run(name: str, combination: Combination) -> tuple[str, bool]:
    """Return a row of the table, and whether something failed."""
    found = _find_python(combination.python) or _bring_python(combination.python)
    if found is None:
        return f"| {name} | Python {combination.python} | not run: there is none here |", False
    python = _install(name, found, combination)
    environment = os.environ | {"PYSPARK_PYTHON": str(python), "PYSPARK_DRIVER_PYTHON": str(python)}
    if combination.jars is not None:
        environment["CEPHEID_LAKEHOUSE_JARS"] = str(_bring_jars(combination.jars))
    start, log = time.monotonic(), FOLDER / f"{name}.log"
    # A combination may have deprecations that the pinned versions have not.
    command = [python, "-m", "pytest", "-q", "-W", "default", *combination.tests]
    print(f"{name}: running tests, see {log.relative_to(REPOSITORY)}", flush=True)
    with log.open("wb") as said:
        done = subprocess.run(
            command, cwd=REPOSITORY, env=environment, stdout=said, stderr=said, check=False
        )
    last = log.read_text(errors="replace").strip().splitlines()[-1].strip("= ")
    print(f"{name}: {last} ({time.monotonic() - start:.0f} s)", flush=True)
    return f"| {name} | {_versions(python)} | {last} |", done.returncode != 0


def _install(name: str, python: str, combination: Combination) -> Path:
    """Return the Python of the environment, which is made if it is not there."""
    folder = FOLDER / name
    own, wanted = folder / "bin" / "python", " ".join(combination.packages)
    stamp = folder / ".installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return own
    print(f"{name}: installing {wanted}", flush=True)
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    install = [own, "-m", "pip", "install", "-q", "--no-compile"]
    ours = ["-e", f"{REPOSITORY}[spark,pipeline]"]
    subprocess.run([*install, *ours, *TOOLS], cwd=REPOSITORY, check=True)
    # Afterwards, since a version may be tried that pyproject.toml does not allow yet.
    subprocess.run([*install, *combination.packages], cwd=REPOSITORY, check=True)
    stamp.write_text(wanted)
    return own


def _bring_jars(jars: Jars) -> Path:
    """Return the folder with the jars of Delta Lake and Iceberg, which Maven brings once."""
    project = REPOSITORY / "tools" / "jars" / "lakehouse.xml"
    folder = FOLDER / f"lakehouse-jars-{jars.spark}"
    stamp, wanted = folder / "project.xml", f"{project.read_text()}<!-- {jars} -->\n"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        versions = [f"-Dspark.version={jars.spark}", f"-Ddelta.version={jars.delta}"]
        versions += [f"-Diceberg.version={jars.iceberg}"] if jars.iceberg else []
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
        subprocess.run(["mvn", "-B", "-q", "-f", project, *versions, *goal], check=True)
        stamp.write_text(wanted)
    return folder


def _find_python(version: str) -> str | None:
    """Return a Python of this version: on the path, or one of pyenv's."""
    on_path = shutil.which(f"python{version}")
    candidates = [Path(on_path)] if on_path else []
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates += sorted(root.glob(f"versions/{version}.*/bin/python"), reverse=True)
    for each in candidates:
        done = subprocess.run([each, "--version"], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.startswith(f"Python {version}."):
            return str(each)
    return None


def _bring_python(version: str) -> str | None:
    """Return a Python that Maven brings once; None if none is packed for this machine."""
    machine = f"{platform.system()}-{platform.machine()}".lower().replace("amd64", "x86_64")
    artifact = PACKED.get(version)
    if artifact is None or not artifact.endswith(machine):
        return None
    folder = FOLDER / f"packed-{version}"
    inside = folder / "org" / "bytedeco" / "cpython" / machine / "bin"
    python = inside / f"python{version}"
    if not os.access(python, os.X_OK):
        print(f"bringing Python {version} with Maven", flush=True)
        goal = ["dependency:unpack", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
        marks = f"-DmarkersDirectory={folder / 'marks'}"
        done = subprocess.run(["mvn", "-B", "-q", *goal, marks], cwd=FOLDER, check=False)
        if done.returncode != 0:
            return None
        for program in inside.iterdir():  # a jar has no rights of files
            program.chmod(0o755)
    return str(python)


def _versions(python: Path) -> str:
    ask = (
        "import sys; from importlib.metadata import version as v; "
        "print('Python', sys.version.split()[0], *(f'{n} {v(n)}' for n in "
        "('pyspark', 'pandas', 'polars', 'pyarrow', 'numba') if n in {d.name for d in "
        "__import__('importlib.metadata').metadata.distributions()}), sep=', ')"
    )
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True)
    return done.stdout.strip().replace("Python, ", "Python ")


if __name__ == "__main__":
    sys.exit(main())
