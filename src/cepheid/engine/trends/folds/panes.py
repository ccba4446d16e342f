"""Aggregates from matrices of panes: windows that overlap much, and stretches folded apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cepheid.engine.trends.folds.slot_task import SlotTask
from cepheid.engine.trends.value_rows import counts_only, first_rows, joined_rows, make_rows
from cepheid.kernels.position.pane_matrices import (
    FIRST_WINDOW,
    IS_SAME,
    LAST_WINDOW,
    MORE_PANES,
    MORE_ROOM,
    MORE_ROWS,
    NOBODY,
    OWNER,
    PANES,
    ROWS,
    TAKEN,
    PaneMatrices,
    PaneQueue,
    combine_panes,
    fold_panes,
)
from cepheid.kernels.position.plain_panes import NOT_PLAIN, PlainQueue, combine_plain_panes
from cepheid.kernels.position.slot_machine import SlotMachine, make_fresh, make_step
from cepheid.kernels.values.value_algebra import make_values
from cepheid.kernels.values.value_arrays import Measures, ValueRows, Values

Int64s = NDArray[np.int64]
Array = TypeVar("Array", Int64s, NDArray[np.float64])
PANES_AT_ONCE = 1 << 10
FIRST_ROWS, MOST_ROWS = 1 << 9, 1 << 14  # that there is room for, at once
TIMES_MORE = 4
FIRST_ROOM = 16
ALL_WINDOWS = -(2**63), 2**63 - 1


class StepRange(NamedTuple):
    """The steps of every partition from `begin` to `end`."""

    begin: Int64s
    end: Int64s


def pane_length(length: int | None, slide: int | None) -> int:
    """Return the length of the longest panes that windows can be put together from.

    Without a window it is 0: a partition is one pane.
    """
    return 0 if length is None else gcd(length, slide or length)


def fold_to_panes(
    task: SlotTask, pane: int, steps: StepRange | None = None
) -> Iterator[PaneMatrices]:
    """Yield the matrices of all panes with events, some at a time; of all steps, or of some."""
    machine, measures, events, _ = task
    if steps is None:
        steps = StepRange(events.partition_offsets[:-1], events.partition_offsets[1:])
    about, fresh = make_step(machine, measures), make_fresh(machine, measures)
    moving = moving_slots(machine)
    cursor = np.zeros(PANES + 1, np.int64)
    at_once = min(PANES_AT_ONCE, max(1, events.step_offsets.size - 1))
    is_done = False
    while not is_done:
        panes = make_panes(at_once, machine, measures)
        cursor[PANES] = 0
        is_done = fold_panes(*task, pane, *steps, moving, about, fresh, panes, cursor)
        yield first_panes(panes, int(cursor[PANES]))


def rows_of_panes(
    machine: SlotMachine,
    measures: Measures,
    panes: Iterable[PaneMatrices],
    length: int | None,
    slide: int | None,
    windows: tuple[int, int] = ALL_WINDOWS,
) -> ValueRows:
    """Return a row for every partition and window that has trends.

    Panes come by partition, in the order of time; parts of one pane follow each other. `windows`
    are the first and the last that are wanted.
    """
    combiner = PaneCombiner(machine, measures, length, slide, windows)
    for each in panes:
        combiner.take(each, is_last=False)
    return combiner.rows_at_end()


class PaneCombiner:
    """The state of `combine_panes` between calls.

    Counts are kept in `plain`, as long as they are small: then `queue` is not used. `pane` is the
    length of panes that are shorter than they need be.
    """

    def __init__(
        self,
        machine: SlotMachine,
        measures: Measures,
        length: int | None,
        slide: int | None,
        windows: tuple[int, int] = ALL_WINDOWS,
        pane: int | None = None,
    ) -> None:
        self.machine = machine
        self.measures = measures
        self.pane = pane_length(length, slide) if pane is None else pane
        self.length = length or 0
        self.slide = slide or length or 1
        self.plain: PlainQueue | None = None
        if self.pane and counts_only(measures):
            self.plain = _make_plain_queue(FIRST_ROOM, machine.owner.size)
        self.queue = _make_queue(FIRST_ROOM, machine, measures)
        self.fresh = make_fresh(machine, measures)
        self.cursor = np.zeros(LAST_WINDOW + 1, np.int64)
        self.cursor[OWNER] = NOBODY
        self.cursor[FIRST_WINDOW], self.cursor[LAST_WINDOW] = windows
        self.rows = make_rows(FIRST_ROWS, measures)
        self.parts: list[ValueRows] = []

    def take(self, panes: PaneMatrices, *, is_last: bool) -> None:
        """Put together what the panes complete."""
        panes = ready_panes(panes)
        self.cursor[TAKEN] = 0
        needed = MORE_ROOM
        while needed != MORE_PANES:
            needed = self._combine(panes, is_last=is_last)
            if needed == MORE_ROOM and self.plain is not None:
                self.plain = _plain_with_more_room(self.plain)
            elif needed == MORE_ROOM:
                self.queue = _with_more_room(self.queue, self.machine, self.measures)
            if needed == MORE_ROWS or (needed == MORE_PANES and is_last):
                self.parts.append(first_rows(self.rows, int(self.cursor[ROWS])))
                more = min(TIMES_MORE * self.rows.owner.size, MOST_ROWS)
                self.rows = make_rows(more, self.measures)
                self.cursor[ROWS] = 0

    def rows_at_end(self) -> ValueRows:
        """Return all rows; there are no more panes."""
        self.take(make_panes(0, self.machine, self.measures), is_last=True)
        return joined_rows(self.parts)

    def _combine(self, panes: PaneMatrices, *, is_last: bool) -> int:
        if self.plain is not None:
            needed = combine_plain_panes(
                self.machine, panes, panes.owner.size, is_last, self.pane, self.length, self.slide,
                self.plain, self.rows, self.cursor,
            )  # fmt: skip
            if needed != NOT_PLAIN:
                return needed
            self.queue, self.plain = _as_values(self.plain, self.machine, self.measures), None
            self.cursor[IS_SAME] = 0  # the result is in the queue that goes
        return combine_panes(
            self.machine, self.measures.moduli, panes, panes.owner.size, is_last, self.pane,
            self.length, self.slide, self.queue, self.fresh, self.rows, self.cursor,
        )  # fmt: skip


def moving_slots(machine: SlotMachine) -> Int64s:
    """Return the slots whose runs some step changes: all but those that are complete for good."""
    slots = np.arange(machine.owner.size)
    is_source = np.isin(slots, machine.sources)
    stays = (machine.moves == slots[:, None]).all(axis=1) & (machine.owner < 0)
    return np.flatnonzero(is_source | ~stays)


def make_panes(count: int, machine: SlotMachine, measures: Measures) -> PaneMatrices:
    """Return room for matrices."""
    return PaneMatrices(
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        _matrices(count, machine, measures),
    )


def joined_panes(parts: Iterable[PaneMatrices]) -> PaneMatrices:
    """Return all matrices in one."""
    owner, pane, breaks, values = zip(*parts, strict=True)
    return PaneMatrices(
        np.concatenate(owner),
        np.concatenate(pane),
        np.concatenate(breaks),
        Values._make(np.concatenate(each) for each in zip(*values, strict=True)),
    )


def first_panes(panes: PaneMatrices, count: int) -> PaneMatrices:
    """Return the first matrices."""
    if count == panes.owner.size:
        return panes
    size = panes.values.mantissa.shape[1]
    values = Values._make(each[: count * size] for each in panes.values)
    return PaneMatrices(panes.owner[:count], panes.pane[:count], panes.breaks[:count], values)


def ready_panes(panes: PaneMatrices) -> PaneMatrices:
    """Return the same matrices as kernels take all of them.

    Those that were kept or sent may be views that cannot be written to, and kernels would be
    compiled again for each such kind of arrays.
    """
    values = (np.require(each, None, ["C", "W"]) for each in panes.values)
    return panes._replace(values=Values._make(values))


def _matrices(count: int, machine: SlotMachine, measures: Measures) -> Values:
    size, numbers = machine.owner.size, measures.moduli.size
    shape = count * size, size, numbers
    return Values(
        np.empty(shape),
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
        np.empty((count * size, size, measures.least_positions.size), np.int64),
    )


def _make_queue(room: int, machine: SlotMachine, measures: Measures) -> PaneQueue:
    size, numbers = machine.owner.size, measures.moduli.size
    return PaneQueue(
        np.empty(room, np.int64),
        make_values(room, size, numbers, measures.least_positions.size),
        np.empty(room, np.int64),
        _matrices(room, machine, measures),
        _matrices(2, machine, measures),
        _matrices(2, machine, measures),
        np.zeros(2, np.int64),
    )


def _with_more_room(queue: PaneQueue, machine: SlotMachine, measures: Measures) -> PaneQueue:
    """Return a queue with the same panes and room for twice as many."""
    larger = _make_queue(2 * queue.back_pane.size, machine, measures)
    for new, old in (
        (larger.front_pane, queue.front_pane),
        (larger.back_pane, queue.back_pane),
        *zip(larger.front, queue.front, strict=True),
        *zip(larger.back, queue.back, strict=True),
    ):
        new[: old.shape[0]] = old
    return larger._replace(product=queue.product, work=queue.work, flags=queue.flags)


def _make_plain_queue(room: int, size: int) -> PlainQueue:
    return PlainQueue(
        np.empty(room, np.int64),
        np.zeros((room, size)),
        np.empty(room, np.int64),
        np.zeros((room, size, size)),
        np.zeros((2, size, size)),
        np.zeros((2, size, size)),
        np.zeros(2, np.int64),
        np.zeros(1),
    )


def _plain_with_more_room(queue: PlainQueue) -> PlainQueue:
    """Return a queue with the same panes and room for twice as many."""
    return queue._replace(
        front_pane=_doubled(queue.front_pane),
        front=_doubled(queue.front),
        back_pane=_doubled(queue.back_pane),
        back=_doubled(queue.back),
    )


def _doubled(array: Array) -> Array:
    return np.concatenate([array, np.zeros_like(array)])


def _as_values(plain: PlainQueue, machine: SlotMachine, measures: Measures) -> PaneQueue:
    """Return the same queue for counts of any size."""
    queue = _make_queue(plain.back_pane.size, machine, measures)
    for values, numbers in (
        (queue.front, plain.front),
        (queue.back, plain.back),
        (queue.product, plain.product),
    ):
        values.mantissa[:] = numbers.reshape(values.mantissa.shape)
        with np.errstate(
            invalid="ignore"
        ):  # counts of 2^63 and more: their digits are not asked for
            values.low[:] = values.mantissa
        values.tier[:] = 0
    return queue._replace(front_pane=plain.front_pane, back_pane=plain.back_pane, flags=plain.flags)
