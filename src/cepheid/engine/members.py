"""The queries of a run: each with what makes its program, and with whose results it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from cepheid.analysis.schema import EventSchema
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.process.log import LOG
from cepheid.errors import UNNAMED
from cepheid.program.program import Program

MakeProgram = Callable[[EventSchema], Program]


@dataclass(frozen=True, slots=True)
class Member:
    """A query of a run; `givers` are the queries whose results it reads.

    `stream_type` is the type of its results as events, if another query reads them.
    """

    name: str
    make_program: MakeProgram
    givers: tuple[str, ...] = ()
    stream_type: str | None = None

    @property
    def is_apart(self) -> bool:
        """Whether it has nothing to do with the results of others."""
        return not self.givers and self.stream_type is None


@dataclass(frozen=True, slots=True)
class ChangingQueries:
    """A folder of query files; events with the same `keys` are folded in the same place.

    `make_program` is given the name and the text of a query, and the schema of the events.
    """

    path: str
    keys: tuple[str, ...]
    make_program: Callable[[str, str, EventSchema], Program]

    def compiler(self, schema: pa.Schema, roles: ColumnRoles) -> Callable[[str, str], Program]:
        """Return what makes a program of name and text."""
        events = event_schema(schema, roles)
        return lambda name, text: self.make_program(name, text, events)


def tell_warnings(program: Program) -> None:
    """Log what the user should know of the query, once for a run."""
    whose = "" if program.name == UNNAMED else f"query '{program.name}': "
    for each in program.warnings:
        LOG.warning("%s%s", whose, each)
