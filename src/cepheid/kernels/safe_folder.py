"""Whether a folder can be trusted: what others can write there, they could have us run.

The index of Numba's cache is a pickle, and what it names is machine code. So a folder is used only
if nobody but this user (and the administrator) can put a file there, change one, or put another
folder in its place. Windows has other rights, which a user's own folders inherit; nothing is
looked at there.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

ADMINISTRATOR = 0
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OTHERS_ENTER = stat.S_IXGRP | stat.S_IXOTH


class UnsafeFolderError(Exception):
    """A folder that others can change; the message says which one and what to do."""


def make_private_folder(folder: Path) -> Path:
    """Make a folder, and those above it, for this user only; return it without links.

    Raises:
        UnsafeFolderError: others could change what is in the folder.
        OSError: it cannot be made or read.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=stat.S_IRWXU, exist_ok=True)  # another process may have been first
    real = folder.resolve(strict=True)
    if hasattr(os, "geteuid"):
        _check(real, os.geteuid())
    if not os.access(real, os.W_OK):
        raise PermissionError(f"{real} cannot be written")
    return real


def _check(folder: Path, user: int) -> None:
    status = folder.stat()
    _require_owner(folder, status, (user,))
    if status.st_mode & OTHERS_WRITE:
        raise UnsafeFolderError(f"others can write to {folder}; chmod go-w {folder}")
    for parent in folder.parents:
        status = parent.stat()
        _require_owner(parent, status, (user, ADMINISTRATOR))
        # In a sticky folder, such as /tmp, nobody can rename or remove what is not theirs.
        if status.st_mode & OTHERS_WRITE and not status.st_mode & stat.S_ISVTX:
            raise UnsafeFolderError(
                f"others can write to {parent} and replace what is in it; chmod go-w {parent}"
            )
    _check_files(folder, user)


def _check_files(folder: Path, user: int) -> None:
    """Look at what was there before; one pass over the folder."""
    is_open = folder.stat().st_mode & OTHERS_ENTER
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # another process has renamed it
                continue
            _require_owner(Path(entry.path), status, (user,))
            if is_open and status.st_mode & OTHERS_WRITE and not stat.S_ISLNK(status.st_mode):
                raise UnsafeFolderError(f"others can write to {entry.path}; remove {folder}")


def _require_owner(path: Path, status: os.stat_result, owners: tuple[int, ...]) -> None:
    if status.st_uid not in owners:
        raise UnsafeFolderError(f"{path} belongs to another user (number {status.st_uid})")
