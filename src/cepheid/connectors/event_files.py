"""Which files hold the events, and in which format: told by their suffix."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from cepheid.errors import ConfigError, DataError

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
COMPRESSIONS = (".gz", ".bz2", ".zst")


class FileFormat(StrEnum):
    """The formats that can be read and written."""

    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    PARQUET = "parquet"


SUFFIXES = {
    ".csv": FileFormat.CSV,
    ".tsv": FileFormat.TSV,
    ".json": FileFormat.JSON,
    ".jsonl": FileFormat.JSON,
    ".ndjson": FileFormat.JSON,
    ".parquet": FileFormat.PARQUET,
    ".pq": FileFormat.PARQUET,
}


def format_of(path: str) -> FileFormat:
    """Return the format of a file by its suffix; `.gz` and the like may follow.

    >>> format_of("clicks.csv.gz"), format_of("s3://bucket/clicks.parquet")
    (<FileFormat.CSV: 'csv'>, <FileFormat.PARQUET: 'parquet'>)

    Raises:
        ConfigError: the suffix is not known.
    """
    found = named_format(path)
    if found is None:
        raise ConfigError(
            f"cannot tell the format of '{path}' by its suffix",
            hint=f"known suffixes are {', '.join(SUFFIXES)}",
        )
    return found


def is_remote(path: str) -> bool:
    """Whether a path is an address such as `s3://bucket/events`."""
    return "://" in path


def list_files(paths: Sequence[str]) -> list[str]:
    """Return the files that paths name, those in a directory one by one and sorted.

    Raises:
        ConfigError: a path does not exist.
        DataError: a directory has no file of a known format.
    """
    files: list[str] = []
    for path in paths:
        if is_remote(path) or Path(path).is_file():
            files.append(path)
        elif Path(path).is_dir():
            files += _files_in(Path(path))
        else:
            raise ConfigError(f"there is no file or directory '{path}'")
    return files


def single_format(files: Sequence[str]) -> FileFormat:
    """Return the format that all files have."""
    formats = {format_of(each): each for each in files}
    if len(formats) > 1:
        (one, first), (other, second), *_ = formats.items()
        raise ConfigError(
            f"'{first}' is {one.value}, but '{second}' is {other.value}",
            hint="give files of one format, or one file per event type as TYPE=path",
        )
    return next(iter(formats))


def folder_values(path: str) -> dict[str, str | None]:
    """Return what the folders around a file say of its events, the Hive way.

    >>> folder_values("events/year=2024/user=a%20b/part.parquet")
    {'year': '2024', 'user': 'a b'}
    """
    found: dict[str, str | None] = {}
    for folder in Path(path).parent.parts:
        name, equals, value = folder.partition("=")
        if not equals or not name:
            found = {}  # folders further up are not part of the events
            continue
        found[unquote(name)] = None if value == NO_VALUE else unquote(value)
    return found


def _files_in(folder: Path) -> list[str]:
    """Return the files in a folder, and in folders such as `day=2024-01-31` in it.

    Names with `_` or `.` in front are not events.
    """
    found = _events_in(folder)
    if not found:
        raise DataError(
            f"the directory '{folder}' has no file of events",
            hint=f"known suffixes are {', '.join(SUFFIXES)}; of the directories in it only those "
            "called name=value are searched",
        )
    return found


def _events_in(folder: Path) -> list[str]:
    found = [
        str(each)
        for each in folder.iterdir()
        if each.is_file() and each.name[0] not in "._" and named_format(each.name) is not None
    ]
    for each in folder.iterdir():
        if each.is_dir() and "=" in each.name:
            found += _events_in(each)
    return sorted(found)


def named_format(path: str) -> FileFormat | None:
    """Return the format that the suffix of a file names, if any."""
    name = PurePosixPath(path.rstrip("/").casefold())
    if name.suffix in COMPRESSIONS:
        name = name.with_suffix("")
    return SUFFIXES.get(name.suffix)
