"""What a worker keeps on its own disk, and can lose at any time: tables by name, in mapped files.

A name says all of what is in a table: it has the digest of the bytes from which it was made. So
nothing here can be out of date. Whoever does not find a table makes it again, from what is durable.
Files are written under another name and then renamed, so that nobody reads half of one.
"""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.process.log import LOG
from cepheid.kernels.safe_folder import UnsafeFolderError, make_private_folder

DEFAULT_LIMIT = 8 * 2**30
MOST_OPEN = 512  # files that a process has mapped at once
SMALL = 2**18  # bytes of a table that stays in memory after it was written, and is not mapped
ENDING = ".arrow"


@dataclass(frozen=True, slots=True)
class CachePlace:
    """The folder of a cache, None: that of the worker; and how many bytes it may have."""

    folder: str | None = None
    limit: int = DEFAULT_LIMIT


class LocalCache:
    """Tables in a folder; without one, everything is made whenever it is asked for.

    The tables that were not asked for longest go first when there are more than `limit` bytes.
    """

    def __init__(self, folder: Path | None, limit: int = DEFAULT_LIMIT) -> None:
        self.folder = folder
        self.limit = limit
        self.found = self.made = 0
        self._parts: set[str] = set()  # that tables of any name have
        self._open: OrderedDict[str, pa.Table] = OrderedDict()
        self._arrays: OrderedDict[str, NDArray[Any]] = OrderedDict()
        self._unchecked = limit  # bytes that may have been written since the folder was looked at

    def table(self, name: str, make: Callable[[], pa.Table], part: str = "") -> pa.Table:
        """Return the table of a name, or a part that was made of it; it is made if need be."""
        if part:
            part = f"-{part}"
            self._parts.add(part)
            name += part
        table = self._open.get(name)
        if table is None:
            table = self._mapped(name)
        if table is None:
            self.made += 1
            made = make()
            self._write(name, made)
            table = None if made.get_total_buffer_size() <= SMALL else self._mapped(name)
            if table is None:
                return made if self.folder is None else self._opened(name, made)
        else:
            self.found += 1
        return self._opened(name, table)

    def _opened(self, name: str, table: pa.Table) -> pa.Table:
        self._open[name] = table
        self._open.move_to_end(name)
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return table

    def find(self, name: str, *, again: bool = False) -> pa.Table | None:
        """Return the table of a name, if it is there; it may be asked for again and again."""
        table = self._open.get(name)
        if table is None:
            table = self._mapped(name)
        return self._opened(name, table) if again and table is not None else table

    def remembered(self, name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """Return an array of a name; only small ones are kept, and in memory."""
        array = self._arrays.get(name)
        if array is None:
            array = make()
            if array.nbytes > SMALL:
                return array
        self._arrays[name] = array
        self._arrays.move_to_end(name)
        if len(self._arrays) > MOST_OPEN:
            self._arrays.popitem(last=False)
        return array

    def has(self, name: str) -> bool:
        """Whether a table is there."""
        return self.folder is not None and self._path(name).exists()

    def put(self, name: str, table: pa.Table) -> None:
        """Keep a table that somebody will ask for."""
        if not self.has(name):
            self._write(name, table)
        if self.folder is not None and table.get_total_buffer_size() <= SMALL:
            self._opened(name, table)

    def forget(self, names: Iterable[str]) -> None:
        """Remove tables that nobody will ask for, with what was made of them."""
        for name in (f"{name}{each}" for name in names for each in ("", *self._parts)):
            self._open.pop(name, None)
            if self.folder is not None:
                with contextlib.suppress(OSError):
                    self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}{ENDING}"

    def _mapped(self, name: str) -> pa.Table | None:
        if self.folder is None:
            return None
        path = self._path(name)
        try:
            with pa.memory_map(str(path)) as file:
                table = pa.ipc.open_file(file).read_all()
            os.utime(path)
        except (OSError, pa.ArrowInvalid):
            return None
        return table

    def _write(self, name: str, table: pa.Table) -> None:
        if self.folder is None:
            return
        path = self._path(name)
        unfinished = path.with_suffix(f".{uuid.uuid4().hex}")
        try:
            with (
                pa.OSFile(str(unfinished), "wb") as file,
                pa.ipc.new_file(file, table.schema) as writer,
            ):
                writer.write_table(table.combine_chunks())
            unfinished.rename(path)
            self._unchecked += table.nbytes
            if self._unchecked > self.limit // 8:
                self._trim()
        except (OSError, pa.ArrowInvalid) as error:
            LOG.warning("the local cache in %s cannot be written: %s", self.folder, error)
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)

    def _trim(self) -> None:
        """Remove the tables that were not used for longest, until a quarter is free."""
        assert self.folder is not None
        files = []
        for entry in os.scandir(self.folder):
            with contextlib.suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime_ns, status.st_size, entry.path))
        excess = sum(size for _, size, _ in files) - self.limit
        self._unchecked = 0
        if excess <= 0:
            return
        excess += self.limit // 4
        for _, size, path in sorted(files):
            if excess <= 0:
                break
            Path(path).unlink(missing_ok=True)
            excess -= size


@functools.cache
def cache_at(place: CachePlace) -> LocalCache:
    """Return the cache of this process in a folder; one that forgets where none can be used."""
    root = Path(place.folder or os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0]
                or tempfile.gettempdir())  # fmt: skip
    user = os.geteuid() if hasattr(os, "geteuid") else "user"
    try:
        return LocalCache(make_private_folder(root / f"cepheid_streams_{user}"), place.limit)
    except (OSError, UnsafeFolderError) as error:
        LOG.warning("streams run without a local cache: %s", error)
        return LocalCache(None)
