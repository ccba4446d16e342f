"""The part of a program that aggregates need where no predicate reads the last event of a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SlotProgram:
    """Slots, and what events do to them; see kernels/position/slot_machine.py.

    `sources` and `entries` are by position. `moves[slot][code]`: a code has one bit for every
    position of the negated parts. `negative` has a pair for each part: its place among the masks of
    negated parts, and its first bit.
    """

    initial: tuple[int, ...]
    sources: tuple[tuple[int, ...], ...]
    entries: tuple[tuple[int, ...], ...]
    owner: tuple[int, ...]
    moves: tuple[tuple[int, ...], ...]
    finals: tuple[int, ...]
    negative: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """The number of slots."""
        return len(self.owner)
