"""What is kept of a stream between two steps, and the same as bytes.

Bytes begin with a mark, the version of the format and a checksum; Arrow IPC follows. Nothing in
them is code.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any, NamedTuple

import pyarrow as pa
from numpy.typing import NDArray

from cepheid.errors import StateError
from cepheid.stream.local_cache import LocalCache

MARK, VERSION = b"CEPH", 1
HEAD = struct.Struct("<4sHI")
SIZE = struct.Struct("<Q")
HORIZON, NEXT_NUMBER, EVENTS = b"horizon", b"next_number", b"events"
HEADER = [
    ("number", pa.int64()),
    ("kind", pa.string()),
    ("latest", pa.int64()),
    # Headers of release 0.1 end here.
    ("earliest", pa.int64()),
    ("middle", pa.int64()),
    ("rows", pa.int64()),
    ("bytes", pa.int64()),
    ("digest", pa.binary()),
]
DIGEST_BYTES = 16


class ChunkKind(StrEnum):
    """What the rows of a chunk are."""

    EVENTS = "events"  # in order of time; where KNOWN events are kept apart, none of them is known
    KNOWN = "known events"  # with hidden columns; written anew in every step
    TAKEN = (
        "ends of taken matches"  # their keys; if there are any, even without rows, none is KNOWN
    )
    PANES = "panes"  # matrices of an aggregate
    LAST_KEY = "last key"  # one row: the order key of the last event of a stream in order


# What stays as it is for some steps, so that a cache is worth it.
LASTING = (ChunkKind.EVENTS, ChunkKind.TAKEN, ChunkKind.PANES)


class Span(NamedTuple):
    """How many events a chunk has, and the ticks of the first and of the one in the middle."""

    rows: int
    earliest: int
    middle: int


class Sealed(NamedTuple):
    """How many bytes the rows of a chunk have, and what tells its bytes from all others."""

    size: int
    digest: bytes


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rows that are kept. A chunk never changes: its number tells it from all others.

    `latest` is the tick of its latest row, `span` what else is known of events without reading
    them, if anything is. The rows are read when they are first asked for, from the `cache` if they
    are there.
    """

    number: int
    kind: ChunkKind
    latest: int
    read: Callable[[], pa.Table]
    span: Span | None = None
    stored: Sealed | None = None
    cache: LocalCache | None = None

    @cached_property
    def table(self) -> pa.Table:
        """The rows."""
        if self.cache is None or self.stored is None:
            return self.read()
        return self.cache.table(self.name, self.read)

    @property
    def name(self) -> str:
        """What tells the rows from all others in a cache."""
        return self.seal.digest.hex()

    @property
    def is_kept(self) -> bool:
        """Whether what follows from the rows can be kept for later steps."""
        return self.stored is not None and self.cache is not None and self.cache.folder is not None

    def beside(self, name: str, make: Callable[[], pa.Table]) -> pa.Table:
        """Return a table that follows from the rows; it is made if nobody has kept it."""
        if self.cache is not None and self.stored is not None:
            return self.cache.table(self.name, make, name)
        if name not in self._beside:
            self._beside[name] = make()
        return self._beside[name]

    def remembered(self, name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """Return an array that follows from the rows, and that a process keeps for some steps."""
        if self.cache is None or self.stored is None:
            return make()
        return self.cache.remembered(f"{self.name}-{name}", make)

    @cached_property
    def _beside(self) -> dict[str, pa.Table]:
        return {}

    @cached_property
    def data(self) -> bytes:
        """The rows as bytes."""
        return _sealed(_stream_of(self.table))

    @cached_property
    def seal(self) -> Sealed:
        """What is known of the bytes."""
        return self.stored or _seal_of(self.data)

    @property
    def size(self) -> int:
        """How many bytes the rows have."""
        return self.stored.size if self.stored is not None else int(self.table.nbytes)

    @property
    def entry(self) -> dict[str, Any]:
        """What the header says of the chunk."""
        seal, span = self.seal, self.span
        entry = {"number": self.number, "kind": self.kind.value, "latest": self.latest}
        return (
            entry | (span._asdict() if span else {}) | {"bytes": seal.size, "digest": seal.digest}
        )


def keep(cache: LocalCache, added: Iterable[Chunk], gone: Iterable[Chunk]) -> None:
    """Let a cache have what a step has written, and not what it has removed."""
    for each in added:
        if each.kind in LASTING:
            cache.put(each.name, each.table)
    cache.forget(each.name for each in gone if each.stored is not None)


def digest_of(data: bytes) -> bytes:
    """Return what tells bytes from all others."""
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


Read = Callable[[int], pa.Table]


@dataclass(frozen=True, slots=True)
class StreamState:
    """What one bucket of a stream keeps between two steps.

    All events before tick `horizon` are settled; None before the first step. `events` is the schema
    of what arrives, as far as the program reads it. `marks` can be lost (alive_events.py,
    window_products.py), and so can all that is in the `cache`: they are no part of what is kept as
    bytes.
    """

    horizon: int | None = None
    chunks: tuple[Chunk, ...] = ()
    events: pa.Schema | None = None
    next_number: int = 0
    marks: pa.Table | None = None
    cache: LocalCache | None = None

    @property
    def size(self) -> int:
        """How many bytes of rows are kept."""
        return sum(chunk.size for chunk in self.chunks)

    def of_kind(self, kind: ChunkKind) -> tuple[Chunk, ...]:
        """Return the chunks of a kind."""
        return tuple(chunk for chunk in self.chunks if chunk.kind is kind)

    def header_to_bytes(self) -> bytes:
        """Return everything but the rows of chunks."""
        metadata = {NEXT_NUMBER: str(self.next_number).encode()}
        if self.horizon is not None:
            metadata[HORIZON] = str(self.horizon).encode()
        if self.events is not None:
            metadata[EVENTS] = self.events.serialize().to_pybytes()
        rows = [each.entry for each in self.chunks]
        return _sealed(_stream_of(pa.Table.from_pylist(rows, pa.schema(HEADER, metadata))))

    @classmethod
    def from_header(
        cls,
        header: bytes,
        read: Read,
        cache: LocalCache | None = None,
        marks: pa.Table | None = None,
    ) -> StreamState:
        """Return what was kept; chunks are read, by their numbers, when they are asked for."""
        listed = table_of(header)
        metadata = listed.schema.metadata or {}
        horizon, events = metadata.get(HORIZON), metadata.get(EVENTS)
        try:
            return cls(
                None if horizon is None else int(horizon),
                tuple(_chunk(row, read, cache) for row in listed.to_pylist()),
                None if events is None else pa.ipc.read_schema(pa.py_buffer(events)),
                int(metadata[NEXT_NUMBER]),
                marks,
                cache,
            )
        except (KeyError, ValueError) as error:
            raise _damaged(f"{type(error).__name__}: {error}") from None

    @classmethod
    def from_parts(cls, header: bytes, chunks: Mapping[int, bytes]) -> StreamState:
        """Return what was kept, from its header and all of its chunks by their numbers."""

        def read(number: int) -> pa.Table:
            if number not in chunks:
                raise missing_chunk(number)
            return table_of(chunks[number])

        state = cls.from_header(header, read)
        for each in state.chunks:
            _ = each.table  # bytes that are damaged are told now
        return state

    def to_bytes(self) -> bytes:
        """Return everything as bytes; the same is always kept as the same bytes."""
        parts = [self.header_to_bytes(), *(each.data for each in self.chunks)]
        return b"".join(each for part in parts for each in (SIZE.pack(len(part)), part))

    @classmethod
    def from_bytes(cls, data: bytes) -> StreamState:
        """Return what was kept.

        Raises:
            StateError: the bytes are damaged, or of a version that this release does not know.
        """
        view, parts = memoryview(data), list[bytes]()
        while view:
            if len(view) < SIZE.size:
                raise _damaged("the end is missing")
            (size,) = SIZE.unpack(view[: SIZE.size])
            if len(view) < SIZE.size + size:
                raise _damaged("the end is missing")
            parts.append(bytes(view[SIZE.size : SIZE.size + size]))
            view = view[SIZE.size + size :]
        if not parts:
            raise _damaged("there are no bytes")
        numbers = table_of(parts[0]).column("number").to_pylist()
        if len(numbers) != len(parts) - 1:
            raise _damaged(f"it lists {len(numbers)} chunks and has {len(parts) - 1}")
        return cls.from_parts(parts[0], dict(zip(numbers, parts[1:], strict=True)))


def missing_chunk(number: int) -> StateError:
    """Return the error of a chunk that the header lists and nobody has."""
    return _damaged(f"chunk {number} is missing")


def _chunk(row: Mapping[str, Any], read: Read, cache: LocalCache | None) -> Chunk:
    digest, span, stored = row.get("digest"), None, None
    if row.get("earliest") is not None:
        span = Span(row["rows"], row["earliest"], row["middle"])
    if digest is not None:
        stored = Sealed(row["bytes"], digest)
    number, kind, latest = row["number"], ChunkKind(row["kind"]), row["latest"]
    beside = cache if kind in LASTING else None
    return Chunk(number, kind, latest, partial(read, number), span, stored, beside)


def _seal_of(data: bytes) -> Sealed:
    return Sealed(int(table_of(data).nbytes), digest_of(data))


def _stream_of(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _sealed(content: bytes) -> bytes:
    return HEAD.pack(MARK, VERSION, zlib.crc32(content)) + content


def table_of(data: bytes) -> pa.Table:
    """Return the rows that bytes stand for.

    Raises:
        StateError: they are damaged, or of a version that this release does not know.
    """
    if len(data) < HEAD.size:
        raise _damaged("the end is missing")
    mark, version, checksum = HEAD.unpack(data[: HEAD.size])
    if mark != MARK:
        raise _damaged("it does not begin like one")
    if version != VERSION:
        raise StateError(
            f"the state of the stream has version {version}, and this release reads {VERSION}",
            hint="run the release that wrote it, or start with a new checkpoint",
        )
    content = memoryview(data)[HEAD.size :]
    if zlib.crc32(content) != checksum:
        raise _damaged("its checksum is wrong")
    try:
        return pa.ipc.open_stream(pa.py_buffer(content)).read_all()
    except pa.ArrowInvalid as error:
        raise _damaged(str(error)) from None


def _damaged(why: str) -> StateError:
    return StateError(
        f"the state of the stream is damaged: {why}",
        hint="restore the checkpoint from a copy, or start with a new one",
    )
