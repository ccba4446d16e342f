"""What is kept of a stream between two steps, and the same as bytes.

Bytes begin with a mark, the version of the format and a checksum; Arrow IPC follows. Nothing in
them is code.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa

from cepheid.errors import StateError

MARK, VERSION = b"CEPH", 1
HEAD = struct.Struct("<4sHI")
SIZE = struct.Struct("<Q")
HORIZON, NEXT_NUMBER, EVENTS = b"horizon", b"next_number", b"events"
HEADER = [("number", pa.int64()), ("kind", pa.string()), ("latest", pa.int64())]


class ChunkKind(StrEnum):
    """What the rows of a chunk are."""

    EVENTS = "events"  # in order of time; where KNOWN events are kept apart, none of them is known
    KNOWN = "known events"  # with hidden columns; written anew in every step
    PANES = "panes"  # matrices of an aggregate
    LAST_KEY = "last key"  # one row: the order key of the last event of a stream in order


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows that are kept. A chunk never changes: its number tells it from all others.

    `latest` is the tick of its latest row.
    """

    number: int
    kind: ChunkKind
    latest: int
    table: pa.Table

    def to_bytes(self) -> bytes:
        """Return the rows as bytes."""
        return _sealed(_stream_of(self.table))


@dataclass(frozen=True, slots=True)
class StreamState:
    """What one bucket of a stream keeps between two steps.

    All events before tick `horizon` are settled; None before the first step. `events` is the schema
    of what arrives, as far as the program reads it.
    """

    horizon: int | None = None
    chunks: tuple[Chunk, ...] = ()
    events: pa.Schema | None = None
    next_number: int = 0

    @property
    def size(self) -> int:
        """How many bytes of rows are kept."""
        return sum(chunk.table.nbytes for chunk in self.chunks)

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
        rows = [
            {"number": each.number, "kind": each.kind.value, "latest": each.latest}
            for each in self.chunks
        ]
        return _sealed(_stream_of(pa.Table.from_pylist(rows, pa.schema(HEADER, metadata))))

    @classmethod
    def from_parts(cls, header: bytes, chunks: Mapping[int, bytes]) -> StreamState:
        """Return what was kept, from its header and its chunks by their numbers."""
        listed = _table(header)
        metadata = listed.schema.metadata or {}
        horizon, events = metadata.get(HORIZON), metadata.get(EVENTS)
        try:
            return cls(
                None if horizon is None else int(horizon),
                tuple(
                    Chunk(
                        row["number"],
                        ChunkKind(row["kind"]),
                        row["latest"],
                        _table(chunks[row["number"]]),
                    )
                    for row in listed.to_pylist()
                ),
                None if events is None else pa.ipc.read_schema(pa.py_buffer(events)),
                int(metadata[NEXT_NUMBER]),
            )
        except (KeyError, ValueError) as error:
            raise _damaged(f"{type(error).__name__}: {error}") from None

    def to_bytes(self) -> bytes:
        """Return everything as bytes; the same is always kept as the same bytes."""
        parts = [self.header_to_bytes(), *(each.to_bytes() for each in self.chunks)]
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
        numbers = _table(parts[0]).column("number").to_pylist()
        if len(numbers) != len(parts) - 1:
            raise _damaged(f"it lists {len(numbers)} chunks and has {len(parts) - 1}")
        return cls.from_parts(parts[0], dict(zip(numbers, parts[1:], strict=True)))


def _stream_of(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _sealed(content: bytes) -> bytes:
    return HEAD.pack(MARK, VERSION, zlib.crc32(content)) + content


def _table(data: bytes) -> pa.Table:
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
