"""The order of sequences, against Python's order of lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cepheid.engine.matches.sequence_ranks import sequence_ranks


@given(st.lists(st.lists(st.integers(0, 3), max_size=5)))
def test_ranks_are_those_of_lists(sequences):
    offsets = np.cumsum([0, *map(len, sequences)]).astype(np.int64)
    values = np.array([each for one in sequences for each in one], np.int64)
    expected = [sum(other < each for other in sequences) for each in sequences]
    assert sequence_ranks(offsets, values).tolist() == expected
