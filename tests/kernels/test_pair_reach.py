"""How far a window reaches back, against looking at every event."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cepheid.kernels.order.pair_reach import find_reach

EVENTS = st.lists(st.tuples(st.integers(0, 2), st.integers(-5, 5))).map(sorted)


@given(EVENTS, st.integers(0, 6))
def test_reach_is_the_first_event_in_the_window(events, window):
    expected = [
        next(
            index
            for index, (partition, clock) in enumerate(events)
            if partition == own and (window == 0 or clock > last - window)
        )
        for own, last in events
    ]
    partition, clock = (np.array([each[i] for each in events], np.int64) for i in (0, 1))
    assert find_reach(clock, partition, window).tolist() == expected
