"""Polars, by its lazy expressions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.contender import Contender
from benchmarks.peers.packages import needs
from benchmarks.references import Answer

MakeFrame = Callable[[Path], Any]


def polars(
    variant: str,
    make: MakeFrame,
    answer: Callable[[pa.Table], Answer],
    *,
    most_events: int | None = None,
) -> Contender:
    """Return a contender that collects a lazy frame and gives it as an Arrow table."""
    return Contender(
        f"Polars, {variant}",
        lambda path: make(path).collect().to_arrow(),
        answer,
        needs("polars"),
        most_events,
        ("polars",),
    )


def w1_plain(path: Path) -> Any:
    """Join on the id and filter by time afterwards."""
    import polars as pl

    of_type = _by_type(path)
    pairs = of_type("A").join(of_type("B"), on="id").filter(_within("B", "A"))
    triples = pairs.join(of_type("C"), on="id").filter(
        (pl.col("C") > pl.col("B")) & (pl.col("C") <= pl.col("A") + 1000)
    )
    return triples.select("id", "A", "B", "C")


def w1_buckets(path: Path) -> Any:
    """Join on the id and blocks of time; see W1_BUCKETS of DuckDB."""
    import polars as pl

    of_type = _by_type(path)

    def own(kind: str) -> Any:
        return of_type(kind).with_columns(block=pl.col(kind) // 1000)

    def reached(frame: Any) -> Any:
        block = pl.col("A") // 1000
        return frame.with_columns(block=pl.concat_list(block, block + 1)).explode("block")

    keys = ["id", "block"]
    pairs = reached(of_type("A")).join(own("B"), on=keys).filter(_within("B", "A")).drop("block")
    triples = reached(pairs).join(own("C"), on=keys)
    return triples.filter((pl.col("C") > pl.col("B")) & (pl.col("C") <= pl.col("A") + 1000)).select(
        "id", "A", "B", "C"
    )


def w2_prefix_sums(path: Path) -> Any:
    """Sum over every B the As before it times the Cs after it, in each of its windows."""
    import polars as pl

    kind = pl.col("etype")
    keys = ["window_start", "id"]
    is_a, is_c = (kind == "A").cast(pl.Int64), (kind == "C").cast(pl.Int64)
    events = pl.scan_parquet(path).filter(kind.is_in(["A", "B", "C"]))
    first = pl.col("ts") // 100 * 100
    shifted = pl.concat_list([first - 100 * shift for shift in range(10)])
    placed = events.sort("ts").select("ts", "etype", "id", window_start=shifted)
    return (
        placed.explode("window_start")
        .with_columns(
            a_before=is_a.cum_sum().over(keys),
            c_after=(is_c.sum() - is_c.cum_sum()).over(keys),
        )
        .filter(kind == "B")
        .group_by(keys)
        .agg(count=(pl.col("a_before") * pl.col("c_after")).sum())
        .filter(pl.col("count") > 0)
    )


def w4_islands(path: Path) -> Any:
    """Add up the runs; see W4_ISLANDS of DuckDB."""
    import polars as pl

    kind, cpu = pl.col("etype"), pl.col("cpu")
    runs = _islands(path).agg(
        complete=(kind == "S").any() & (kind == "E").any(),
        cpu=cpu.filter(kind == "L").sum(),
    )
    return runs.filter("complete").select(pl.len().cast(pl.Int64), cpu.sum())


def w4_matches(path: Path) -> Any:
    """Return every run with the times and the cpu of its Loads as lists."""
    import polars as pl

    kind, ts = pl.col("etype"), pl.col("ts")
    runs = _islands(path).agg(
        complete=(kind == "S").any() & (kind == "E").any(),
        start=ts.filter(kind == "S").first(),
        loads=ts.filter(kind == "L"),
        cpu=pl.col("cpu").filter(kind == "L"),
        end=ts.filter(kind == "E").first(),
    )
    return runs.filter("complete").select("mapper", "start", "loads", "cpu", "end")


def _islands(path: Path) -> Any:
    """Number the islands of events that continue a run."""
    import polars as pl

    kind, cpu = pl.col("etype"), pl.col("cpu")
    before, cpu_before = pl.col("type_before"), pl.col("cpu_before")
    rises = (before == "S") | ((before == "L") & (cpu > cpu_before))
    continues = ((kind == "L") & rises) | ((kind == "E") & (before == "L"))
    return (
        pl.scan_parquet(path)
        .sort("mapper", "ts")
        .with_columns(
            type_before=kind.shift(1).over("mapper"), cpu_before=cpu.shift(1).over("mapper")
        )
        .with_columns(island=(~continues.fill_null(False)).cum_sum())
        .group_by("mapper", "island")
    )


def _by_type(path: Path) -> Callable[[str], Any]:
    import polars as pl

    events = pl.scan_parquet(path)
    return lambda kind: events.filter(pl.col("etype") == kind).select(
        "id", pl.col("ts").alias(kind)
    )


def _within(later: str, earlier: str) -> Any:
    import polars as pl

    after = pl.col(later) > pl.col(earlier)
    return after & (pl.col(later) <= pl.col(earlier) + 1000)
