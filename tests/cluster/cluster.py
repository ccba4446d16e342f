"""A master and two workers as processes of this machine, and the packed environment for them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pyspark

from tests.services.processes import LOOPBACK, end, free_ports

REPOSITORY = Path(__file__).parent.parent.parent
SPARK_HOME = Path(pyspark.__file__).parent
EXECUTOR = "CoarseGrainedExecutorBackend"
ENVIRONMENT = "environment"
LONGEST = 600.0  # seconds to wait for something to begin


@dataclass(slots=True)
class Cluster:
    """The address of the master, and the workers that were started."""

    master: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def executors(self) -> list[psutil.Process]:
        """Return the executors of all workers."""
        found = []
        for each in self.workers:
            if each.poll() is None:
                children = psutil.Process(each.pid).children(recursive=True)
                found += [one for one in children if _is_executor(one)]
        return found

    def kill_executor(self) -> None:
        """Kill one executor; its worker starts another one."""
        deadline = time.monotonic() + LONGEST
        while not (running := self.executors()):
            if time.monotonic() > deadline:
                raise RuntimeError("there is no executor")
            time.sleep(0.2)
        running[0].kill()

    def kill_worker(self) -> None:
        """Kill a worker with the executors that it has."""
        worker = next(each for each in self.workers if each.poll() is None)
        for each in psutil.Process(worker.pid).children(recursive=True):
            each.kill()
        worker.kill()
        worker.wait(30)


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[Cluster]:
    """Start a master and two workers with one core each."""
    port, *_ = ports = free_ports(4)
    started = [_start(folder, "master", "master.Master", ["--port", str(port)], ports[1])]
    cluster = Cluster(f"spark://{LOOPBACK}:{port}")
    try:
        _wait_for(folder / "master.log", "I have been elected leader")
        for number in (1, 2):
            place = str(folder / f"work{number}")
            options = ["--cores", "1", "--memory", "1g", "--work-dir", place]
            name, kind = f"worker{number}", "worker.Worker"
            worker = _start(folder, name, kind, [*options, cluster.master], ports[1 + number])
            cluster.workers.append(worker)
            started.append(worker)
            _wait_for(folder / f"{name}.log", "Successfully registered with master")
        yield cluster
    finally:
        for each in cluster.executors():
            each.kill()
        for process in reversed(started):
            end(process)


def pack_environment(folder: Path) -> Path:
    """Make an environment with this Cepheid and pack it, as docs/how-to/run-on-a-cluster.md says.

    The packages that it needs are kept for the next time.
    """
    environment, packed = folder / ENVIRONMENT, folder / f"{ENVIRONMENT}.tar.gz"
    python = environment / "bin" / "python"
    install = [python, "-m", "pip", "install", "-q", "-c", REPOSITORY / "constraints.txt"]
    commands: list[list[str | Path]] = [
        [*install, "--no-deps", "--force-reinstall", REPOSITORY],
        [environment / "bin" / "venv-pack", "-q", "-f", "-p", environment, "-o", packed],
    ]
    if not (environment / "bin" / "venv-pack").exists():
        commands = [
            [sys.executable, "-m", "venv", "--clear", environment],
            [*install, f"{REPOSITORY}[spark]", "venv-pack"],
            [python, "-m", "pip", "uninstall", "-q", "-y", "pyspark"],
            *commands,
        ]
    for each in commands:
        subprocess.run(each, check=True)
    return packed


def submit(cluster: Cluster, archive: Path, job: list[str], log: Path) -> subprocess.Popen[bytes]:
    """Run a job with spark-submit."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": LOOPBACK,
        "spark.driver.memory": "1g",
        "spark.executor.memory": "768m",
        "spark.sql.shuffle.partitions": "8",
        "spark.python.authenticate.socketTimeout": "120s",  # a busy machine
        "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
        "spark.python.unix.domain.socket.enabled": "true",
    }
    options = [each for name, value in settings.items() for each in ("--conf", f"{name}={value}")]
    environment = _environment() | {
        "PYSPARK_DRIVER_PYTHON": f"{ENVIRONMENT}/bin/python",
        "PYSPARK_PYTHON": f"{ENVIRONMENT}/bin/python",
    }
    command = [SPARK_HOME / "bin" / "spark-submit", "--master", cluster.master,
               "--archives", f"{archive}#{ENVIRONMENT}", *options, *job]  # fmt: skip
    with log.open("wb") as said:
        return subprocess.Popen(
            command, cwd=archive.parent, env=environment, stdout=said, stderr=said
        )


def _start(
    folder: Path, name: str, kind: str, options: list[str], page: int
) -> subprocess.Popen[bytes]:
    command = [SPARK_HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}",
               "--host", LOOPBACK, "--webui-port", str(page), *options]  # fmt: skip
    with (folder / f"{name}.log").open("wb") as said:
        return subprocess.Popen(command, env=_environment(), stdout=said, stderr=said)


def _is_executor(process: psutil.Process) -> bool:
    """Whether this is an executor; one that has ended, or is about to, is none."""
    try:
        return EXECUTOR in " ".join(process.cmdline())
    except psutil.Error:
        return False


def _environment() -> dict[str, str]:
    return os.environ | {
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOCAL_IP": LOOPBACK,
    }


def _wait_for(log: Path, text: str) -> None:
    deadline = time.monotonic() + LONGEST
    while text not in log.read_text(errors="replace"):
        if time.monotonic() > deadline:
            raise RuntimeError(f"{log.name} does not say '{text}'")
        time.sleep(0.2)
