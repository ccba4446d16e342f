"""Print the files of src/cepheid that a query passes, from `run` to the table of its result.

    python tools/trace_files.py                 # the kinds that need no Java
    python tools/trace_files.py spark stream    # some kinds

The query is really run, and every call of a Python function is watched: in this process, on all of
its threads, and in the worker processes of Spark. What is counted:

- A file is **entered** if one of its functions is called between the call of `run` and the moment
  when the whole result is there as a table.
- It is **passed** if, besides, one of its functions calls one of another file: who follows a query
  goes through it. Of the others an answer is wanted, and that is all.
- Compiled kernels (kernels/), errors.py, which is around everything, and what runs while a module
  is imported are not counted. Neither is the way from text to program (analysis, plan, lowering):
  the query has been run before, so that its program is known, as it is in all runs but the first.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

FOLDER = "CEPHEID_TRACE_FOLDER"  # where the workers of Spark write what they see
PACKAGE = f"{os.sep}cepheid{os.sep}"
NOT_COUNTED = ("kernels", "errors.py")
LISTED = "PATTERN SEQ(A a, B b, C c) WHERE [k] AND a.v < c.v WITHIN 10"
COUNTED = "PATTERN SEQ(A, B+, C) WHERE [k] WITHIN 10 SLIDE 5 RETURN COUNT(*) AS n"
THREE = (
    "PATTERN SEQ(A a, B b) WITHIN 10",
    "PATTERN SEQ(A, B+) WITHIN 10 SLIDE 5 RETURN COUNT(*) AS n",
    "PATTERN SEQ(C, B+) WITHIN 10 SLIDE 5 RETURN COUNT(*) AS n",
)
ROLES = {"time": "ts", "type": "kind"}


class Passed(NamedTuple):
    """Files in the order in which they are entered, and those that call another one."""

    entered: list[str]
    passed: list[str]


class Watch:
    """The calls between files, written down while `is_on`."""

    def __init__(self, on_new: Callable[[str, str], None] | None = None) -> None:
        self.calls: dict[tuple[str, str], None] = {}
        self.is_on = False
        self.on_new = on_new

    def install(self) -> None:
        """Watch this thread and those that are started from now on."""
        threading.setprofile(self.called)
        sys.setprofile(self.called)

    def called(self, frame: FrameType, event: str, _: object) -> None:
        """Write a call down; Python calls this on all of them."""
        if not self.is_on or event != "call":
            return
        file = counted_file(frame.f_code)
        if file is None:
            return
        caller, above = "", frame.f_back
        while above is not None:
            found = counted_file(above.f_code)
            if found is None and above.f_code.co_name == "<module>" and _file(above.f_code):
                return  # a module is imported
            caller = caller or found or ""
            above = above.f_back
        if caller != file and (caller, file) not in self.calls:
            self.calls[caller, file] = None
            if self.on_new is not None:
                self.on_new(caller, file)


def counted_file(code: CodeType) -> str | None:
    """Return the file of a function, as a path below src/cepheid; None if it does not count."""
    file = _file(code) if code.co_flags & inspect.CO_OPTIMIZED else None
    return None if file is None or file.split("/")[0] in NOT_COUNTED else file


def _file(code: CodeType) -> str | None:
    before, found, path = code.co_filename.rpartition(PACKAGE)
    return path.replace(os.sep, "/") if found and before.endswith("src") else None


def files_of(calls: Iterable[tuple[str, str]]) -> Passed:
    """Return the files that are entered, and those that are passed."""
    entered = list(dict.fromkeys(each for call in calls for each in call if each))
    callers = {caller for caller, _ in calls}
    return Passed(entered, [each for each in entered if each in callers])


def watch_worker() -> None:
    """Watch a worker of Spark; what it sees goes to a file, as such processes are just ended."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        return

    def write(caller: str, file: str) -> None:
        with open(Path(folder) / str(os.getpid()), "a", encoding="utf-8") as out:
            out.write(f"{caller}\t{file}\n")

    watch = Watch(write)
    watch.is_on = True
    watch.install()


# --- the kinds of runs ---------------------------------------------------------------------------


def table_of_events() -> Any:
    """Return some events, of two partitions."""
    import pyarrow as pa

    count = 40
    return pa.table(
        {
            "ts": list(range(count)),
            "kind": ["A", "B", "C", "A"] * (count // 4),
            "k": [1, 2] * (count // 2),
            "v": [float(each) for each in range(count)],
        }
    )


def run_in_process(text: str, watch: Watch) -> None:
    """Run a query on a table."""
    import cepheid

    query, events = cepheid.query(text), table_of_events()
    query.run(events, **ROLES)
    watch.is_on = True
    query.run(events, **ROLES)
    watch.is_on = False


def run_three(watch: Watch) -> None:
    """Run a workload of three queries, of which two share work, on a table."""
    import cepheid

    workload, events = cepheid.workload(THREE), table_of_events()
    workload.run(events, **ROLES)
    watch.is_on = True
    workload.run(events, **ROLES)
    watch.is_on = False


def run_on_spark(watch: Watch) -> None:
    """Run a query on a batch DataFrame."""
    import cepheid

    session = _session()
    query, frame = cepheid.query(COUNTED), session.createDataFrame(table_of_events().to_pandas())
    query.run(frame, **ROLES)  # which computes nothing yet
    watch.is_on = True
    query.run(frame, **ROLES).toArrow()
    watch.is_on = False
    session.stop()


def run_on_stream(watch: Watch) -> None:
    """Run a query on a streaming DataFrame."""
    import pyarrow.parquet as pq

    import cepheid

    session = _session()
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(table_of_events(), Path(folder) / "events.parquet")
        schema = session.read.parquet(folder).schema
        frame = session.readStream.schema(schema).parquet(folder)
        query, options = cepheid.query(LISTED), {**ROLES, "watermark": 0, "buckets": 1}
        query.run(frame, **options)  # which computes nothing yet
        with tempfile.TemporaryDirectory() as checkpoint:
            watch.is_on = True
            found = query.run(frame, **options).writeStream.format("memory").queryName("found")
            found = found.option("checkpointLocation", checkpoint).trigger(availableNow=True)
            found.start().awaitTermination()
            session.table("found").toArrow()
            watch.is_on = False
    session.stop()


def _session() -> Any:
    """Return a small session, whose workers import this file first of all."""
    from pyspark.sql import SparkSession

    folder = Path(os.environ[FOLDER])
    (folder / "sitecustomize.py").write_text(
        f"import sys; sys.path.append({str(Path(__file__).parent)!r})\n"
        "import trace_files; trace_files.watch_worker()\n"
    )
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "1")
    session = builder.config("spark.sql.streaming.metricsEnabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


KINDS: dict[str, tuple[str, Callable[[Watch], None]]] = {
    "match": ("a match in process", lambda watch: run_in_process(LISTED, watch)),
    "count": ("COUNT with SLIDE in process", lambda watch: run_in_process(COUNTED, watch)),
    "three": ("a workload of three in process", run_three),
    "spark": ("Spark batch", run_on_spark),
    "stream": ("a match on a stream", run_on_stream),
}
WITHOUT_JAVA = ("match", "count", "three")


def trace(kind: str, watch: Watch) -> Passed:
    """Run a query of a kind and return its files."""
    watch.calls.clear()
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        KINDS[kind][1](watch)
        del os.environ[FOLDER]
        workers = [each for each in Path(folder).iterdir() if each.name.isdigit()]
        lines = [line for each in workers for line in each.read_text().splitlines()]
    there = [(caller, file) for caller, _, file in (line.partition("\t") for line in lines)]
    return files_of([*watch.calls, *there])


def main(kinds: list[str]) -> None:
    """Print the files of some kinds of runs."""
    unknown = [each for each in kinds if each not in KINDS]
    if unknown:
        sys.exit(f"there is no kind '{unknown[0]}'; there are: {', '.join(KINDS)}")
    watch = Watch()
    watch.install()
    for kind in kinds or WITHOUT_JAVA:
        if kind not in WITHOUT_JAVA and len(kinds) > 1:  # workers of Spark stay in a process
            subprocess.run([sys.executable, __file__, kind], check=True)
            continue
        found = trace(kind, watch)
        print(f"{KINDS[kind][0]}: {len(found.passed)} passed, {len(found.entered)} entered")
        for number, file in enumerate(found.passed, start=1):
            print(f"  {number:2} {file}")
        print("  asked:", ", ".join(each for each in found.entered if each not in found.passed))


if __name__ == "__main__":
    main(sys.argv[1:])
