"""The job of docs/tutorials/notebook-to-spark.md runs by the command of the page."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

from tests.shown_code import REPOSITORY

pytestmark = pytest.mark.spark

PAGE = REPOSITORY / "docs" / "tutorials" / "notebook-to-spark.md"
JOB = PAGE.read_text(encoding="utf-8").partition("## 4. As a job")[2]
EVENTS = pa.table(
    {
        "ts": [10, 14, 17, 25, 31, 90],
        "kind": ["Fail", "Fail", "Fail", "Login", "Login", "Login"],
        "user": ["ann", "bob", "ann", "bob", "ann", "ann"],
        "known": [None, None, None, True, False, False],
    }
)
TIMEOUT = 300  # seconds; of a busy machine
QUICK = ("spark.ui.enabled=false", "spark.sql.shuffle.partitions=2")


def shown(language: str) -> str:
    """The only block of this language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", JOB, re.MULTILINE | re.DOTALL)
    return found


def test_the_job_runs_as_printed(tmp_path: Path) -> None:
    (tmp_path / "logins.cep").write_text(shown("cep"), encoding="utf-8")
    (tmp_path / "logins_job.py").write_text(shown("py"), encoding="utf-8")
    (tmp_path / "logins").mkdir()
    pq.write_table(EVENTS, tmp_path / "logins" / "events.parquet")
    program, *arguments = shlex.split(shown("sh"))
    assert program == "spark-submit"
    options = [word for each in QUICK for word in ("--conf", each)]
    home = Path(pyspark.__file__).parent
    done = subprocess.run(
        [home / "bin" / program, *options, *arguments],
        cwd=tmp_path,
        env={
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join(
                [str(REPOSITORY / "src"), os.environ.get("PYTHONPATH", "")]
            ),
        },
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert shown("text") in done.stdout, done.stdout
