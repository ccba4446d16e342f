"""Small files wherever Spark can reach them: only its own library knows all kinds of places."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession


def read_text(session: SparkSession, path: str) -> str | None:
    """Return the text of a file; None if there is no such file."""
    files, place = _place(session, path)
    if not files.exists(place):
        return None
    stream = files.open(place)
    try:
        text: str = _jvm(session).org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
        return text
    finally:
        stream.close()


def write_text(session: SparkSession, path: str, text: str) -> None:
    """Write a file, or replace it."""
    files, place = _place(session, path)
    stream = files.create(place, True)
    try:
        stream.write(text.encode())
    finally:
        stream.close()


def make_folder(session: SparkSession, path: str) -> None:
    """Make a folder, and those around it."""
    files, place = _place(session, path)
    files.mkdirs(place)


def list_names(session: SparkSession, folder: str) -> list[str] | None:
    """Return what is in a folder; None if there is no such folder."""
    files, place = _place(session, folder)
    if not files.exists(place):
        return None
    return [str(each.getPath().getName()) for each in files.listStatus(place)]


def _place(session: SparkSession, path: str) -> tuple[Any, Any]:
    place = _jvm(session).org.apache.hadoop.fs.Path(path)
    settings = session._jsparkSession.sessionState().newHadoopConf()
    return place.getFileSystem(settings), place


def _jvm(session: SparkSession) -> Any:
    return session._jvm
