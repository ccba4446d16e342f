"""Every kind of table gives the same rows, in its own kind."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import cepheid
from tests.engine.streams import in_any_order, rows_of, run, table_of

STREAM = "a1(k=1, s=x) a2(k=2, s=y) b3(k=1, s=x) b4(k=2, s=y) a5(k=1, s=null) b6(k=1, s=x)"
MATCHES = "SEQ(A+ a, B b) WHERE [k] RETURN a.time, a.s, b.time, b.s"
COUNTS = "SEQ(A+ a, B b) WITHIN 3 SLIDE 2 RETURN COUNT(*) AS n GROUP BY s"
QUERIES = pytest.mark.parametrize("query", [MATCHES, COUNTS], ids=["matches", "counts"])


def plain(value: Any) -> Any:
    """Lists and numbers of Python instead of NumPy's."""
    return value.tolist() if hasattr(value, "tolist") else value


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    rows = frame.to_dict("records")
    return [{name: plain(value) for name, value in row.items()} for row in rows]


class TestKinds:
    @QUERIES
    def test_record_batch(self, query):
        batch = table_of(STREAM).combine_chunks().to_batches()[0]
        result = run(query, batch)
        assert isinstance(result, pa.Table)
        assert in_any_order(result.to_pylist()) == in_any_order(rows_of(query, STREAM))

    @QUERIES
    def test_pandas(self, query):
        result = run(query, table_of(STREAM).to_pandas())
        assert isinstance(result, pd.DataFrame)
        assert in_any_order(records(result)) == in_any_order(rows_of(query, STREAM))

    @QUERIES
    def test_polars(self, query):
        result = run(query, pl.from_arrow(table_of(STREAM)))
        assert isinstance(result, pl.DataFrame)
        assert in_any_order(result.to_dicts()) == in_any_order(rows_of(query, STREAM))

    def test_pandas_keeps_large_integers_next_to_null(self):
        frame = pd.DataFrame({"time": [1, 2], "type": ["A", "B"], "x": [2**53 + 1, 2**53 + 1]})
        result = run("SEQ(A a, B? b) RETURN a.x, b.x", frame)
        assert sorted(result["b_x"].dropna()) == [2**53 + 1]
        assert result["b_x"].isna().sum() == 1
        assert result["a_x"].dtype == "int64"

    def test_pandas_categories(self):
        frame = table_of(STREAM).to_pandas().astype({"type": "category", "s": "category"})
        result = records(run(MATCHES, frame))
        assert in_any_order(result) == in_any_order(rows_of(MATCHES, STREAM))

    def test_polars_categories(self):
        frame = pl.from_arrow(table_of(STREAM)).with_columns(
            pl.col("type", "s").cast(pl.Categorical)
        )
        result = run(MATCHES, frame).to_dicts()
        assert in_any_order(result) == in_any_order(rows_of(MATCHES, STREAM))

    @pytest.mark.parametrize("events", [[{"time": 1}], None, pl.LazyFrame({"time": [1]})])
    def test_other_objects_are_refused(self, events):
        with pytest.raises(cepheid.DataError, match=r"cannot run on a .*\n.*pyarrow Table"):
            cepheid.query("PATTERN A").run(events, time="time")


class TestFiles:
    @QUERIES
    def test_parquet(self, query, tmp_path):
        path = tmp_path / "events.parquet"
        pq.write_table(table_of(STREAM), path, row_group_size=2)
        result = run(query, path)
        assert in_any_order(result.to_pylist()) == in_any_order(rows_of(query, STREAM))
        assert result.schema == run(query, table_of(STREAM)).schema
        by_text = cepheid.query(f"PATTERN {query}").run(str(path), time="time", type="type")
        assert by_text.equals(result)

    def test_texts_stay_texts(self, tmp_path):
        pq.write_table(table_of(STREAM), tmp_path / "events.parquet")
        result = run("SEQ(A+ a, B b)", tmp_path / "events.parquet")
        assert result.schema.field("b_type").type == pa.string()
        assert result.schema.field("a_type").type == pa.list_(pa.string())
        assert in_any_order(result.to_pylist()) == in_any_order(rows_of("SEQ(A+ a, B b)", STREAM))

    def test_a_directory_of_csv(self, tmp_path):
        for place, part in enumerate([table_of(STREAM).slice(0, 3), table_of(STREAM).slice(3)]):
            csv.write_csv(part, tmp_path / f"{place}.csv")
        result = run(MATCHES, tmp_path)
        assert in_any_order(result.to_pylist()) == in_any_order(rows_of(MATCHES, STREAM))

    def test_a_missing_file(self):
        with pytest.raises(cepheid.ConfigError, match="no file or directory 'nowhere"):
            cepheid.query("PATTERN A").run("nowhere.csv", time="time")


def reencoded(table: pa.Table, **types: pa.DataType) -> pa.Table:
    for name, kind in types.items():
        column = table[name]
        changed = column.dictionary_encode() if kind == "dictionary" else column.cast(kind)
        table = table.set_column(table.column_names.index(name), name, changed)
    return table


class TestEncodings:
    @QUERIES
    @pytest.mark.parametrize(
        "encoding", ["dictionary", pa.large_string(), pa.string_view()], ids=str
    )
    def test_of_text(self, query, encoding):
        table = reencoded(table_of(STREAM), type=encoding, s=encoding)
        assert in_any_order(rows_of(query, table)) == in_any_order(rows_of(query, STREAM))

    @pytest.mark.skipif(not hasattr(pa, "decimal32"), reason="short decimals need PyArrow 19")
    @pytest.mark.parametrize(("name", "digits"), [("decimal32", 5), ("decimal64", 12)])
    @pytest.mark.parametrize(
        "query",
        [
            "SEQ(A a, B b) WHERE a.k < b.k RETURN a.k, b.k",
            "SEQ(A a, B b) WHERE [k] RETURN a.k, b.k",
            "A+ a RETURN min(a[].k) AS least, sum(a[].k) AS sum",
            "A+ a RETURN k, MIN(a.k), COUNT(*) GROUP BY k",
        ],
    )
    def test_of_short_decimals(self, query, name, digits, tmp_path):
        wider = reencoded(table_of(STREAM), k=pa.decimal128(20, 1))
        wider = reencoded(wider, k=pa.decimal128(digits, 1))
        table = reencoded(wider, k=getattr(pa, name)(digits, 1))
        pq.write_table(table, tmp_path / "events.parquet")
        assert run(query, table).equals(run(query, wider))
        assert run(query, tmp_path / "events.parquet").equals(run(query, wider))

    @pytest.mark.parametrize("kind", [pa.string_view(), pa.large_string()], ids=str)
    def test_of_text_in_a_file(self, kind, tmp_path):
        table = reencoded(table_of(STREAM), type=kind, s=kind)
        try:
            pq.write_table(table, tmp_path / "events.parquet")
        except pa.ArrowNotImplementedError:
            assert kind == pa.string_view()
            assert int(pa.__version__.split(".")[0]) < 19
            pytest.skip("PyArrow 18 cannot write views of texts to Parquet")
        for query in (MATCHES, COUNTS):
            assert run(query, tmp_path / "events.parquet").equals(run(query, table))

    @QUERIES
    @pytest.mark.parametrize("encoding", [pa.string(), "dictionary"], ids=str)
    def test_chunks_with_dictionaries_of_their_own(self, query, encoding):
        table = table_of(STREAM)
        parts = [
            reencoded(table.slice(at, size), type=encoding, s=encoding)
            for at, size in [(0, 1), (1, 0), (1, 3), (4, 2)]
        ]
        chunked = pa.concat_tables(parts)
        assert chunked["type"].num_chunks > 1
        assert in_any_order(rows_of(query, chunked)) == in_any_order(rows_of(query, STREAM))

    def test_a_dictionary_that_repeats_a_value(self):
        types = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["A", "A", "B"]))
        k = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["x", "x"]))
        table = pa.table({"time": [1, 2, 3], "type": types, "k": k})
        assert len(rows_of("SEQ(A, B) WHERE [k]", table)) == 2

    def test_a_dictionary_with_null_as_value(self):
        k = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array([None, "x"]))
        table = pa.table({"time": [1, 2], "type": ["A", "B"], "k": k})
        assert rows_of("SEQ(A, B) WHERE [k]", table) == []

    def test_run_ends(self):
        k = pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([7]))
        table = pa.table({"time": [1, 2], "type": ["A", "B"], "k": k})
        assert rows_of("SEQ(A, B) WHERE [k] RETURN B.k", table) == [{"B_k": 7}]

    @pytest.mark.parametrize(
        "query", [MATCHES, "SEQ(A, B) WHERE A.k = 1 AND B.k < 2 RETURN A.time"]
    )
    @pytest.mark.parametrize(
        "kind", [pa.int8(), pa.uint64(), pa.decimal128(30, 2), pa.float32()], ids=str
    )
    def test_of_numbers(self, query, kind):
        table = reencoded(table_of(STREAM), k=kind)
        assert in_any_order(rows_of(query, table)) == in_any_order(rows_of(query, STREAM))

    def test_zero_has_no_sign(self):
        table = pa.table({"time": [1, 2], "type": ["A", "B"], "k": [0.0, -0.0]})
        assert len(rows_of("SEQ(A, B) WHERE [k]", table)) == 1
