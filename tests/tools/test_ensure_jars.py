"""tools/ensure_jars.sh brings jars once, and says why some are not there."""

from pathlib import Path

from tests.tools.machine import Machine, Result

# Stands for Maven: makes a jar named after the profile.
MAVEN = """
for word; do case "$word" in
    -DoutputDirectory=*) folder=${word#*=} ;;
    kafka-*|postgresql-*) part=$word ;;
esac; done
echo "$part" >>calls
mkdir -p "$folder" && touch "$folder/$part.jar"
"""
REFUSES_THE_CONNECTOR = """case "$*" in *kafka-connector*)
    echo '[INFO] looking'; echo '[ERROR] no such artefact'; echo '[ERROR] see the manual'; exit 1 ;;
esac
"""


def ensure_jars(machine: Machine, **environment: str) -> Result:
    result = machine.run("ensure_jars.sh", CEPHEID_JARS_DIRECTORY="my jars", **environment)
    assert (result.code, result.answer) == (0, "")
    return result


def jars(machine: Machine) -> list[str]:
    folder = machine.root / "my jars"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jar"))


def calls(machine: Machine) -> list[str]:
    return (machine.root / "calls").read_text().split()


def reason(machine: Machine, part: str) -> Path:
    return machine.root / "my jars" / f"{part}.missing"


def test_brings_every_part_once(machine):
    machine.add_program("mvn", MAVEN)
    ensure_jars(machine)
    assert ensure_jars(machine).messages == ""
    assert calls(machine) == ["kafka-connector", "postgresql-driver", "kafka-broker"]
    assert jars(machine) == [
        "broker/kafka-broker.jar",
        "spark/kafka-connector.jar",
        "spark/postgresql-driver.jar",
    ]


def test_jars_of_other_versions_are_removed(machine):
    machine.add_program("mvn", MAVEN)
    ensure_jars(machine)
    (machine.root / "my jars" / "versions").write_text("of another pom.xml")
    (machine.root / "my jars" / "spark" / "old.jar").touch()
    ensure_jars(machine)
    assert len(calls(machine)) == 6
    assert len(jars(machine)) == 3


def test_a_part_that_cannot_be_had_is_told_and_tried_again(machine):
    machine.add_program("mvn", REFUSES_THE_CONNECTOR + MAVEN)
    assert "skipped: Maven: no such artefact\n" in ensure_jars(machine).messages
    assert reason(machine, "kafka-connector").read_text() == "Maven: no such artefact\n"
    assert jars(machine) == ["broker/kafka-broker.jar", "spark/postgresql-driver.jar"]
    machine.add_program("mvn", MAVEN)
    ensure_jars(machine)
    assert not reason(machine, "kafka-connector").exists()
    assert calls(machine) == ["postgresql-driver", "kafka-broker", "kafka-connector"]


def test_installs_maven_if_there_is_none(machine):
    package = machine.root / "package"
    package.write_text(f"#!/bin/sh\n{MAVEN}")
    install = f"cp {package} {machine.path}/mvn && chmod +x {machine.path}/mvn"
    machine.add_program("apt-get", f'case "$*" in *install*maven*) {install} ;; esac')
    ensure_jars(machine)
    assert len(jars(machine)) == 3


def test_without_maven_all_parts_are_missing(machine):
    messages = ensure_jars(machine, CEPHEID_SYSTEM_INSTALL="no").messages
    assert messages.count("there is no Maven (mvn) to bring them") == 3
    assert messages.count("Looking for a package") == 1
    assert "no Maven" in reason(machine, "kafka-broker").read_text()
