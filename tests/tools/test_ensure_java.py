"""tools/ensure_java.sh prints the home of a Java that can run Spark, whatever it starts from."""

from pathlib import Path

import pytest

from tests.tools.machine import Machine, Result, write_program


def fake_java(home: Path, *, version: str = "17", vector: bool = True) -> str:
    module = "jdk.incubator.vector@17.0.1" if vector else "java.logging@17.0.1"
    return f"""case "$1" in
    --list-modules) echo java.base@17.0.1; echo {module} ;;
    *) echo "    java.home = {home}" >&2; echo "    java.specification.version = {version}" >&2 ;;
    esac"""


def add_java(home: Path, *, version: str = "17", vector: bool = True) -> Path:
    write_program(home / "bin" / "java", fake_java(home, version=version, vector=vector))
    return home


def put_on_path(machine: Machine, home: Path) -> None:
    (machine.path / "java").symlink_to(home / "bin" / "java")


def jvm(machine: Machine, name: str) -> Path:
    return machine.root / "jvm" / name


def command_that_installs(machine: Machine, home: Path) -> str:
    """What a package manager runs to bring a Java to its home."""
    package = machine.root / "package"
    write_program(package, fake_java(home))
    return f"mkdir -p {home}/bin && cp {package} {home}/bin/java"


def ensure_java(machine: Machine, **environment: str) -> Result:
    return machine.run(
        "ensure_java.sh", CEPHEID_JVM_DIRECTORY=str(machine.root / "jvm"), **environment
    )


def test_takes_java_home(machine):
    home = add_java(machine.root / "my java")  # a space must not matter
    put_on_path(machine, add_java(machine.root / "other"))
    assert ensure_java(machine, JAVA_HOME=str(home)) == Result(0, f"{home}\n", "")


@pytest.mark.parametrize("version", ["17", "21", "25"])
def test_takes_java_on_path_and_prints_its_home_not_the_link(machine, version):
    home = add_java(machine.root / "java", version=version)
    put_on_path(machine, home)
    assert ensure_java(machine) == Result(0, f"{home}\n", "")


def test_passes_over_a_java_home_that_is_not_there(machine):
    home = add_java(machine.root / "java")
    put_on_path(machine, home)
    result = ensure_java(machine, JAVA_HOME=str(machine.root / "gone"))
    assert result.answer == f"{home}\n"
    assert "gone/bin/java does not start" in result.messages


@pytest.mark.parametrize("version", ["1.8", "11", "16"])
def test_prefers_an_installed_java_over_an_old_one_on_path(machine, version):
    put_on_path(machine, add_java(jvm(machine, "a-old"), version=version))
    home = add_java(jvm(machine, "b-new"))
    result = ensure_java(machine)
    assert result.answer == f"{home}\n"
    assert f"is version {version.removeprefix('1.')}; Spark needs 17" in result.messages


def test_installs_when_the_vector_module_is_missing(machine):
    put_on_path(machine, add_java(jvm(machine, "a-trimmed"), vector=False))
    home = jvm(machine, "b-whole")
    machine.add_program("apt-get", command_that_installs(machine, home))
    result = ensure_java(machine)
    assert result.answer == f"{home}\n"
    assert "lacks the module jdk.incubator.vector" in result.messages
    assert "apt-get: installing openjdk-17-jre-headless" in result.messages


@pytest.mark.parametrize("manager", ["apt-get", "dnf", "yum", "apk", "pacman", "brew"])
def test_installs_with_each_package_manager(machine, manager):
    home = jvm(machine, "installed")
    machine.add_program(manager, command_that_installs(machine, home))
    result = ensure_java(machine)
    assert (result.code, result.answer) == (0, f"{home}\n")
    assert f"{manager}: installing" in result.messages


def test_tries_the_next_package_when_one_does_not_exist(machine):
    home = jvm(machine, "java-21")
    install = command_that_installs(machine, home)
    machine.add_program(
        "apt-get", f'case "$*" in *openjdk-21*) {install} ;; update) ;; *) exit 100 ;; esac'
    )
    result = ensure_java(machine)
    assert result.answer == f"{home}\n"
    assert "installing openjdk-21-jre-headless" in result.messages


def test_uses_sudo_that_never_waits_for_a_password_when_nobody_is_there(machine):
    machine.log_in_as(1000)
    home = jvm(machine, "installed")
    machine.add_program("dnf", command_that_installs(machine, home))
    machine.add_program("sudo", '[ "$1" = -n ] && shift && "$@"')
    assert ensure_java(machine).answer == f"{home}\n"


def test_says_what_to_do_when_it_may_not_install(machine):
    machine.log_in_as(1000)
    machine.add_program("apt-get", f"touch {machine.root}/was-called")
    result = ensure_java(machine)
    assert (result.code, result.answer) == (1, "")
    assert "there is no sudo" in result.messages
    assert "set JAVA_HOME" in result.messages
    assert not (machine.root / "was-called").exists()


def test_says_what_to_do_without_a_package_manager(machine):
    result = ensure_java(machine)
    assert (result.code, result.answer) == (1, "")
    assert "no known package manager" in result.messages
    assert "make core" in result.messages


def test_shows_the_end_of_a_failed_installation(machine):
    machine.add_program("apk", "echo no network; exit 1")
    result = ensure_java(machine)
    assert (result.code, result.answer) == (1, "")
    assert "no network" in result.messages


def test_fails_when_the_package_brings_no_usable_java(machine):
    machine.add_program("dnf", "exit 0")
    result = ensure_java(machine)
    assert (result.code, result.answer) == (1, "")
    assert "error: no Java that can run Spark" in result.messages


def test_installing_can_be_switched_off(machine):
    machine.add_program("apt-get", f"touch {machine.root}/was-called")
    result = ensure_java(machine, CEPHEID_SYSTEM_INSTALL="no")
    assert result.code == 1
    assert "switched off" in result.messages
    assert not (machine.root / "was-called").exists()
