"""Functions take texts of every Arrow type, in any number of chunks, and columns without values."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import cepheid

TABLE = pa.table({"id": [1, 2, 3], "s": ["Abc", None, "a/b"], "ts": pa.array([0, 1, None])})
EXPRESSIONS = (
    "lower(a.s)", "substr(a.s, 2)", "trim(a.s)", "a.s || 'x'", "contains(a.s, 'b')",
    "replace(a.s, 'b', 'c')", "regexp_extract(a.s, '(b)', 1)", "split_part(a.s, '/', 2)",
    "a.s LIKE 'A%'", "a.s ILIKE 'A%'", "a.s RLIKE 'b$'", "a.s IN ('Abc', 'x')", "a.s IS NULL",
    "coalesce(a.s, 'none')", "CASE a.s WHEN 'Abc' THEN 'yes' ELSE a.s END", "CAST(a.s AS INT)",
    "length(a.s) > 2", "nullif(a.s, 'Abc')", "greatest(a.s, 'b')",
)  # fmt: skip
KINDS: dict[str, Callable[[Any], Any]] = {
    "large": lambda column: column.cast(pa.large_string()),
    "view": lambda column: column.cast(pa.string_view()),
    "dictionary": lambda column: column.dictionary_encode(),
    "chunked": lambda column: pa.chunked_array([column.slice(0, 1).chunk(0),
                                                column.slice(1).combine_chunks()]),
}  # fmt: skip


def run(table: pa.Table) -> list[dict[str, Any]]:
    listed = ", ".join(f"{each} AS c{number}" for number, each in enumerate(EXPRESSIONS))
    query = cepheid.query(f"PATTERN A a RETURN a.id AS id, {listed}")
    return query.run(table, time="id").sort_by("id").to_pylist()


@pytest.mark.parametrize("kind", KINDS)
def test_texts(kind: str) -> None:
    changed = TABLE.set_column(1, "s", KINDS[kind](TABLE["s"]))
    assert run(changed) == run(TABLE)


def test_without_values() -> None:
    empty = TABLE.set_column(1, "s", pa.nulls(3, pa.string()))
    untyped = TABLE.set_column(1, "s", pa.nulls(3))
    assert run(untyped) == run(empty)
