"""Open a notebook in a JupyterLab on this machine, for a picture of it.

JupyterLab is no part of the development packages. Install it in an environment of its own, and name
its program in CEPHEID_JUPYTERLAB unless it is on the PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from urllib.error import URLError

MISSING = (
    "no JupyterLab, so there is no new picture of a notebook; make an environment for it with "
    "`python3 -m venv lab && lab/bin/pip install jupyterlab`, then set "
    "CEPHEID_JUPYTERLAB=lab/bin/jupyter-lab"
)
PATIENCE = 120.0  # seconds until the server must answer
SETTINGS = "@jupyterlab/apputils-extension/notification.jupyterlab-settings"


def find_jupyterlab() -> str | None:
    """Return the program of JupyterLab, None if there is none."""
    named = os.environ.get("CEPHEID_JUPYTERLAB")
    return named if named and os.access(named, os.X_OK) else shutil.which("jupyter-lab")


@contextmanager
def executed_in_jupyterlab(program: str, notebook: Path, place: Path) -> Iterator[str]:
    """Execute a notebook, and give the address where JupyterLab shows it, until the end.

    The packages of this process execute it. JupyterLab trusts it, because it is signed with the
    secret in the folder of that server's data, as are notebooks that somebody runs there.
    """
    folders = {each: place / each for each in ("root", "data", "config", "runtime", "settings")}
    for each in folders.values():
        each.mkdir(parents=True)
    _execute_and_sign(notebook, folders["root"] / notebook.name, folders["data"])
    quiet = folders["settings"] / SETTINGS
    quiet.parent.mkdir(parents=True)
    quiet.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}), "utf-8")
    port, token = _free_port(), token_hex(16)
    server = subprocess.Popen(
        [program, "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root",
         f"--ServerApp.root_dir={folders['root']}"],
        env={
            **os.environ,
            "JUPYTER_TOKEN": token,
            "JUPYTER_DATA_DIR": str(folders["data"]),
            "JUPYTER_CONFIG_DIR": str(folders["config"]),
            "JUPYTER_RUNTIME_DIR": str(folders["runtime"]),
            "JUPYTERLAB_SETTINGS_DIR": str(folders["settings"]),
            "JUPYTERLAB_WORKSPACES_DIR": str(folders["config"]),
        },
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/api", server)
        yield f"{address}/doc/tree/{notebook.name}?token={token}"
    finally:
        server.terminate()
        server.wait(timeout=60)


def _execute_and_sign(notebook: Path, target: Path, data: Path) -> None:
    import nbclient
    import nbformat
    from nbformat.sign import NotebookNotary

    cells = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(cells, kernel_name="python3", timeout=300).execute()
    nbformat.write(cells, target)
    NotebookNotary(data_dir=str(data)).sign(cells)


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except (URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise RuntimeError(f"JupyterLab does not answer at {address}")
