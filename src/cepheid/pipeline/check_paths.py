"""Paths that cannot work: missing folders, two writers in one place, output into the input."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from cepheid.errors import Diagnostic
from cepheid.pipeline.model import Pipeline
from cepheid.pipeline.pipeline_document import Document
from cepheid.pipeline.pipeline_document import Path as KeyPath
from cepheid.pipeline.places import Places

WILDCARD = re.compile(r"[*?\[{]")


def check_paths(
    settings: Pipeline, document: Document, places: Places, problems: list[Diagnostic]
) -> None:
    """Add what is wrong with paths to the problems; whether remote ones exist is Spark's to see."""
    report = problems.append
    source = _source_folder(settings, places)
    if source is not None and not source.exists():
        place = document.place_of_value(("source", "files", "path"))
        hint = "make the folder, or mend the path; it begins in the folder of this file"
        report(Diagnostic("missing-file", "there is no such folder", place, hint))
    taken: dict[Path, str] = {}
    checkpoint = _folder(places, settings.checkpoint)
    for key, path in _outputs(settings):
        folder = _folder(places, path)
        place = document.place_of_value(key)
        name = ".".join(map(str, key))
        if folder.is_file():
            report(Diagnostic("conflict", f"'{name}' is a file", place, "name a folder"))
        if checkpoint in folder.parents:
            message = f"'{name}' lies in the checkpoint, where Spark keeps what it remembers"
            report(Diagnostic("conflict", message, place, "write somewhere else"))
        if folder in taken:
            message = f"'{name}' and '{taken[folder]}' are the same folder"
            report(Diagnostic("conflict", message, place, "give each a folder of its own"))
        if source is not None and _is_within(folder, source):
            message = f"'{name}' lies in the folder that events are read from"
            report(Diagnostic("conflict", message, place, "write somewhere else"))
        taken.setdefault(folder, name)
    metrics = settings.metrics
    if metrics is not None and metrics.file is not None:
        file = places.local(metrics.file)
        if file is None or not file.parent.is_dir():
            place = document.place_of_value(("metrics", "file"))
            hint = "make the folder first; it must be one of this machine"
            report(Diagnostic("missing-file", "there is no such folder", place, hint))


def _source_folder(settings: Pipeline, places: Places) -> Path | None:
    """Return the folder of the source, of a pattern the part before its first wildcard."""
    files = settings.source.files
    if files is None or places.local(files.path) is None:
        return None
    path = _folder(places, files.path)
    while WILDCARD.search(str(path)):
        path = path.parent
    return path


def _outputs(settings: Pipeline) -> Iterator[tuple[KeyPath, str]]:
    yield ("checkpoint",), settings.checkpoint
    for name, sink in settings.sinks.items():
        if sink.files is not None:
            yield ("sinks", name, "files", "path"), sink.files.path
    if settings.late is not None and settings.late.files is not None:
        yield ("late", "files", "path"), settings.late.files.path


def _folder(places: Places, path: str) -> Path:
    """Return a path without . and .., so that one place has one name; an address as a path."""
    return Path(os.path.normpath(places.absolute(places.secrets.fill(path))))


def _is_within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents
