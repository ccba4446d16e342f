"""Events in memory, for benchmarks about the cost per event: reading a file would hide it."""

from __future__ import annotations

import functools
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

TYPES = "etype"


@functools.lru_cache(maxsize=1)
def events_in_memory(path: Path) -> pa.Table:
    """Return the events in one chunk; the type is a dictionary column.

    The first call, which is the run to warm up, reads the file.
    """
    table = pq.read_table(path)
    if TYPES in table.column_names and not pa.types.is_dictionary(table.schema.field(TYPES).type):
        place = table.schema.get_field_index(TYPES)
        table = table.set_column(place, TYPES, table[TYPES].combine_chunks().dictionary_encode())
    return table.combine_chunks()
