"""Events of merged programs in the order of the fold, each with its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cepheid.engine.events.event_kinds import EventKinds, event_kinds
from cepheid.engine.events.order_events import OrderedEvents, Relevant, order_relevant
from cepheid.engine.events.scan import Scan
from cepheid.program.sharing.merged_program import TestedPrograms


def order_kinds(
    program: TestedPrograms, columns: Mapping[str, Any], length: int, threads: int
) -> tuple[OrderedEvents, EventKinds]:
    """Mask, order and cut the events; `fires` of the arrays has kinds, from 1."""
    if isinstance(columns, Scan):
        return columns.ordered_kinds(program)
    some = max(program.programs, key=lambda each: each.window_length or 0)
    kinds = event_kinds(program.tests, some.type_column, columns, length)
    marks = (kinds.kind + 1).astype(np.uint64)
    relevant = Relevant(kinds.rows, [marks], marks)
    return order_relevant(some, columns, relevant, threads=threads), kinds
