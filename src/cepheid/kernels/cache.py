"""Where compiled kernels are kept between processes.

Numba checks only the file of the function it loads. A kernel inlines functions of other files, and
the cache index is a pickle that names our classes, so that a cache written by other sources can
give old code or fail to load. Here the names of files have a hash of the kernel's source and of all
kernel sources that it imports: a change of any of them begins new files. A version of Numba has a
folder of its own. `CEPHEID_CACHE_DIR` moves it.
Where no folder can be written, or others could write there (see safe_folder.py), kernels are
compiled in memory. Of several processes that need a kernel at the same time, the workers of a first
Spark job for example, one compiles it and others wait.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TextIO

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.runtime.nrt import rtsys

from cepheid.kernels.safe_folder import UnsafeFolderError, make_private_folder

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

# The versions of Numba whose loading of machine code was looked at; see KernelCache.load_overload.
LOADS_WITHOUT_COMPILER = ("0.68.",)
LONGEST_WAIT = 300.0  # seconds for another process to compile a kernel; the slowest takes a minute
POLL_SECONDS = 0.05
KERNELS, PACKAGE = Path(__file__).parent, "cepheid.kernels."
IMPORT = re.compile(r"^from (cepheid\.kernels\S*) import (\([^)]*\)|.*)$", re.MULTILINE)


@functools.cache
def source_stamp(module: str) -> str:
    """Return a hash of a module of kernels and all that it imports of ours."""
    digest = hashlib.sha256()
    for name in sorted(_imported_with(module)):
        digest.update(name.encode())
        digest.update(_source(name).encode())
    return digest.hexdigest()[:20]


def _imported_with(module: str) -> set[str]:
    """Return a module, and the modules of kernels that it imports, and so on."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(name)
    return found


@functools.cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the modules of kernels that a module names in its imports."""
    named = [
        name
        for origin, names in IMPORT.findall(_source(module))
        for name in (origin, *(f"{origin}.{each}" for each in re.findall(r"\w+", names)))
    ]
    return tuple(each for each in dict.fromkeys(named) if _source(each))


@functools.cache
def _source(module: str) -> str:
    """Return the text of a module of kernels; nothing if there is none of that name.

    Programs that compare themselves with ours have kernels, too: of those it is what was loaded.
    """
    path = KERNELS.joinpath(*module.removeprefix(PACKAGE).split("."))
    files = [path.with_suffix(".py"), path / "__init__.py"]
    if not module.startswith(PACKAGE):
        files = [Path(getattr(sys.modules.get(module), "__file__", None) or "")]
    return next((each.read_text() for each in files if each.is_file()), "")


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder for this version of Numba, or None with a warning if none will do."""
    try:
        return make_private_folder(_chosen_root() / f"kernels-numba-{numba.__version__}")
    except UnsafeFolderError as error:
        reason = f"it is not safe: {error}"
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home
        reason = str(error)
    logging.getLogger("cepheid").warning(
        "compiled kernels cannot be kept on disk and are compiled again in every process; %s; "
        "let CEPHEID_CACHE_DIR name a folder that belongs to you and that only you can write to",
        reason,
    )
    return None


def _chosen_root() -> Path:
    """Return the user's choice, or the place where users' caches are."""
    chosen = os.environ.get("CEPHEID_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "cepheid"


class _KernelLocator(_CacheLocator):
    """Tells Numba to use our folder."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._line = function.__code__.co_firstlineno
        self._stamp = source_stamp(function.__module__)

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return f"{self._line}-{self._stamp}"

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _KernelLocator:
        del py_file
        return cls(py_func)


class _KernelCacheImpl(CompileResultCacheImpl):
    _locator_classes = [_KernelLocator]  # type: ignore[list-item]  # noqa: RUF012


class KernelCache(FunctionCache):
    """Numba's function cache in our folder.

    Two processes that save different signatures of one function could give both the same file, and
    a third would load the wrong machine code: saving takes turns. Loading needs no lock, because
    files are replaced whole.
    """

    _impl_class = _KernelCacheImpl

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._turn: TextIO | None = None
        self._ending = threading.Lock()

    def has_code(self) -> bool:
        """Whether the folder has machine code of this function."""
        return Path(self._cache_file._index_path).exists()

    def load_overload(self, sig: object, target_context: object) -> object:
        """Load one signature's machine code, or None if this process is to compile it.

        Processes take turns, from here to the end of `ending_turns`. They cannot block each other:
        while a kernel is compiled only functions that it calls are waited for; none calls itself.
        """
        found = self._load(sig, target_context)
        if found is None and self._turn is None:
            self._turn = _turn_to_compile(self._name)
            found = self._load(sig, target_context)
            if found is not None:
                self._end_turn()
        return found

    def _load(self, sig: object, target_context: object) -> object:
        """Load one signature's machine code.

        Numba readies its whole compiler first, which takes longer than loading. Kernels handle
        numbers and arrays only, so all that theirs needs is the counting of references.
        """
        if not numba.__version__.startswith(LOADS_WITHOUT_COMPILER):
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]

    def save_overload(self, sig: object, data: object) -> None:
        """Save one signature's machine code."""
        with _saving():
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]

    def ending_turns(self, compile_one: Callable[..., object]) -> Callable[[object], object]:
        """Return what compiles a signature and ends the turn, also if that fails."""

        def compile_and_end(sig: object) -> object:
            try:
                return compile_one(sig)
            finally:
                self._end_turn()

        return compile_and_end

    def _end_turn(self) -> None:
        """End the turn; of several threads that wanted the same kernel, one does."""
        with self._ending:
            turn, self._turn = self._turn, None
        if turn is not None:
            _unlock(turn)


def _unlock(lock: TextIO) -> None:
    """Let others go on, also if a child of this process still has the file."""
    if fcntl is not None:
        fcntl.flock(lock, fcntl.LOCK_UN)
    lock.close()


def _turn_to_compile(name: str) -> TextIO | None:
    """Wait until no other process compiles a kernel, and return a lock that lasts until closed.

    None where there are no locks, or if the other one takes too long: then both compile it.
    """
    folder = cache_folder()
    if fcntl is None or folder is None:
        return None
    lock = (folder / f"{name}.compiling").open("w")
    deadline = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < deadline:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(POLL_SECONDS)
        except OSError:  # a file system without locks
            break
        else:
            return lock
    lock.close()
    return None


@contextlib.contextmanager
def _saving() -> Iterator[None]:
    """Hold the folder's lock, where the system has locks of files."""
    folder = cache_folder()
    if fcntl is None or folder is None:
        yield
        return
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
