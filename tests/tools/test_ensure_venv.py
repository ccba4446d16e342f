"""tools/ensure_venv.sh makes an environment with a Python that is new enough, or says why not."""

from pathlib import Path

import pytest

from tests.tools.machine import Machine, Result


def fake_python(*, new_enough: bool = True, ensurepip: str = "true", says: str = "Python") -> str:
    """A python that makes a directory for `-m venv`; ensurepip is a shell condition."""
    return f"""case "$*" in
    *version_info\\ *) {"exit 0" if new_enough else "exit 1"} ;;
    *ensurepip*) {ensurepip} ;;
    *print*) echo 3.12 ;;
    --version) echo "{says}" ;;
    "-m venv --clear "*) mkdir -p "$4" && echo "{says}" > "$4/made-by" ;;
    "-m pip "*) exit 0 ;;
    esac"""


def ensure_venv(machine: Machine, **environment: str) -> Result:
    return machine.run("ensure_venv.sh", "environment", **environment)


def maker(machine: Machine) -> str:
    return (machine.root / "environment" / "made-by").read_text().strip()


def test_prefers_the_newest_python(machine):
    for name in ("python3", "python3.11", "python3.12"):
        machine.add_program(name, fake_python(says=name))
    assert ensure_venv(machine).code == 0
    assert maker(machine) == "python3.12"


def test_passes_over_names_that_do_not_start_and_old_versions(machine):
    machine.add_program("python3.13", "echo no such version >&2; exit 127")
    machine.add_program("python3.11", fake_python(new_enough=False))
    machine.add_program("python3", fake_python(says="python3"))
    assert ensure_venv(machine).code == 0
    assert maker(machine) == "python3"


def test_takes_the_python_it_is_told_to(machine):
    machine.add_program("python3.13", fake_python(says="python3.13"))
    machine.add_program("mine", fake_python(says="mine"))
    assert ensure_venv(machine, PYTHON="mine").code == 0
    assert maker(machine) == "mine"


def test_does_not_replace_the_python_it_is_told_to_take(machine):
    machine.add_program("python3", fake_python())
    machine.add_program("mine", fake_python(new_enough=False))
    result = ensure_venv(machine, PYTHON="mine")
    assert result.code == 1
    assert "PYTHON=mine does not start, or is older" in result.messages


def test_says_what_to_do_without_python(machine):
    machine.add_program("python3", fake_python(new_enough=False))
    result = ensure_venv(machine)
    assert result.code == 1
    assert "make PYTHON=" in result.messages


def test_prefers_a_python_with_ensurepip(machine):
    machine.add_program("python3.13", fake_python(ensurepip="exit 1", says="python3.13"))
    machine.add_program("python3", fake_python(says="python3"))
    assert ensure_venv(machine) == Result(0, "", "Making environment with python3 ...\n")
    assert maker(machine) == "python3"


def test_installs_the_missing_venv_package(machine):
    marker = machine.root / "installed"
    machine.add_program("python3", fake_python(ensurepip=f"[ -e {marker} ]", says="python3"))
    machine.add_program("apt-get", f'case "$*" in *python3.12-venv) touch {marker} ;; esac')
    result = ensure_venv(machine)
    assert result.code == 0
    assert "apt-get: installing python3.12-venv" in result.messages
    assert maker(machine) == "python3"


@pytest.mark.parametrize("manager", ["apt-get", "dnf"])
def test_says_what_to_do_when_ensurepip_stays_missing(machine, manager):
    machine.add_program("python3", fake_python(ensurepip="exit 1"))
    machine.add_program(manager, "exit 1")
    result = ensure_venv(machine)
    assert result.code == 1
    assert "Install python3.12-venv" in result.messages


def add_environment(machine: Machine, script: str) -> Path:
    python = machine.root / "environment" / "bin" / "python"
    python.parent.mkdir(parents=True)
    machine.add_program("environment-python", script)
    python.symlink_to(machine.path / "environment-python")
    return python


def test_keeps_an_environment_that_works(machine):
    add_environment(machine, fake_python())
    assert ensure_venv(machine) == Result(0, "", "")


@pytest.mark.parametrize("broken", ["exit 127", fake_python(new_enough=False)])
def test_replaces_an_environment_that_does_not_work(machine, broken):
    add_environment(machine, broken)
    machine.add_program("python3", fake_python(says="python3"))
    assert ensure_venv(machine).code == 0
    assert maker(machine) == "python3"
