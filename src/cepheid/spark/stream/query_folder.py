"""A folder of query files as a stream: what has changed since the micro-batch before.

The offset of the stream is what the folder had, so that a micro-batch that is repeated sees the
same changes, and the checkpoint knows the text of every query that ran.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

from cepheid.engine.process.log import LOG
from cepheid.errors import ConfigError
from cepheid.stream.query_files import read_folder

FORMAT = "cepheid_query_folder"
COLUMNS = "name string, text string, problem string"
LISTED = "queries"


class QueryFolder(DataSource):
    """Spark's view of the folder."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return FORMAT

    def schema(self) -> str:
        """Return the columns of a change: a name, and the text or what is wrong with the file.

        Without both, the file is gone.
        """
        return COLUMNS

    def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:
        """Return what reads the folder."""
        return _FolderReader(self.options["path"])


class _FolderReader(SimpleDataSourceStreamReader):
    def __init__(self, path: str) -> None:
        self.path = Path(path)

    def initialOffset(self) -> dict[str, str]:
        return {LISTED: "{}"}

    def read(self, start: dict[str, str]) -> tuple[Iterator[tuple[Any, ...]], dict[str, str]]:
        try:
            end = {LISTED: json.dumps(read_folder(self.path), sort_keys=True)}
        except ConfigError as error:  # a folder that is away for a while has not lost its queries
            LOG.warning("the queries stay as they are: %s", error)
            end = start
        return self.readBetweenOffsets(start, end), end

    def readBetweenOffsets(
        self, start: dict[str, str], end: dict[str, str]
    ) -> Iterator[tuple[Any, ...]]:
        return iter(changes(json.loads(start[LISTED]), json.loads(end[LISTED])))


def changes(
    before: Mapping[str, Any], now: Mapping[str, Any]
) -> list[tuple[str, str | None, str | None]]:
    """Return what is new, different or gone.

    >>> changes({"a": ["A", None], "b": ["B", None]}, {"b": ["C", None], "c": [None, "bad"]})
    [('a', None, None), ('b', 'C', None), ('c', None, 'bad')]
    """
    names = sorted({*before, *now})
    different = [name for name in names if before.get(name) != now.get(name)]
    return [(name, *now.get(name, (None, None))) for name in different]


def read_changes(session: SparkSession, path: str) -> DataFrame:
    """Return the changes of a folder as a stream.

    Raises:
        ConfigError: the folder cannot be read now.
    """
    read_folder(Path(path))
    session.dataSource.register(QueryFolder)
    return session.readStream.format(FORMAT).option("path", path).load()
