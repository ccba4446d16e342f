"""Settings of Spark that matter to queries, and those that its file of defaults has."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pyspark

from cepheid.spark.stream.stream_input import PROVIDER, ROCKS

PROPERTY = re.compile(r"^\s*(spark\.[^\s=:]+)(?:\s*[=:]\s*|\s+)(\S.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, what it is if nobody sets it, what it should be, and why.

    Queries are refused without one that is `needed`; of the others they are only slower.
    """

    name: str
    default: str
    best: str
    reason: str
    is_needed: bool = False


SETTINGS = (
    Setting(
        "spark.python.unix.domain.socket.enabled",
        default="false",
        best="true",
        reason="by TCP every task waits 40 ms (Spark 4.1 or later, not on Windows)",
    ),
    Setting(
        "spark.sql.execution.arrow.maxBytesPerBatch",
        default="64 MB",
        best=str(2**31 - 1),
        reason="with a limit Spark adds up the size of a batch again after every row",
    ),
    Setting(
        "spark.python.worker.reuse",
        default="true",
        best="true",
        reason="a new worker loads Arrow, Numba and the kernels again",
    ),
    Setting(
        PROVIDER,
        default=ROCKS,  # streams set it themselves
        best=ROCKS,
        reason="streams refuse another store",
        is_needed=True,
    ),
)


def file_of_defaults() -> Path:
    """Return where Spark looks for settings when it is started."""
    home = os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent
    return Path(os.environ.get("SPARK_CONF_DIR") or Path(home, "conf"), "spark-defaults.conf")


def settings_in(file: Path) -> dict[str, str]:
    """Return the settings that a file of defaults has; none if there is no such file."""
    if not file.is_file():
        return {}
    return dict(PROPERTY.findall(file.read_text(encoding="utf-8")))
