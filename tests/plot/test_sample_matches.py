"""All matches are counted, and some are kept if there are too many."""

import numpy as np
import pyarrow as pa

from cepheid.plot.sample_matches import sample_matches

TICKS = np.arange(10)[::-1].copy()  # the last row is the first event


def batches(count):
    pairs = [{"a": [each, each + 1], "b": None if each % 2 else each + 2} for each in range(count)]
    table = pa.Table.from_pylist(pairs, pa.schema([("a", pa.list_(pa.int64())), ("b", pa.int64())]))
    return table.to_batches(max_chunksize=3)


def test_events_are_in_the_order_of_time():
    found = sample_matches(batches(8), ["a", "b"], TICKS)
    assert found.first.tolist() == [2, 2, 4, 4, 6, 6, 8, 8]
    assert found.last.tolist() == list(range(8))
    kept = found.kept
    assert kept.event[:5].tolist() == [2, 1, 0, 2, 1]
    assert [found.variables[each] for each in kept.variable[:5]] == ["b", "a", "a", "a", "a"]
    assert (kept.ends - kept.starts).tolist() == [3, 2] * 4


def test_too_many_are_thinned_and_still_counted():
    found = sample_matches(batches(8), ["a", "b"], TICKS, most=8)
    assert found.count == 8
    assert 0 < found.kept.event.size <= 16
    again = sample_matches(batches(8), ["a", "b"], TICKS, most=8)
    assert found.kept.event.tolist() == again.kept.event.tolist()


def test_no_matches():
    found = sample_matches([], ["a"], TICKS)
    assert (found.count, found.kept.starts.size, found.kept.ends.size) == (0, 0, 0)
