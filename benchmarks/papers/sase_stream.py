"""The streams and queries of SASE's experiments (SIGMOD 2006, sections 5.1 and 5.2).

| paper | here |
|---|---|
| T, number of event types | `types` |
| V_1, V_2, domain sizes of attr_1 and attr_2 | `values`, one per equivalence test |
| L, length of the sequence | `length` |
| W, window, a number of events | `window`; `time` is the position of an event |

Every contender gets the same Arrow table in memory and returns an Arrow table with the times of the
events of all matches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pyarrow as pa

from cepheid.generate import generate

SEED = 7
TYPES = 20
ATTRIBUTES = ("attr1", "attr2")
FEWEST_EVENTS = 1000


@dataclass(frozen=True, slots=True)
class Workload:
    """One point of a figure: a stream and a query on it."""

    events: int
    window: int
    length: int = 3
    values: tuple[int, ...] = ()
    types: int = TYPES

    @property
    def query(self) -> str:
        """The query, with the times of the events as its result."""
        places = range(1, self.length + 1)
        pattern = ", ".join(f"E{place} e{place}" for place in places)
        tests = f" WHERE [{', '.join(self.attributes)}]" if self.values else ""
        times = ", ".join(f"e{place}.time" for place in places)
        return f"PATTERN SEQ({pattern}){tests} WITHIN {self.window} RETURN {times}"

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of the equivalence tests."""
        return ATTRIBUTES[: len(self.values)]

    @property
    def selectivity(self) -> float:
        """Matches per event; L times formula (1).

        The formula counts the matches in W events and divides by W. In a stream the window slides:
        every event can be the last one of as many matches as W - 1 events before it allow.
        """
        others = self.length - 1
        chance = float(self.types) ** self.length * float(math.prod(self.values)) ** others
        return math.comb(self.window - 1, others) / chance

    def without_tests(self) -> Workload:
        """Return what is left if the equivalence tests are not pushed down."""
        return replace(self, values=())

    def table(self) -> pa.Table:
        """Make the events; the type is a dictionary column, so that nobody has to read strings."""
        parameters = {
            f"{name}_values": count
            for name, count in zip(self.attributes, self.values, strict=True)
        }
        made = generate("typed", events=self.events, seed=SEED, types=self.types, **parameters)
        place = made.schema.get_field_index("type")
        column = made.column("type").combine_chunks().dictionary_encode()
        return made.set_column(place, "type", column).combine_chunks()


def simulated_types(values: int, length: int) -> int:
    """Return the number of types that stands for an equivalence test, as in section 5.2.

    >>> simulated_types(100, 3)
    431
    """
    return round(TYPES * math.pow(values, (length - 1) / length))


def number_of_events(usual: int, scale: float) -> int:
    """Return the number of events at a scale.

    >>> number_of_events(1_000_000, 0.1)
    100000
    """
    return max(FEWEST_EVENTS, round(usual * scale))
