"""A stream that is fed by short strings."""

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.program.lower import lower
from cepheid.program.program import Program
from cepheid.stream.stream_bundle import stream_of_one
from cepheid.stream.stream_state import StreamState
from cepheid.stream.stream_step import Step, step
from cepheid.testing import events

SCHEMA = pa.schema(
    [
        ("time", pa.int64()),
        ("type", pa.string()),
        ("seq", pa.int64()),
        ("k", pa.int64()),
        ("x", pa.int64()),
        ("note", pa.string()),
    ]
)


def program_of(
    text: str, *, order: tuple[str, ...] = (), schema: pa.Schema = SCHEMA, name: str = "query"
) -> Program:
    roles = ColumnRoles(time="time", type="type", order=order, time_unit="s")
    return lower(cepheid.query(f"PATTERN {text}", name=name).plan(event_schema(schema, roles)))


def table_of(stream: str, schema: pa.Schema = SCHEMA) -> pa.Table:
    return pa.Table.from_pylist(events(stream), schema=schema)


def step_alone(
    program: Program,
    state: StreamState,
    arrived: pa.Table | None,
    until: int | None,
    *,
    partially: bool = False,
    **options: Any,
) -> Step:
    """Make a step of a query by itself."""
    return step(stream_of_one(program, partially=partially), state, arrived, until, **options)


def result_of(done: Step) -> pa.Table:
    """Return what became final of a query by itself."""
    (result,) = done.results.values() or (pa.table({}),)
    return result


@dataclass
class Script:
    """Feeds a program; what is kept goes through bytes after every step."""

    program: Program
    ordered: bool = False
    state: StreamState = field(default_factory=StreamState)
    last: Step | None = None

    def feed(self, stream: str | pa.Table | None, until: int | None = None) -> list[Any]:
        """Return the rows that become final; of rows with one column, their values.

        Events are late if they were settled by an earlier step.
        """
        arrived = table_of(stream) if isinstance(stream, str) else stream
        done = step_alone(self.program, self.state, arrived, until, ordered=self.ordered)
        self.last, self.state = done, StreamState.from_bytes(done.state.to_bytes())
        result = result_of(done)
        if result.num_columns == 1:
            return list(result.column(0).to_pylist())
        return [tuple(row.values()) for row in result.to_pylist()]

    @property
    def late(self) -> list[int]:
        """The times of the late events of the last step."""
        assert self.last is not None
        return list(self.last.late.column("time").to_pylist())

    @property
    def next_timer(self) -> int | None:
        assert self.last is not None
        return self.last.next_timer
