"""Typed events of SASE (SIGMOD 2006, section 5.1 and table 1).

| paper | here |
|---|---|
| T = 20, number of event types | `types`, named E1 .. E20 |
| theta_1 = 0, Zipf distribution of the types | `theta`: type k has weight 1 / k^theta |
| A = 5 attributes | attr1 .. attr5 |
| V_i in [10, 10,000], number of values of attr_i | `attr1_values` .. `attr5_values` |

The experiments vary V_1 (100 in experiment 5) and fix V_2 at 20; the other defaults span the range.
The paper's windows count events, so `time` is the position of the event in the stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
import pyarrow as pa

from cepheid.generate.labels import label
from cepheid.generate.stream import BLOCK_EVENTS, Block, Column, Stream, option

ATTRIBUTES = 5
_VALUES = "number of values of the attribute, uniform from 1"


@dataclass(frozen=True, slots=True)
class TypedSettings:
    """Parameters of typed events; the defaults are the paper's."""

    types: int = option(20, "number of event types", minimum=1, maximum=100_000)
    theta: float = option(0.0, "Zipf exponent of the types; 0: uniform", minimum=0, maximum=10)
    attr1_values: int = option(100, _VALUES, minimum=1, maximum=10**9)
    attr2_values: int = option(20, _VALUES, minimum=1, maximum=10**9)
    attr3_values: int = option(10, _VALUES, minimum=1, maximum=10**9)
    attr4_values: int = option(1000, _VALUES, minimum=1, maximum=10**9)
    attr5_values: int = option(10_000, _VALUES, minimum=1, maximum=10**9)


def typed(seed: int, settings: TypedSettings) -> Iterator[Block]:
    """Yield blocks of typed events, all columns independent."""
    rng = np.random.default_rng(seed)
    names = [f"E{number}" for number in range(1, settings.types + 1)]
    weights = np.arange(1, settings.types + 1) ** -settings.theta
    shares = np.cumsum(weights[:-1]) / weights.sum()
    attributes = [f"attr{number}" for number in range(1, ATTRIBUTES + 1)]
    for first_event in count(0, BLOCK_EVENTS):
        type_id = np.searchsorted(shares, rng.random(BLOCK_EVENTS), side="right")
        values = {
            attribute: rng.integers(1, getattr(settings, f"{attribute}_values") + 1, BLOCK_EVENTS)
            for attribute in attributes
        }
        time = np.arange(first_event, first_event + BLOCK_EVENTS)
        yield {"time": time, "type": label(type_id, names), **values}


TYPED = Stream(
    name="typed",
    description="Independent events of many types with five attributes (SASE, section 5.1)",
    columns=(
        Column("time", pa.int64(), "position of the event in the stream, from 0"),
        Column("type", pa.string(), "event type: E1, E2, ..."),
        *(
            Column(f"attr{number}", pa.int64(), f"1 .. attr{number}_values, uniform")
            for number in range(1, ATTRIBUTES + 1)
        ),
    ),
    time_column="time",
    type_column="type",
    event_types=tuple(f"E{number}" for number in range(1, TypedSettings().types + 1)),
    settings=TypedSettings,
    function=typed,
)
