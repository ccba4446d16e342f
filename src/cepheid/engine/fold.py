"""What a fold is: what it can fold, at what cost, and how. `catalogue.py` has them all.

A group is what is to be folded, as the programs say it: EXPLAIN knows no more. A task is a group
with its events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Generic, Protocol, TypeVar

from cepheid.program.run_record import RunRecord

Group = TypeVar("Group")


class Precedence(IntEnum):
    """Folds with a lower number are the quicker ones wherever they can fold at all.

    docs/decisions/0022 has the figures. So costs are compared only among those of one number, and
    what is needed to tell the costs of others is not measured.
    """

    STRAIGHT = 0  # from the columns, without ordering events
    FEW = 1  # of few events, so that a kernel need not be compiled; or of few windows
    DOUBLES = 2  # numbers below 2^53; nodes without predicates
    ANY_SIZE = 3  # numbers with an exponent of their own; nodes with what predicates read
    LISTED = 4  # one trend after the other


@dataclass(frozen=True, slots=True)
class TooLarge:
    """What a fold gives for values that leave its range: the next one in the ranking is taken."""

    what: str = "a number of 2^53 or more"


class Facts:
    """What is known of the events, by name: given, or measured when it is first asked for."""

    def __init__(
        self,
        known: Mapping[str, int] | None = None,
        measures: Mapping[str, Callable[[], int]] | None = None,
    ) -> None:
        self.known: dict[str, int] = dict(known or {})
        self._measures = measures or {}

    def __getitem__(self, name: str) -> int:
        if name not in self.known:
            self.known[name] = int(self._measures[name]())
        return self.known[name]


def _one(group: object, facts: Facts) -> float:
    """Return the cost of a fold with which none of the same precedence is compared."""
    return 1.0


def _none(group: object, facts: Facts) -> None:
    """Return that nothing speaks against a fold."""


def _no_parts(group: object) -> tuple[FoldGroup, ...]:
    """Return that a fold leaves nothing to others."""
    return ()


class FoldGroup(Protocol):
    """What is to be folded, as programs say it.

    `what` is empty for all that queries ask for; otherwise it says which part of it.
    """

    @property
    def queries(self) -> tuple[str, ...]:
        """The names of the queries."""

    @property
    def what(self) -> str:
        """The part of the queries."""


class Task(Protocol):
    """A group with its events; what folds need is made when one of them asks for it."""

    @property
    def group(self) -> FoldGroup:
        """What the programs say of it."""


@dataclass(frozen=True, slots=True)
class Fold(Generic[Group]):
    """A way to fold the groups of one class.

    `refusal` says why it cannot fold a group, as a part of a sentence; None if it can. `place` is
    the module and the function that folds; it gives the result of a task, or TooLarge. `cost` is
    what an event costs, compared with other folds of the same precedence; `waste` says why another
    one is cheaper without comparing. `parts` are groups that it has folded by others of the
    catalogue.
    """

    name: str
    takes: type[Group]
    precedence: Precedence
    refusal: Callable[[Group, Facts], str | None]
    place: str
    cost: Callable[[Group, Facts], float] = _one
    waste: Callable[[Group, Facts], str | None] = _none
    parts: Callable[[Group], tuple[FoldGroup, ...]] = _no_parts


class Folding(Protocol):
    """Runs the best fold for a task, and writes down which that was."""

    record: RunRecord

    def fold(self, task: Task) -> Any:
        """Return what the first fold in the ranking gives whose range is not left."""

    def unrecorded(self) -> Folding:
        """Return what folds in the same way, and writes down what it did for nobody."""


@dataclass(frozen=True, slots=True)
class Ranked(Generic[Group]):
    """A fold in its place, with what an event costs; None if that was not compared."""

    fold: Fold[Group]
    cost: float | None
