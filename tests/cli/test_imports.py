"""A new process imports what its query needs, and nothing that takes long besides."""

import os
import subprocess
import sys

import pyarrow as pa
import pytest

from cepheid.connectors.event_files import format_of
from cepheid.connectors.write_files import open_writer

SLOW = ("pandas", "polars", "pyspark", "pyarrow.dataset", "matplotlib", "rich", "urllib.request")
MATCHES = "PATTERN SEQ(A a, B+ b) WHERE [user] AND b.v > 1 AND b.v > a.v RETURN a.ts, b.v"
COUNTS = "PATTERN SEQ(A a, B+ b) WHERE [user] AND a.v % 2 = 1 WITHIN 10 SLIDE 5 AGG COUNT(*)"
COMMAND = """
import sys
from cepheid.cli import main
try:
    main()
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)
"""


def modules_after(code: str, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return set(done.stderr.splitlines())


@pytest.fixture(params=["parquet", "csv", "jsonl"])
def file(request, tmp_path):
    events = pa.table(
        {
            "ts": [1, 2, 3],
            "kind": ["A", "B", "B"],
            "user": ["ann", "ann", "ann"],
            "v": [1, 2, 3],
        }
    )
    path = str(tmp_path / f"events.{request.param}")
    with open_writer(path, format_of(path), events.schema) as writer:
        writer.write(events)
    return path


@pytest.mark.parametrize("query", [MATCHES, COUNTS], ids=["matches", "counts"])
def test_run_imports_nothing_slow(query, file):
    modules = modules_after(COMMAND, "run", query, file, "--format", "csv", "--quiet")
    assert "numba" in modules
    assert [each for each in SLOW if each in modules] == []


def test_the_package_alone_imports_neither_numba_nor_arrow():
    modules = modules_after("import sys, cepheid; print(*sys.modules, sep='\\n', file=sys.stderr)")
    assert "cepheid.query" in modules
    assert [each for each in (*SLOW, "numba", "pyarrow") if each in modules] == []
