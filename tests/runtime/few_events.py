"""Let runs of few events take the way of many."""

from collections.abc import Iterator
from contextlib import contextmanager

from cepheid.runtime import few_events


@contextmanager
def few_are(count: int) -> Iterator[None]:
    """With -1, any number of events is many."""
    before = few_events.FEW
    few_events.FEW = count
    try:
        yield
    finally:
        few_events.FEW = before
