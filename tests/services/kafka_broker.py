"""One Kafka broker that is its own controller (KRaft), in a JVM of its own."""

import os
import shutil
import signal
import socket
import struct
import subprocess
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.services.jars import class_path
from tests.services.processes import LOOPBACK, end, free_ports, wait_until

API_VERSIONS = 18  # the request that every broker answers to everybody
SEPARATOR = "\t"  # between the key and the value of a record, in Kafka's own commands

LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %p %m (%c)%n
"""


@dataclass(frozen=True, slots=True)
class KafkaBroker:
    """Where the broker is, and Kafka's own commands, each of which takes a second or two."""

    servers: str
    folder: Path

    def create_topic(self, topic: str, *, partitions: int = 1) -> None:
        self._command(
            "org.apache.kafka.tools.TopicCommand",
            *("--create", "--topic", topic, "--partitions", str(partitions)),
        )

    def produce(self, topic: str, records: Iterable[tuple[str, str]]) -> None:
        """Append keys and values that have no tabs and line breaks."""
        self._command(
            "org.apache.kafka.tools.ConsoleProducer",
            *("--topic", topic, "--reader-property", "parse.key=true"),
            text="".join(f"{key}{SEPARATOR}{value}\n" for key, value in records),
        )

    def consume(self, topic: str, count: int) -> list[tuple[str, str]]:
        """Return the first records of a topic; fail if there are fewer."""
        said = self._command(
            "org.apache.kafka.tools.consumer.ConsoleConsumer",
            *("--topic", topic, "--from-beginning", "--max-messages", str(count)),
            *("--timeout-ms", "20000", "--formatter-property", "print.key=true"),
        )
        records = [line.partition(SEPARATOR) for line in said.splitlines()]
        if len(records) < count:
            raise RuntimeError(f"the topic {topic} has {len(records)} records, not {count}")
        return [(key, value) for key, _, value in records]

    def _command(self, name: str, *arguments: str, text: str = "") -> str:
        where = ("--bootstrap-server", self.servers)
        return run_java(self.folder, name, *where, *arguments, text=text)


@contextmanager
def kafka_broker(folder: Path) -> Iterator[KafkaBroker]:
    """Run a broker with its files in a folder, until the end of the block."""
    port, controller_port = free_ports(2)
    (folder / "log4j2.properties").write_text(LOG4J, encoding="utf-8")
    properties = folder / "server.properties"
    settings = server_settings(folder / "data", port, controller_port)
    properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    cluster = f"A{cluster[1:]}"  # a dash in front would be taken for an option
    storage = ("format", "--cluster-id", cluster, "--config", str(properties))
    run_java(folder, "kafka.tools.StorageTool", *storage)
    log = folder / "broker.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            java_command(folder, "-Xmx256m", "kafka.Kafka", str(properties)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        wait_until(lambda: answers(port), process, log)
        yield KafkaBroker(f"{LOOPBACK}:{port}", folder)
    finally:
        end(process, signal.SIGTERM)


def server_settings(data: Path, port: int, controller_port: int) -> dict[str, str]:
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{LOOPBACK}:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{port}",
        "log.dirs": str(data),
        "auto.create.topics.enable": "false",  # a topic that a test misspells is an error
        # One broker cannot keep three copies, and the topics of its own need few partitions.
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",  # nobody else will join
    }


def answers(port: int) -> bool:
    """Whether a broker there answers which requests it knows."""
    request = struct.pack(">hhih", API_VERSIONS, 0, 1, -1)  # version 0, request 1, no client name
    try:
        with socket.create_connection((LOOPBACK, port), timeout=2) as connection:
            connection.sendall(struct.pack(">i", len(request)) + request)
            return len(connection.recv(4)) == 4
    except OSError:
        return False


def run_java(folder: Path, name: str, *arguments: str, text: str = "") -> str:
    done = subprocess.run(
        java_command(folder, "-Xmx128m", name, *arguments),
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{name} {' '.join(arguments)}:\n{done.stdout}{done.stderr}"[-3000:])
    return done.stdout


def java_command(folder: Path, memory: str, *arguments: str) -> list[str]:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java") or "java"
    logging = f"-Dlog4j2.configurationFile={(folder / 'log4j2.properties').as_uri()}"
    options = [memory, "-XX:TieredStopAtLevel=1", logging]  # short lives: compile little
    return [java, *options, "-cp", class_path("broker"), *arguments]
