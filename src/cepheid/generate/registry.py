"""All streams by name, and the two functions that make their events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import pyarrow as pa

from cepheid.errors import ConfigError, suggest
from cepheid.generate.activity import ACTIVITY
from cepheid.generate.clicks import CLICKS
from cepheid.generate.cluster import CLUSTER
from cepheid.generate.purchases import PURCHASES
from cepheid.generate.rfid import RFID
from cepheid.generate.ridesharing import RIDESHARING
from cepheid.generate.stock import STOCK
from cepheid.generate.stream import Parameter, Stream
from cepheid.generate.trading import TRADING
from cepheid.generate.typed import TYPED

STREAMS: Mapping[str, Stream] = MappingProxyType(
    {
        stream.name: stream
        for stream in (
            STOCK,
            TYPED,
            RIDESHARING,
            CLICKS,
            CLUSTER,
            ACTIVITY,
            RFID,
            TRADING,
            PURCHASES,
        )
    }
)

_EVENTS = Parameter("events", 10_000, "number of events", 0, 10**12)
_CHUNK_EVENTS = Parameter("chunk_events", 100_000, "events per chunk", 1, 10**9)
_SEED = Parameter("seed", 7, "seed of the random numbers", 0, 2**63 - 1)


def generate(name: str, *, events: int = 10_000, seed: int = 7, **parameters: float) -> pa.Table:
    """Return the first events of a stream of `STREAMS`, the same for the same seed.

    Fewer events are a prefix of more events. Parameters are listed in `STREAMS[name].parameters`.

    >>> stock = generate("stock", events=1000, increase=0.55)
    >>> stock.column_names, stock.num_rows
    (['time', 'symbol', 'price', 'volume'], 1000)
    >>> generate("stock", events=10).equals(generate("stock", events=99).slice(0, 10))
    True
    >>> generate("stok")
    Traceback (most recent call last):
        ...
    cepheid.errors.ConfigError: there is no stream 'stok'
      hint: did you mean 'stock'? cepheid.generate has: activity, clicks, cluster, purchases, ...

    Raises:
        ConfigError: unknown stream or parameter, or a value out of range.
    """
    blocks = _blocks(name, seed, parameters)
    chunks = _chunks(blocks, events=events, chunk_events=_CHUNK_EVENTS.default)
    return pa.concat_tables([STREAMS[name].schema.empty_table(), *chunks]).combine_chunks()


def generate_chunks(
    name: str,
    *,
    events: int = 10_000,
    chunk_events: int = 100_000,
    seed: int = 7,
    **parameters: float,
) -> Iterator[pa.Table]:
    """Return the table of `generate` in chunks of `chunk_events` rows, made one at a time.

    >>> [chunk.num_rows for chunk in generate_chunks("typed", events=250, chunk_events=100)]
    [100, 100, 50]

    Raises:
        ConfigError: unknown stream or parameter, or a value out of range; at the call.
    """
    blocks = _blocks(name, seed, parameters)
    return _chunks(blocks, events=events, chunk_events=chunk_events)


def _blocks(name: str, seed: int, parameters: Mapping[str, float]) -> Iterator[pa.Table]:
    if name not in STREAMS:
        hint = suggest(name, STREAMS, owner="cepheid.generate")
        raise ConfigError(f"there is no stream '{name}'", hint=hint)
    return STREAMS[name].blocks(int(_SEED.check(seed)), parameters)


def _chunks(
    blocks: Iterator[pa.Table], *, events: float, chunk_events: float
) -> Iterator[pa.Table]:
    return _rechunk(blocks, int(_EVENTS.check(events)), int(_CHUNK_EVENTS.check(chunk_events)))


def _rechunk(blocks: Iterator[pa.Table], events: int, chunk_events: int) -> Iterator[pa.Table]:
    waiting: list[pa.Table] = []
    waiting_events = 0
    while events > 0:
        wanted = min(chunk_events, events)
        while waiting_events < wanted:
            waiting.append(next(blocks))
            waiting_events += waiting[-1].num_rows
        merged = pa.concat_tables(waiting)
        yield merged.slice(0, wanted).combine_chunks()
        waiting, waiting_events = [merged.slice(wanted)], waiting_events - wanted
        events -= wanted
