"""What is measured of the events of a pattern, for folds to be chosen by."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.events.order_events import rising_or_sorted
from cepheid.engine.events.ticks import to_ticks
from cepheid.engine.fold import Facts
from cepheid.engine.trends.folds.count_by_start import StartFacts
from cepheid.engine.trends.folds.fold_contiguous import numbers_of_columns
from cepheid.engine.trends.folds.panes import pane_length
from cepheid.engine.trends.trend_folds import MANY_STARTS
from cepheid.engine.trends.trend_task import TrendTask
from cepheid.kernels.jit import is_kept
from cepheid.kernels.position.count_starts import count_starts, measure_starts
from cepheid.kernels.position.fold_slots import LANE_STEPS, MOST_LANES, PANES, measure_windows
from cepheid.kernels.position.moving_window import fold_recent
from cepheid.program.adjacent_program import LOOKED_UP
from cepheid.program.arrow_arrays import read_only

Int64s = NDArray[np.int64]
ALL_WINDOWS = -1


def trend_counts(task: TrendTask) -> dict[str, int]:
    """Return what was kept of the trends of a pattern, for EXPLAIN ANALYZE.

    Where predicates compare neighbours it is a run for every event at a position, else one for
    every slot of the automaton in each open window: all that end alike are merged.
    """
    program, facts = task.group.program, trend_facts(task)
    if program.pair is not None:
        return {}
    found = {"steps": facts["steps"]}
    if program.slide is not None:
        found |= {"panes": facts["panes"], "windows open at once": facts["open windows"]}
    if program.slots is not None:
        found["runs kept at once"] = program.slots.size * found.get("windows open at once", 1)
    elif program.adjacent is not None:
        fires = task.ordered.arrays.fires
        found["runs kept at once"] = int(np.unpackbits(fires.view(np.uint8)).sum())
    return found


def trend_facts(task: TrendTask) -> Facts:
    """Return what is known of the events of a task; `catalogue.FACTS` has it in words."""
    program, events = task.group.program, task.events

    @cache
    def windows() -> Int64s:
        length, slide = program.window_length, program.slide
        assert length is not None
        assert slide is not None
        work = np.zeros(PANES + 1, np.int64)
        measure_windows(events.ordered.arrays, length, slide, pane_length(length, slide), work)
        return work

    def order() -> int:
        return rising_or_sorted(read_only(to_ticks(events.columns[program.time], program.time)))

    def moments() -> int:
        return 0 if events.moments is None else events.moments.group.size

    def recent_steps() -> int:
        segments = task.segments.segments
        return int((segments.end - segments.begin).sum())

    def steps_in_moving_window() -> int:
        arrays, length = events.ordered.arrays, program.window_length or 0
        steps = np.diff(arrays.partition_offsets)
        clock = arrays.clock[arrays.step_offsets[:-1]]
        spans = clock[arrays.partition_offsets[1:] - 1] - clock[arrays.partition_offsets[:-1]]
        share = np.minimum(1.0, length / np.maximum(1, spans))
        return int((steps * steps * share).sum() / max(1, steps.sum()))

    @cache
    def starts() -> StartFacts:
        return StartFacts(task)

    def has_kernels() -> bool:
        if not is_kept(measure_starts) or not is_kept(count_starts):
            return False
        return is_kept(fold_recent) or starts().mean <= MANY_STARTS

    def has_numbers_in_columns() -> bool:
        return numbers_of_columns(program, task.predicates.columns) is not None

    return Facts(
        measures={
            "rows": lambda: events.length,
            "order": order,
            "kept": lambda: events.ordered.row.size,
            "steps": lambda: events.ordered.arrays.step_offsets.size - 1,
            "partitions": lambda: events.ordered.arrays.partition_offsets.size - 1,
            "open windows": lambda: int(windows()[MOST_LANES]),
            "steps in windows": lambda: int(windows()[LANE_STEPS]),
            "panes": lambda: int(windows()[PANES]),
            "wanted windows": lambda: ALL_WINDOWS if events.wanted is None else events.wanted.most,
            "results": moments,
            "steps of results": recent_steps,
            "steps in a moving window": steps_in_moving_window,
            "compiled": has_kernels,
            "first events in a window": lambda: starts().most,
            "first events on average": lambda: starts().mean,
            "looked up": lambda: all(e.structure in LOOKED_UP for e in task.indexes.edges),
            "in columns": has_numbers_in_columns,
            "huge numbers": lambda: bool(task.measures.tier.any()),
        }
    )
