"""What we keep of a stream beside Spark's own files in its checkpoint.

- `cepheid.json`: what the stream is of, so that another one is refused before any event arrives;
- a folder that the stream reads, in which a file says that its input is complete.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql import SparkSession

from cepheid.connectors.spark_files import list_names, make_folder, read_text, write_text
from cepheid.errors import ConfigError, another_query

IDENTITY, COMPLETE = "cepheid.json", "complete"


def require_same(session: SparkSession, checkpoint: str, identity: Mapping[str, str]) -> None:
    """Note what the stream of a checkpoint is of, or raise a StateError if it is another one's.

    A checkpoint without a finished micro-batch is nobody's yet. One that was begun without such a
    file is left as it is: its state knows whose it is when events arrive.
    """
    path = f"{checkpoint}/{IDENTITY}"
    if not _is_used(session, checkpoint):
        write_text(session, path, json.dumps(identity, sort_keys=True))
        return
    noted = read_text(session, path)
    if noted is not None and (theirs := json.loads(noted)) != identity:
        raise another_query(theirs, identity)


def find_end(
    session: SparkSession, checkpoint: str, folder: str, *, is_bounded: bool, finishes: bool
) -> str | None:
    """Return the folder in which a file tells a stream of its end; None if it reads none.

    The sources of a stream cannot change. So one has it that was begun for all events that were
    there, and no other.

    Raises:
        ConfigError: it is to be finished, but has none.
    """
    if list_names(session, folder) is not None:
        return folder
    if not _is_used(session, checkpoint):
        if not is_bounded:
            return None
        make_folder(session, folder)
        return folder
    if finishes:
        raise ConfigError(
            f"the stream of '{checkpoint}' cannot be finished: it was begun with another trigger, "
            "or by an earlier release",
            hint="start with a new checkpoint and a new output folder, and `trigger: available "
            "now` from the beginning",
        )
    return None


def is_complete(session: SparkSession, folder: str) -> bool:
    """Whether the input of a stream was declared complete."""
    return COMPLETE in (list_names(session, folder) or ())


def declare_complete(session: SparkSession, folder: str) -> None:
    """Tell a stream that its input is complete, with its next micro-batch."""
    write_text(session, f"{folder}/{COMPLETE}", "no event comes any more\n")


def _is_used(session: SparkSession, checkpoint: str) -> bool:
    return bool(list_names(session, f"{checkpoint}/commits"))
