"""What a stream is of: a change that its checkpoint cannot go on with, and one that it can."""

from pathlib import Path

import pytest

from cepheid.pipeline.model import TOGETHER
from cepheid.pipeline.stream_places import stream_identity
from tests.pipeline.files import load

FILTERED = '{q: {text: "PATTERN SEQ(A a, B b) WHERE b.v > :x WITHIN 10", parameters: {x: %s}}}'
READERS = (
    '{pairs: "PATTERN SEQ(A a, B b) WITHIN %d RETURN a.ts INTO Pair", '
    'q: "PATTERN SEQ(Pair p, Pair r) WITHIN 9", other: "PATTERN A a"}'
)
SINKS = "{q: {console: }, other: {console: }}"


def identity(folder: Path, name: str = "q", **keys: str) -> dict[str, str]:
    return stream_identity(load(folder, **keys), name)


@pytest.mark.parametrize(
    "keys",
    [
        {"queries": '{q: "PATTERN SEQ(A a, B b) WITHIN 11"}'},
        {"events": "{time: ts, type: kind, ordered: true}"},
        {"events": "{time: ts, type: kind, order: v}"},
        {"events": "{time: ts, type: kind, time_unit: ms}"},
        {"events": "{time: ts, types: {A: v > 1, B: v < 0}}"},
        {"state": "{buckets: 4}"},
    ],
    ids=lambda keys: next(iter(keys.values())),
)
def test_what_cannot_change(tmp_path: Path, keys: dict[str, str]) -> None:
    assert identity(tmp_path, **keys) != identity(tmp_path)


@pytest.mark.parametrize(
    "keys",
    [
        {"queries": '{q: "PATTERN  SEQ(A a,  B b)  within 10"}'},
        {"watermark": "20"},
        {"trigger": "available now", "finish": "true"},
        {"state": "{limit: 5 MB}"},
        {"sinks": "{q: {files: {format: csv, path: out}}}"},
    ],
    ids=lambda keys: next(iter(keys.values())),
)
def test_what_may_change(tmp_path: Path, keys: dict[str, str]) -> None:
    assert identity(tmp_path, **keys) == identity(tmp_path)


def test_parameters_are_part_of_the_query(tmp_path: Path) -> None:
    one, other = (identity(tmp_path, queries=FILTERED % value) for value in (1, 2))
    assert one != other
    assert "b.v > 1" in one["query"]


def test_queries_that_are_read_count_too(tmp_path: Path) -> None:
    keys = {"sinks": SINKS}
    one, other = (identity(tmp_path, queries=READERS % length, **keys) for length in (5, 6))
    assert one.keys() >= {"query", "query pairs"}
    assert {key for key in one if one[key] != other[key]} == {"query pairs"}
    alone = [identity(tmp_path, "other", queries=READERS % each, **keys) for each in (5, 6)]
    assert alone[0] == alone[1]
    together = {**keys, "together": "true"}
    both = [identity(tmp_path, TOGETHER, queries=READERS % n, **together) for n in (5, 6)]
    assert both[0] != both[1]
