"""tools/ensure_chromium.sh prints the path of a Chromium."""

from tests.tools.machine import Machine, Result, write_program


def ensure_chromium(machine: Machine, **environment: str) -> Result:
    applications = str(machine.root / "Applications")
    return machine.run("ensure_chromium.sh", CEPHEID_APPLICATIONS=applications, **environment)


def test_takes_the_one_on_path(machine):
    machine.add_program("chromium-browser", "exit 0")
    assert ensure_chromium(machine) == Result(0, f"{machine.path}/chromium-browser\n", "")


def test_takes_the_one_that_is_named(machine):
    machine.add_program("chromium", "exit 0")
    own = machine.root / "own"
    write_program(own, "exit 0")
    assert ensure_chromium(machine, CEPHEID_CHROMIUM=str(own)) == Result(0, f"{own}\n", "")


def test_takes_the_application_of_a_mac(machine):
    program = machine.root / "Applications" / "Chromium.app" / "Contents" / "MacOS" / "Chromium"
    write_program(program, "exit 0")
    assert ensure_chromium(machine) == Result(0, f"{program}\n", "")


def test_installs_it_if_there_is_none(machine):
    program = machine.path / "chromium"
    make = f"printf '#!/bin/sh\\n' > {program} && chmod +x {program}"
    machine.add_program("apt-get", f'case "$*" in *install*chromium*) {make} ;; esac')
    assert ensure_chromium(machine).answer == f"{program}\n"


def test_says_what_is_missing(machine):
    result = ensure_chromium(machine, CEPHEID_SYSTEM_INSTALL="no")
    assert (result.code, result.answer) == (1, "")
    assert "no Chromium" in result.messages
