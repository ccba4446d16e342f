"""tools/ensure_postgresql.sh prints the folder of PostgreSQL's server programs."""

from tests.tools.machine import Machine, Result, write_program


def ensure_postgresql(machine: Machine, **environment: str) -> Result:
    installed = str(machine.root / "versions")
    return machine.run(
        "ensure_postgresql.sh", CEPHEID_POSTGRESQL_DIRECTORY=installed, **environment
    )


def test_takes_the_programs_on_path(machine):
    machine.add_program("initdb", "exit 0")
    machine.add_program("postgres", "exit 0")
    assert ensure_postgresql(machine) == Result(0, f"{machine.path}\n", "")


def test_takes_the_newest_installed_version(machine):
    for version in ("15", "17"):
        write_program(machine.root / "versions" / version / "bin" / "initdb", "exit 0")
    assert ensure_postgresql(machine) == Result(0, f"{machine.root}/versions/17/bin\n", "")


def test_installs_them_if_there_are_none(machine):
    programs = machine.root / "versions" / "16" / "bin"
    make = f"mkdir -p {programs} && touch {programs}/initdb && chmod +x {programs}/initdb"
    machine.add_program("apt-get", f'case "$*" in *install*postgresql*) {make} ;; esac')
    assert ensure_postgresql(machine).answer == f"{programs}\n"


def test_says_what_is_missing(machine):
    result = ensure_postgresql(machine, CEPHEID_SYSTEM_INSTALL="no")
    assert (result.code, result.answer) == (1, "")
    assert "no PostgreSQL server (initdb and postgres)" in result.messages
