"""Compressed matches as bytes: two Arrow streams, the events and the arrays of the graph."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cepheid.engine.events.order_events import OrderedEvents
from cepheid.errors import DataError
from cepheid.kernels.arrays import EventArrays
from cepheid.kernels.graph.match_nodes import (
    CELL_COUNT,
    END_COUNT,
    END_WIDTH,
    EVENT,
    HEAD_COUNT,
    NODE_COUNT,
    SLOTS,
    Graph,
)

Int64s = NDArray[np.int64]
VERSION_KEY, VERSION = b"cepheid.compressed", b"1"


def to_bytes(table: pa.Table, ordered: OrderedEvents, graph: Graph, *, keeps_all: bool) -> bytes:
    """Return the graph and its events; all events only where negation looks at them again."""
    cursor = graph.cursor
    nodes = graph.nodes[: cursor[NODE_COUNT], :SLOTS].copy()
    used = np.arange(ordered.row.size)
    if not keeps_all:
        used, nodes[:, EVENT] = np.unique(nodes[:, EVENT], return_inverse=True)
    events = table.take(pa.array(ordered.row[used]))
    arrays = {
        "nodes": nodes,
        "heads": graph.heads[: cursor[HEAD_COUNT]],
        "cells": graph.cells[: cursor[CELL_COUNT]],
        "ends": graph.ends[: cursor[END_COUNT]],
        "cursor": cursor,
        "fires": ordered.arrays.fires[used].view(np.int64),
        "clock": ordered.arrays.clock[used],
        "rank": ordered.arrays.rank[used],
        "step_offsets": ordered.arrays.step_offsets,
        "partition_offsets": ordered.arrays.partition_offsets,
        "key_rank": ordered.key_rank[used],
        "negated_parts": np.array([len(ordered.negative_fires)]),
        "negative_fires": np.array([each[used].view(np.int64) for each in ordered.negative_fires]),
    }
    lists = [pa.array([each.ravel()], pa.large_list(pa.int64())) for each in arrays.values()]
    stored = pa.table(lists, names=list(arrays)).replace_schema_metadata({VERSION_KEY: VERSION})
    sink = pa.BufferOutputStream()
    for each in (events, stored):
        with pa.ipc.new_stream(sink, each.schema) as writer:
            writer.write_table(each)
    return bytes(sink.getvalue())


def from_bytes(data: bytes) -> tuple[pa.Table, OrderedEvents, Graph]:
    """Return what `to_bytes` was given, as far as a walk of the graph needs it."""
    source = pa.BufferReader(data)
    events = pa.ipc.open_stream(source).read_all()
    stored = pa.ipc.open_stream(source).read_all()
    version = (stored.schema.metadata or {}).get(VERSION_KEY)
    if version != VERSION:
        found = "none" if version is None else version.decode()
        raise DataError(
            f"compressed matches of version {found} cannot be read",
            hint=f"this release reads version {VERSION.decode()}; run the query again",
        )

    def array(name: str, *shape: int) -> Int64s:
        values = stored[name].chunk(0).values.to_numpy()
        return np.array(values.reshape(shape) if shape else values)

    graph = Graph(
        array("nodes", -1, SLOTS),
        array("heads"),
        array("cells", -1, 3),
        array("ends", -1, END_WIDTH),
        array("cursor"),
    )
    count = events.num_rows
    ordered = OrderedEvents(
        EventArrays(
            array("fires").view(np.uint64),
            array("clock"),
            array("rank"),
            array("step_offsets"),
            array("partition_offsets"),
        ),
        tuple(array("negative_fires", int(array("negated_parts")[0]), count).view(np.uint64)),
        np.arange(count),
        array("key_rank"),
        dropped=0,
    )
    return events, ordered, graph
