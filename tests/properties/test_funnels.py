"""Funnels equal those by brute force, in every mode."""

from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid
from tests.funnels.reference import Asked, levels

STEPS = {
    "A": lambda event: event["kind"] == "A",
    "B": lambda event: event["kind"] == "B",
    "C": lambda event: event["kind"] == "C",
    "A WHERE x > 1": lambda event: event["kind"] == "A" and event["x"] > 1,
    "B b WHERE b.x IN (0, 2)": lambda event: event["kind"] == "B" and event["x"] in (0, 2),
    "ANY(A, B)": lambda event: event["kind"] in ("A", "B"),
    "ANY(B, C) WHERE x = 1 OR x = 2": lambda event: event["kind"] in "BC" and event["x"] in (1, 2),
}
SCHEMA = pa.schema(
    {"ts": pa.int64(), "kind": pa.string(), "user": pa.string(), "x": pa.int64()}.items()
)


@st.composite
def events(draw: st.DrawFn) -> list[dict[str, Any]]:
    one = st.fixed_dictionaries(
        {
            "ts": st.integers(0, 12),
            "kind": st.sampled_from("ABCX"),
            "user": st.sampled_from(["ann", "ann", "ann", "bob", None]),
            "x": st.integers(0, 2),
        }
    )
    return draw(st.lists(one, max_size=16))


@settings(max_examples=150)
@given(
    rows=events(),
    texts=st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4),
    within=st.sampled_from([None, 1, 3, 6, 20]),
    mode=st.sampled_from(["ordered", "no-repeats", "contiguous"]),
)
def test_funnels_equal_brute_force(
    rows: list[dict[str, Any]], texts: list[str], within: int | None, mode: str
) -> None:
    table = pa.Table.from_pylist(rows, SCHEMA)
    found = cepheid.funnel(
        table, texts, by="user", within=within, mode=mode, time="ts", type="kind"
    )
    wanted = levels(rows, "user", Asked([STEPS[each] for each in texts], within, mode))
    seen = {
        row["user"]: [row[f"time_{place}"] for place in range(1, row["level"] + 1)]
        for row in found.levels.to_pylist()
    }
    assert seen == wanted
    reached = [sum(len(each) > place for each in wanted.values()) for place in range(len(texts))]
    assert found.conversion["keys"].to_pylist() == reached
