"""What Cepheid said, found in the long text of an error that Spark made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cepheid import errors
from cepheid.errors import CepheidError, ConfigError, DataError, StateError

# The last line of a worker's traceback, and the lines of the message that follow it. An error that
# was raised because of another comes after it.
RAISED_BY_US = re.compile(
    r"^\s*cepheid\.errors\.(?P<kind>\w+): (?P<text>.*?)\s*?"
    r"(?=\n[ \t]*\n|\n\s*at [\w.$]|\s+SQLSTATE: \w+\s|\n=== |\n(?:JVM|Driver) stacktrace|\Z)",
    re.MULTILINE | re.DOTALL,
)
RAISED_BY_QUERY = re.compile(
    r"\[USER_RAISED_EXCEPTION\] (?P<text>.*?)(?: SQLSTATE: \w+)?$", re.MULTILINE
)
# What Spark says of a file of a checkpoint that is cut off, empty, overwritten or gone.
NOT_READ = re.compile(
    r"terminated with exception: (?P<text>(?:Unexpected end-of-input|Unexpected character"
    r"|Unrecognized token|Input length = |Failed to read log file|\[CANNOT_LOAD_STATE_STORE).*?)"
    r"(?: SQLSTATE: \w+)*$",
    re.MULTILINE,
)
# What RocksDB says of a file of its own in which bytes are others than were written.
CHANGED = re.compile(r"(?P<text>block checksum mismatch: .*?\.sst\b)")
# The file of the same name, which is read at the start, before there is a stream that could fail.
METADATA = re.compile(
    r"^: com\.fasterxml\.jackson\.[\w.]*: (?P<text>.*)(?=(?:\n.*)*?\.StreamMetadata\$\.read\()",
    re.MULTILINE,
)
# What a worker says whose Python has not what tasks need, which on Spark Connect and on clusters
# nobody asked before.
OTHER_PYTHON = re.compile(
    r"(?P<text>No module named '(?:cepheid|numba|pyarrow)(?:\.[\w.]+)?'"
    r"|(?<=\[PYTHON_VERSION_MISMATCH\] )[^\n]*?)(?=\.? Check | SQLSTATE|\.?$)",
    re.MULTILINE,
)
PYTHON = (
    "on this machine set PYSPARK_PYTHON to the Python of the driver before the session starts; on "
    "a cluster send the environment along, see docs/how-to/run-on-a-cluster.md"
)
RESCUE = "no result is lost; see 'A damaged checkpoint' in docs/how-to/operate-streams.md"
HINT = "\n  hint: "
NAMED = re.compile(r"query '(?P<query>.*?)': (?P<message>.*)", re.DOTALL)


def cause_of(error: BaseException | None) -> CepheidError | None:
    """Return the error of Cepheid that made a streaming query or a job of Spark fail.

    It has the class, the message and the hint of the one that a worker raised, and the name of the
    query if the message has it. None if the failure is of another kind, or there is none.

        stream = result.writeStream.start()
        try:
            stream.awaitTermination()
        except StreamingQueryException as error:
            raise cepheid.cause_of(error) or error
    """
    for each in _chain(error):
        if isinstance(each, CepheidError):
            return each
        found = from_text(str(each))
        if found is not None:
            return found
    return None


def from_text(text: str) -> CepheidError | None:
    r"""Return the error that is in the text of an error of Spark's; None if there is none.

    >>> said = "Traceback ...\ncepheid.errors.StateError: it is full\n  hint: wait\n\n\tat org.x.Y"
    >>> from_text(said)
    StateError('it is full\n  hint: wait')
    >>> from_text(said).hint
    'wait'
    """
    found = RAISED_BY_US.findall(text)
    if found:
        return _rebuilt(*found[-1])
    raised = RAISED_BY_QUERY.search(text)
    if raised is not None:
        return DataError(raised["text"].rstrip())
    not_read = NOT_READ.search(text) or CHANGED.search(text) or METADATA.search(text)
    if not_read is not None:
        return StateError(f"the checkpoint cannot be read: {not_read['text'].strip()}", hint=RESCUE)
    other = OTHER_PYTHON.search(text)
    if other is not None:
        return ConfigError(f"Spark's workers run another Python: {other['text']}", hint=PYTHON)
    return None


def _rebuilt(kind: str, text: str) -> CepheidError:
    """Return an error with a text; classes differ in what they make their text of."""
    found = getattr(errors, kind, None)
    known = CepheidError
    if isinstance(found, type) and issubclass(found, CepheidError):
        known = found
    error = Exception.__new__(known, text)
    message, _, hint = text.partition(HINT)
    named = NAMED.fullmatch(message)
    error.__dict__.update(
        message=message if named is None else named["message"],
        hint=hint or None,
        query=None if named is None else named["query"],
        diagnostics=(),  # they are in the text
    )
    return error


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = getattr(error, "_cause", None) or error.__cause__ or error.__context__
