"""Whether a peer's package is there."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from benchmarks.contender import NotRunnableError


def needs(package: str) -> Callable[[], None]:
    """Return a check that raises NotRunnableError if a package is not installed."""

    def ready() -> None:
        if find_spec(package) is None:
            raise NotRunnableError(f"not installed (pip install {package})")

    return ready
