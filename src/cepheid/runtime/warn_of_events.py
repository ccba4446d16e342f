"""Warnings about events that a query cannot use, for the logger `cepheid`."""

from __future__ import annotations

import logging
from collections.abc import Iterable

LOG = logging.getLogger("cepheid")


def warn_of_dropped(partition_by: Iterable[str], dropped: int) -> None:
    """Say how many events of the query's pattern belong to no partition, if there are any."""
    if dropped:
        have = "1 event has" if dropped == 1 else f"{dropped:,} events have"
        belong = "belongs" if dropped == 1 else "belong"
        names = ", ".join(partition_by).replace("@.", "")  # of the event
        LOG.warning("%s NULL in %s and %s to no partition", have, names, belong)
