"""The files that a run passes are found by running, and they do not become more."""

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools" / "trace_files.py"
# Lower these when a run passes fewer files.
MOST_PASSED = {
    "a match in process": 26,
    "COUNT with SLIDE in process": 25,
    "a workload of three in process": 43,
}


def test_runs_in_process() -> None:
    command = [sys.executable, str(SCRIPT)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(.+): (\d+) passed, (\d+) entered$", said, re.MULTILINE)
    passed_by_kind = {name: int(passed) for name, passed, _ in found}
    assert passed_by_kind.keys() == MOST_PASSED.keys()
    assert all(passed_by_kind[name] <= most for name, most in MOST_PASSED.items()), said
    one, _, several = (each.split("\n", 1)[1] for each in said.split("entered")[1:])
    for listed, first in ((one, "query.py"), (several, "workload.py")):
        passed = re.findall(r"^ +\d+ (\S+)$", listed, re.MULTILINE)
        on_the_way = ["runners/run_queries.py", "runners/in_process.py", "engine/run.py"]
        assert passed[0] == first
        assert [each for each in passed if each in on_the_way] == on_the_way
        assert not any(each.startswith("kernels/") or each == "errors.py" for each in passed)


def test_unknown_kind() -> None:
    command = [sys.executable, str(SCRIPT), "matches"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "there is no kind 'matches'; there are: match, count" in found.stderr
