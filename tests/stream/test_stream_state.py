"""What is kept, as bytes."""

import struct

import pyarrow as pa
import pytest

import cepheid
from cepheid.stream.stream_state import HEAD, SIZE, StreamState
from tests.stream.script import SCHEMA, program_of, step_alone, table_of

PAIRS = "SEQ(A a, B b) WITHIN 10"


def some_state() -> StreamState:
    program = program_of(PAIRS)
    state = step_alone(program, StreamState(), table_of("a1(x=1) b7 a9"), 5).state
    return step_alone(program, state, table_of("a6 a8(note=text)"), 6).state


def test_bytes_and_back() -> None:
    state = some_state()
    again = StreamState.from_bytes(state.to_bytes())
    assert again.horizon == state.horizon
    assert again.events == state.events
    assert [each.number for each in again.chunks] == [each.number for each in state.chunks]
    for one, other in zip(again.chunks, state.chunks, strict=True):
        assert (one.kind, one.latest) == (other.kind, other.latest)
        assert one.table.equals(other.table)
    assert again.to_bytes() == state.to_bytes()
    assert again.size == state.size > 0


def test_parts_and_back() -> None:
    state = some_state()
    parts = {each.number: each.data for each in state.chunks}
    assert len(parts) == 2
    again = StreamState.from_parts(state.header_to_bytes(), parts)
    assert again.to_bytes() == state.to_bytes()
    del parts[state.chunks[0].number]
    with pytest.raises(cepheid.StateError, match="damaged"):
        StreamState.from_parts(state.header_to_bytes(), parts)


def test_nothing_kept() -> None:
    assert StreamState.from_bytes(StreamState().to_bytes()) == StreamState()


def test_a_chunk_is_written_once() -> None:
    program = program_of(PAIRS)
    first = step_alone(program, StreamState(), table_of("a1"), 2).state
    second = step_alone(program, first, table_of("a3"), 4).state
    assert second.chunks[0] is first.chunks[0]
    later = step_alone(program, second, table_of("a13"), 13).state
    assert [each.number for each in later.chunks] == [1, 2]  # the first is too old


def test_the_end_is_missing() -> None:
    data = some_state().to_bytes()
    for size in range(len(data)):
        with pytest.raises(cepheid.StateError):
            StreamState.from_bytes(data[:size])


def test_a_byte_is_wrong() -> None:
    data = some_state().to_bytes()
    for place in range(0, len(data), 7):
        wrong = bytearray(data)
        wrong[place] ^= 0x55
        with pytest.raises(cepheid.StateError):
            StreamState.from_bytes(bytes(wrong))


def test_a_newer_version() -> None:
    data = bytearray(some_state().to_bytes())
    struct.pack_into("<H", data, SIZE.size + HEAD.size - 6, 2)
    with pytest.raises(cepheid.StateError, match="has version 2, and this release reads 1"):
        StreamState.from_bytes(bytes(data))


def test_other_bytes() -> None:
    with pytest.raises(cepheid.StateError, match="damaged"):
        StreamState.from_bytes(b"not a state, but long enough to be taken for one")


def test_the_order_of_rows_does_not_show() -> None:
    lists = pa.schema([*SCHEMA, ("values", pa.list_(pa.int64()))])
    rows = [
        {"time": 1 + number % 2, "type": "AB"[number % 2], "values": [number % 3, None], "x": x}
        for number in range(8)
        for x in (1, None)
    ]
    program = program_of("SEQ(A a, B b) WITHIN 10 RETURN a.values, b.x, a.x", schema=lists)
    tables = [pa.Table.from_pylist(each, lists) for each in (rows, rows[::-1], rows[5:] + rows[:5])]
    for until in (None, 2, 3):
        states = {
            step_alone(program, StreamState(), each, until).state.to_bytes() for each in tables
        }
        assert len(states) == 1
