"""How much memory a contender needs on top of the events, in this process.

Linux forgets the peak of the resident memory on request (`clear_refs`), so the peak that follows
is the contender's own. Unused memory of the allocators goes back first. Elsewhere: None.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
from pathlib import Path

import pyarrow as pa

from benchmarks.measure import own_peak_bytes
from benchmarks.papers.progress import announce
from benchmarks.papers.race import Contender

FORGET_PEAK = "5"
PAGE_BYTES = 4096


def peak_growth(contender: Contender, events: pa.Table) -> int | None:
    """Return by how many bytes the memory grows while a contender runs; at least one page."""
    announce("measuring memory")
    gc.collect()
    pa.default_memory_pool().release_unused()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    try:
        Path("/proc/self/clear_refs").write_text(FORGET_PEAK, encoding="ascii")
    except OSError:
        return None
    before = own_peak_bytes()
    contender(events)
    return max(PAGE_BYTES, own_peak_bytes() - before)
