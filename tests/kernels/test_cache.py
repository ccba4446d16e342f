"""Compiled kernels are kept between processes, apart for every version of their sources."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import cepheid.kernels
from cepheid.kernels.cache import cache_folder
from tests.kernels.processes import output_of

# A small kernel that calls another one, so that compiling takes no more than a few seconds.
SUM = """
import numpy as np
from cepheid.kernels.cache import cache_folder
from cepheid.kernels.values.add_by_key import add_by_key
from cepheid.kernels.values.value_arrays import ValueRows

def rows(*counts):
    zero = np.zeros((len(counts), 1), np.int64)
    numbers = np.array(counts, np.float64).reshape(-1, 1)
    return ValueRows(zero[:, 0], zero[:, 0], numbers, zero, zero.copy(), zero[:, :0])

total = rows(0.0)
add_by_key(np.zeros(2, np.int64), rows(1.0, 2.0), np.zeros(1, np.int64), total)
total, stats = total.mantissa[0, 0], add_by_key.stats
print(total, sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), cache_folder())
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_second_process_loads_what_the_first_compiled(tmp_path):
    first = output_of(SUM, CEPHEID_CACHE_DIR=str(tmp_path)).split()
    second = output_of(SUM, CEPHEID_CACHE_DIR=str(tmp_path)).split()
    assert first[:3] == ["3.0", "0", "1"]
    assert second[:3] == ["3.0", "1", "0"]
    assert Path(first[3]).parent == tmp_path


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_one_of_several_processes_compiles(tmp_path):
    with ThreadPoolExecutor() as pool:
        texts = pool.map(lambda _: output_of(SUM, CEPHEID_CACHE_DIR=str(tmp_path)), range(3))
        outcomes = sorted(each.split()[:3] for each in texts)
    assert outcomes == [["3.0", "0", "1"], ["3.0", "1", "0"], ["3.0", "1", "0"]]


THREADS = SUM.replace(
    "total = rows(0.0)", "from concurrent.futures import ThreadPoolExecutor"
).replace(
    "add_by_key(np.zeros(2, np.int64), rows(1.0, 2.0), np.zeros(1, np.int64), total)",
    """def add(_):
    total = rows(0.0)
    add_by_key(np.zeros(2, np.int64), rows(1.0, 2.0), np.zeros(1, np.int64), total)
    return total

with ThreadPoolExecutor(8) as pool:
    (total,) = {each.mantissa[0, 0]: each for each in pool.map(add, range(64))}.values()""",
)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_threads_that_want_the_same_kernel(tmp_path):
    assert output_of(THREADS, CEPHEID_CACHE_DIR=str(tmp_path)).split()[0] == "3.0"


FAILING = """
import fcntl
from cepheid.kernels import jit
from cepheid.kernels.cache import cache_folder

@jit.kernel
def wrong(number):
    return number.nothing

try:
    wrong(1)
except Exception as error:
    print(type(error).__name__)
(lock,) = cache_folder().glob("*.compiling")
fcntl.flock(lock.open("w"), fcntl.LOCK_EX | fcntl.LOCK_NB)
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_kernel_that_cannot_be_compiled_keeps_nobody_waiting(tmp_path):
    assert output_of(FAILING, CEPHEID_CACHE_DIR=str(tmp_path)).strip() == "TypingError"


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_without_a_writable_folder_kernels_are_compiled_in_memory():
    total, hits, _, folder = output_of(SUM, CEPHEID_CACHE_DIR="/dev/null/cepheid").split()
    assert (total, hits, folder) == ("3.0", "0", "None")


STAMPS = """
from cepheid.kernels.cache import source_stamp
for name in ("position.fold_slots", "values.add_by_key"):
    print(source_stamp(f"cepheid.kernels.{name}"))
"""


def test_a_change_of_a_source_concerns_the_kernels_that_import_it(tmp_path):
    package = tmp_path / "cepheid"
    shutil.copytree(Path(cepheid.kernels.__file__).parent, package / "kernels")
    (package / "__init__.py").touch()
    before = output_of(STAMPS, path=tmp_path).split()
    with (package / "kernels" / "step.py").open("a") as step:
        step.write("# a change in a file that kernels of other files inline\n")
    after = output_of(STAMPS, path=tmp_path).split()
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_every_module_is_stamped_with_what_it_really_imports():
    """The imports that are found in the text are those that Python makes."""
    script = """
import sys
from importlib import import_module
from cepheid.kernels.cache import _imported_with
before = set(sys.modules)
import_module("cepheid.kernels.shared.share_bursts")
loaded = {each for each in set(sys.modules) - before if each.startswith("cepheid.kernels.")}
packages = {each for each in loaded if hasattr(sys.modules[each], "__path__")}
print(*sorted(loaded - packages - _imported_with("cepheid.kernels.shared.share_bursts")), "end")
"""
    assert output_of(script).split() == ["end"]


class TestFolder:
    @pytest.fixture(autouse=True)
    def _environment(self, monkeypatch):
        for name in ("CEPHEID_CACHE_DIR", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)

    def test_is_in_the_home_of_the_user(self, monkeypatch, tmp_path):
        monkeypatch.setenv("HOME", str(tmp_path))
        assert cache_folder.__wrapped__().parent == tmp_path / ".cache" / "cepheid"

    def test_follows_xdg(self, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert cache_folder.__wrapped__().parent == tmp_path / "cepheid"

    def test_is_none_for_a_user_without_home(self, monkeypatch):
        """As in a container that runs under a number without an account."""
        monkeypatch.delenv("HOME")
        monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
        assert cache_folder.__wrapped__() is None
