"""Let runs of few events take the way of many."""

from collections.abc import Iterator
from contextlib import contextmanager

from cepheid.engine.events.is_few import FEW, as_if_many


@contextmanager
def few_are(count: int) -> Iterator[None]:
    """With -1, any number of events is many; the other choice is what the engine takes for few."""
    if count < 0:
        with as_if_many():
            yield
    else:
        assert count == FEW
        yield
