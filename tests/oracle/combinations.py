"""Which combinations of events a clause reads (section 4).

A clause has *slots*: what its references to one variable choose together. A choice is a pair
(start, end) of places in the match, from which every role of the slot can be read:

| roles | choices |
|---|---|
| EACH | (k, k) for every event of the variable |
| FIRST | (k, k) for the first event of the latest block |
| CURRENT, PREVIOUS, BEFORE | (first of the latest block, k) for every later k of that block |
| LAST, ALL | (first, last) of the latest block, once it is left or the match ends |
| LEFT, RIGHT | (k, k + 1) for every pair of neighbours of these variables |

A combination is one choice per slot.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple, TypeAlias

from cepheid.analysis.bound import Variable
from cepheid.analysis.expressions import Condition, Reference, Role, Value, references
from cepheid.analysis.schema import EventSchema
from tests.oracle.events import Event

Bindings: TypeAlias = tuple[tuple[Event, int], ...]  # events and the occurrences they are bound to
Slot: TypeAlias = tuple[str, ...]
Choice: TypeAlias = tuple[int, int]
Combination: TypeAlias = tuple[tuple[Slot, Choice], ...]


class Scene(NamedTuple):
    """What a clause looks at: the events bound so far, and whether the match ends here.

    `bindings` has the positive match under None and a match of a negated part under its number.
    """

    schema: EventSchema
    variables: Mapping[str, Variable]
    bindings: Mapping[int | None, Bindings]
    ended: bool


def combinations(condition: Condition, scene: Scene) -> set[Combination]:
    """Return every combination; none if a variable has no event to offer."""
    slots = slots_of(condition)
    return {
        tuple(zip(slots, chosen, strict=True))
        for chosen in product(*(choices(slot, scene) for slot in slots))
    }


def slots_of(node: Condition | Value) -> list[Slot]:
    """Return the slots of a clause, or of an expression in RETURN."""
    found = list(references(node))
    left = [each.variable for each in found if each.role is Role.LEFT]
    right = [each.variable for each in found if each.role is Role.RIGHT]
    return list(dict.fromkeys(_slot(each) or ("pair", left[0], right[0]) for each in found))


def _slot(reference: Reference) -> Slot | None:
    match reference.role:
        case Role.EACH:
            return ("each", reference.variable)
        case Role.FIRST:
            return ("first", reference.variable)
        case Role.CURRENT | Role.PREVIOUS | Role.BEFORE:
            return ("index", reference.variable)
        case Role.LAST | Role.ALL:
            return ("whole", reference.variable)
        case Role.LEFT | Role.RIGHT:
            return None  # one slot for two variables


def choices(slot: Slot, scene: Scene) -> list[Choice]:
    """Return what a slot can choose."""
    kind, variable = slot[0], scene.variables[slot[1]]
    bound = _places(variable, scene)
    if kind == "each":
        return [(place, place) for place in bound]
    if kind == "pair":
        followers = _places(scene.variables[slot[2]], scene)
        return [(place, place + 1) for place in bound if place + 1 in followers]
    if not bound:
        return []
    start = end = bound[-1]
    while start - 1 in bound:
        start -= 1
    if kind == "first":
        return [(start, start)]
    if kind == "index":
        return [(start, place) for place in range(start + 1, end + 1)]
    is_left = end < len(scene.bindings[variable.negated_part]) - 1
    return [(start, end)] if is_left or scene.ended else []


def _places(variable: Variable, scene: Scene) -> list[int]:
    bindings = scene.bindings[variable.negated_part]
    return [
        place
        for place, (_, occurrence) in enumerate(bindings)
        if occurrence in variable.occurrences
    ]


def read(reference: Reference, scene: Scene, chosen: Mapping[Slot, Choice]) -> list[Event]:
    """The events of a reference under the choice of its slot; none if it has no choice."""
    slot = _slot(reference) or next(each for each in chosen if each[0] == "pair")
    if slot not in chosen:
        return []
    start, end = chosen[slot]
    events = [event for event, _ in scene.bindings[scene.variables[slot[1]].negated_part]]
    match reference.role:
        case Role.FIRST | Role.LEFT:
            return [events[start]]
        case Role.EACH | Role.CURRENT | Role.LAST | Role.RIGHT:
            return [events[end]]
        case Role.PREVIOUS:
            return [events[end - 1]]
        case Role.BEFORE:
            return events[start:end]
        case Role.ALL:
            return events[start : end + 1]
