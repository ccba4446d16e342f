"""A PostgreSQL server with an empty database and a password that nobody knows."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.services.jars import REPOSITORY
from tests.services.processes import LOOPBACK, end, free_ports, wait_until

USER = "cepheid"
DATABASE = "postgres"  # the one that a new server has


@dataclass(frozen=True, slots=True)
class PostgresqlServer:
    port: int
    password: str = field(repr=False)

    @property
    def connection(self) -> dict[str, str]:
        """The parameters of libpq."""
        return {
            "host": LOOPBACK,
            "port": str(self.port),
            "dbname": DATABASE,
            "user": USER,
            "password": self.password,
        }

    @property
    def url(self) -> str:
        """The address for JDBC, which takes user and password apart from it."""
        return f"jdbc:postgresql://{LOOPBACK}:{self.port}/{DATABASE}"

    @property
    def properties(self) -> dict[str, str]:
        return {"user": USER, "password": self.password, "driver": "org.postgresql.Driver"}

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(**self.connection, connect_timeout=5) as connection:
            return connection.execute(statement.encode()).fetchall()

    def execute(self, statement: str) -> None:
        with psycopg.connect(**self.connection, connect_timeout=5) as connection:
            connection.execute(statement.encode())


def server_programs() -> Path | str:
    """The folder of initdb and postgres, or why there is none; installs nothing."""
    done = subprocess.run(
        ["sh", str(REPOSITORY / "tools" / "ensure_postgresql.sh")],
        env={**os.environ, "CEPHEID_SYSTEM_INSTALL": "no"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return Path(done.stdout.strip())
    return "no PostgreSQL server (initdb and postgres): run `make services`"


def account() -> dict[str, Any]:
    """Arguments that give a process another account than root, as which no server starts."""
    if os.geteuid() != 0:
        return {}
    names = {each.pw_name for each in pwd.getpwall()}
    found = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}


@contextmanager
def postgresql_server(programs: Path) -> Iterator[PostgresqlServer]:
    """Run a server until the end of the block, with its files in a folder that goes with it."""
    # Not in pytest's folder, which is closed to other accounts.
    folder = Path(tempfile.mkdtemp(prefix="cepheid-postgresql-"))
    try:
        with _server(programs, folder) as server:
            yield server
    finally:
        shutil.rmtree(folder)


@contextmanager
def _server(programs: Path, folder: Path) -> Iterator[PostgresqlServer]:
    server = PostgresqlServer(free_ports(1)[0], secrets.token_urlsafe(16))
    password = folder / "password"
    password.write_text(server.password)
    as_account = account()
    if as_account:
        for path in (folder, password):
            os.chown(path, as_account["user"], as_account["group"])
    data = folder / "data"
    made = subprocess.run(
        [
            *(programs / "initdb", "-D", data, "-U", USER, "-A", "scram-sha-256"),
            *("-E", "UTF8", "--locale=C", "--no-sync", f"--pwfile={password}"),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **as_account,
    )
    if made.returncode != 0:
        raise RuntimeError(f"initdb:\n{made.stdout}{made.stderr}")
    # No file at a well-known place, and no waiting for disks: what is stored need not outlive us.
    settings = {
        "listen_addresses": LOOPBACK,
        "port": server.port,
        "unix_socket_directories": "",
        "fsync": "off",
    }
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [programs / "postgres", "-D", data]
            + [word for key, value in settings.items() for word in ("-c", f"{key}={value}")],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            **as_account,
        )
    try:
        wait_until(lambda: answers(server), process, log)
        yield server
    finally:
        end(process, signal.SIGINT, signal.SIGQUIT)  # disconnect everybody; then without tidying up


def answers(server: PostgresqlServer) -> bool:
    try:
        return server.rows("SELECT 1") == [(1,)]
    except psycopg.OperationalError:
        return False
