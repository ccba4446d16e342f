"""Seeded event streams, kept as Parquet files in benchmarks/data.

Every stream has `ts` = 0, 1, 2, … and depends on the seed and the number of events only.

W1, W2  20 event types and 1000 (sparse) or 20 (dense) ids, uniform
W1 wide the dense one with 64 characters of text in every event
streams the same ids, and three types only: a query that names them takes every event
keys    the sparse one of these, with its ids in two more columns
W3      10 companies, prices are random walks
W4      100 mappers with Start, Load and End events, uniform cpu
W5      bursts of T between 50 kinds of X and Y, in 10 groups
grid    bursts of T, of a mean length by column, between 12 kinds of X
one key the prices of W3 with a single company
grained 1 A in 10 events, else B; the type is a dictionary column
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

SEED = 7
DATA = Path(__file__).parent / "data"
TYPES = [chr(ord("A") + index) for index in range(20)]
W5_QUERIES = 50


@dataclass(frozen=True, slots=True)
class Workload:
    """A stream of events: its columns for a number of events."""

    name: str
    columns: Callable[[int], dict[str, pa.Array]]

    def parquet(self, events: int, folder: Path = DATA) -> Path:
        """Return the Parquet file with the events; it is written if it does not exist."""
        path = folder / f"{self.name}-{events}-{_stamp()}.parquet"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(f".{os.getpid()}")
            pq.write_table(pa.table(self.columns(events)), unfinished)
            unfinished.replace(path)
        return path


def csv_of(parquet: Path) -> Path:
    """Return the same events as a CSV file without a header, for peers that read no Parquet."""
    path = parquet.with_suffix(".csv")
    if not path.exists():
        unfinished = path.with_suffix(f".{os.getpid()}")
        options = csv.WriteOptions(include_header=False, quoting_style="none")
        csv.write_csv(pq.read_table(parquet), unfinished, options)
        unfinished.replace(path)
    return path


def _stamp() -> str:
    """Name the version of the generators, so that changed ones write new files."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]


def _typed(ids: int, types: int = len(TYPES)) -> Callable[[int], dict[str, pa.Array]]:
    def columns(events: int) -> dict[str, pa.Array]:
        random = np.random.default_rng(SEED)
        codes = random.integers(0, types, events)
        return {
            "ts": pa.array(np.arange(events)),
            "etype": pa.array(np.array(TYPES)[codes]),
            "id": pa.array(random.integers(0, ids, events)),
            "v": pa.array(random.integers(0, 1000, events)),
        }

    return columns


def _with_copies(events: int) -> dict[str, pa.Array]:
    columns = _typed(ids=1000, types=3)(events)
    return columns | {"b_id": columns["id"], "c_id": columns["id"]}


def _with_parents(events: int) -> dict[str, pa.Array]:
    """Return events with two keys: an A has its id as `pid`, the others have theirs as `parent`.

    In the other key they have what nobody else has.
    """
    columns, random = _typed(ids=1000, types=3)(events), np.random.default_rng(SEED + 1)
    is_first = pc.equal(columns["etype"], "A")
    others = [pa.array(random.integers(low, low + 1000, events)) for low in (1000, 2000)]
    return columns | {
        "pid": pc.if_else(is_first, columns["id"], others[0]),
        "parent": pc.if_else(is_first, others[1], columns["id"]),
    }


def _with_text(events: int) -> dict[str, pa.Array]:
    columns = _typed(ids=20)(events)
    texts = [hashlib.sha256(str(each).encode()).hexdigest() for each in range(events)]
    return columns | {"note": pa.array(texts)}


def _stock(companies: int) -> Callable[[int], dict[str, pa.Array]]:
    def columns(events: int) -> dict[str, pa.Array]:
        random = np.random.default_rng(SEED)
        company = random.integers(0, companies, events)
        step = random.integers(-5, 6, events)
        price = np.empty(events, np.int64)
        for each in range(companies):
            price[company == each] = 1000 + np.cumsum(step[company == each])
        return {
            "ts": pa.array(np.arange(events)),
            "company": pa.array(company),
            "price": pa.array(price),
        }

    return columns


def _two_types(events: int) -> dict[str, pa.Array]:
    codes = np.random.default_rng(SEED).integers(0, 10, events, np.int8)
    types = pa.DictionaryArray.from_arrays((codes > 0).view(np.int8), pa.array(["A", "B"]))
    return {"ts": pa.array(np.arange(events)), "etype": types}


def _cluster(events: int) -> dict[str, pa.Array]:
    random = np.random.default_rng(SEED)
    kind = random.choice(3, events, p=[0.15, 0.7, 0.15])
    return {
        "ts": pa.array(np.arange(events)),
        "etype": pa.array(np.array(["S", "L", "E"])[kind]),
        "mapper": pa.array(random.integers(0, 100, events)),
        "cpu": pa.array(random.integers(0, 100, events)),
    }


def _bursts(events: int) -> dict[str, pa.Array]:
    random = np.random.default_rng(SEED)
    types: list[str] = []
    while len(types) < events:
        if random.random() < 0.5:
            types += ["T"] * int(random.integers(10, 31))
        else:
            sides = random.integers(0, 2, 20)
            queries = random.integers(0, W5_QUERIES, 20)
            types += [f"{'XY'[side]}{query}" for side, query in zip(sides, queries, strict=True)]
    return {
        "ts": pa.array(np.arange(events)),
        "etype": pa.array(types[:events]),
        "grp": pa.array(random.integers(0, 10, events)),
        "v": pa.array(random.integers(0, 1000, events)),
    }


W1_SPARSE = Workload("w1-sparse", _typed(ids=1000))
W1_DENSE = W2 = Workload("w1-dense", _typed(ids=20))
STREAM_SPARSE = Workload("stream-sparse", _typed(ids=1000, types=3))
STREAM_DENSE = Workload("stream-dense", _typed(ids=20, types=3))
JOIN_KEYS = Workload("join-keys", _with_copies)
TWO_KEYS = Workload("two-keys", _with_parents)
W1_WIDE = Workload("w1-wide", _with_text)
W3 = Workload("w3", _stock(companies=10))
W3_ONE_KEY = Workload("w3-one-key", _stock(companies=1))
W4 = Workload("w4", _cluster)
W5 = Workload("w5", _bursts)
TYPE_GRAINED = Workload("type-grained", _two_types)
