"""Streams of one type, one table per type, and declared schemas."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cepheid
from tests.engine.streams import in_any_order, rows_of, run, table_of

STREAM = "a1(x=1) a2(x=2) b3(x=3)"
BY_TYPE = {
    "A": pa.table({"time": [1, 2], "x": [1, 2]}),
    "B": pa.table({"time": [3], "y": ["late"]}),
}


def run_by_type(query, tables=None):
    return cepheid.query(f"PATTERN {query}").run(BY_TYPE if tables is None else tables, time="time")


class TestOneType:
    TABLE = pa.table({"time": [1, 2, 3], "x": [1, 0, 2]})

    def test_every_event_is_of_the_type(self):
        assert len(rows_of("S+", self.TABLE, type=None)) == 7

    def test_predicates_tell_events_apart(self):
        query = "SEQ(S a, S b) WHERE a.x = 1 AND b.x = 2 RETURN a.time, b.time"
        assert rows_of(query, self.TABLE, type=None) == [{"a_time": 1, "b_time": 3}]

    def test_two_types_need_a_type_column(self):
        with pytest.raises(cepheid.BindingError, match=r"2 event types, but .* no type column"):
            run("SEQ(A, B)", self.TABLE, type=None)


class TestTablePerType:
    def test_matches(self):
        rows = run_by_type("SEQ(A a, B b) RETURN a.time, a.x, b.y").to_pylist()
        assert in_any_order(rows) == in_any_order(
            [{"a_time": 1, "a_x": 1, "b_y": "late"}, {"a_time": 2, "a_x": 2, "b_y": "late"}]
        )

    def test_columns_of_a_variable_are_those_of_its_table(self):
        names = run_by_type("SEQ(A a, B b)").column_names
        assert "a_x" in names
        assert "a_y" not in names

    def test_an_attribute_of_another_type_is_unknown(self):
        with pytest.raises(cepheid.BindingError, match="event type B has no attribute 'x'"):
            run_by_type("SEQ(A a, B b) WHERE b.x = 1")

    def test_a_column_called_type_stays(self):
        tables = {name: table.append_column("type", pa.array(["t"] * len(table)))
                  for name, table in BY_TYPE.items()}  # fmt: skip
        assert run_by_type("SEQ(A a, B b) RETURN a.type", tables)["a_type"].to_pylist() == ["t"] * 2

    @pytest.mark.parametrize(
        "convert", [pa.Table.to_pandas, pl.from_arrow], ids=["pandas", "polars"]
    )
    def test_kinds(self, convert):
        tables = {name: convert(table) for name, table in BY_TYPE.items()}
        result = run_by_type("SEQ(A a, B b) RETURN a.x", tables)
        assert type(result) is type(tables["A"])
        assert sorted(result["a_x"].to_list()) == [1, 2]

    def test_tables_that_do_not_fit(self):
        clash = BY_TYPE | {"B": pa.table({"time": [3], "x": ["late"]})}
        with pytest.raises(cepheid.DataError, match=r"do not fit together.*\n.*same type"):
            run_by_type("SEQ(A, B)", clash)
        with pytest.raises(cepheid.DataError, match="'B' are a pandas DataFrame, the others a pya"):
            run_by_type("SEQ(A, B)", BY_TYPE | {"B": pd.DataFrame({"time": [3]})})
        with pytest.raises(cepheid.DataError, match=r"type 'B' have no column 'time'.*\n.*'tine'"):
            run_by_type("SEQ(A, B)", BY_TYPE | {"B": pa.table({"tine": [3]})})
        with pytest.raises(cepheid.DataError, match="mapping from type to table is empty"):
            run_by_type("A", {})
        with pytest.raises(cepheid.BindingError, match=r"no event type 'C'(.|\n)*has: A, B"):
            run_by_type("SEQ(A, C)")

    def test_integers_that_floats_cannot_hold(self):
        tables = {
            "A": pa.table({"time": [1], "x": [2**53 + 1]}),
            "B": pa.table({"time": [2], "x": [0.5]}),
        }
        with pytest.raises(cepheid.DataError, match="do not fit together"):
            run_by_type("SEQ(A, B)", tables)


class TestDeclaredSchemas:
    SCHEMAS = {"A": ["x"], "B": [], "C": ["x"]}  # noqa: RUF012

    def test_a_predicate_on_a_lacking_attribute_is_true(self):
        query = "ANY(A, B) v WHERE v.x > 1 RETURN v.time"
        rows = rows_of(query, "a1(x=1) a2(x=2) b3 b4(x=1)", schemas=self.SCHEMAS)
        assert in_any_order(rows) == in_any_order([{"v_time": time} for time in (2, 3, 4)])

    def test_without_schemas_it_is_null(self):
        query = "ANY(A, B) v WHERE v.x > 1 RETURN v.time"
        assert rows_of(query, "a1(x=1) a2(x=2) b3 b4(x=1)") == [{"v_time": 2}]

    def test_only_the_comparison_that_reads_it_is_true(self):
        query = "ANY(A, B) v WHERE v.x > 1 AND v.time > 3 RETURN v.time"
        assert rows_of(query, "a2(x=2) b3 b4", schemas=self.SCHEMAS) == [{"v_time": 4}]

    @pytest.mark.parametrize("clause", ["WHERE [x]", "RETURN COUNT(*) GROUP BY x"])
    def test_a_missing_partition_attribute_is_an_error(self, clause):
        with pytest.raises(cepheid.BindingError, match="B has no attribute 'x' to partition by"):
            run(f"SEQ(A, B) {clause}", STREAM, schemas=self.SCHEMAS)

    def test_roles_belong_to_every_type(self):
        rows = rows_of("SEQ(A a, B b) RETURN b.time", STREAM, schemas=self.SCHEMAS)
        assert rows == [{"b_time": 3}, {"b_time": 3}]

    def test_default_columns_are_those_of_the_type(self):
        names = run("SEQ(A a, B b)", table_of(STREAM), schemas=self.SCHEMAS).column_names
        assert "a_x" in names
        assert "b_x" not in names
