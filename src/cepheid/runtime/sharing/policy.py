"""When queries that are folded together share the work on a burst of events."""

from __future__ import annotations

from enum import StrEnum


class Policy(StrEnum):
    """All share every burst, nobody does, or those for whom it pays."""

    ALWAYS = "always"
    NEVER = "never"
    DYNAMIC = "dynamic"
