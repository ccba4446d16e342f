"""Sets of queries in which one reads the results of another."""

import datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import cepheid
from cepheid.tables.table_kinds import TableKind
from cepheid.testing import events

ROLES = {"time": "time", "type": "type"}
PAIRS = "PATTERN SEQ(A a, B b) WITHIN 3 RETURN a.time AS start, b.x AS x INTO Pair"


def table_of(stream):
    listed = [{"type": each["type"], "x": None} | each for each in events(stream)]
    return pa.Table.from_pylist(listed)


def run(texts, stream, **options):
    """The rows of the last query."""
    given = table_of(stream) if isinstance(stream, str) else stream
    found = cepheid.workload(texts).run(given, **(ROLES | options))
    return list(found.values())[-1].to_pylist()


class TestNames:
    def test_results_come_by_name_in_the_order_given(self):
        readers = cepheid.query("PATTERN Pair p", name="readers")
        found = cepheid.workload([readers, PAIRS, cepheid.query("PATTERN A a")]).run(
            table_of("a1 b2"), **ROLES
        )
        assert list(found) == ["readers", "q2", "q3"]

    @pytest.mark.parametrize(
        "queries",
        [
            [cepheid.query("PATTERN A", name="a"), cepheid.query("PATTERN B", name="a")],
            ["PATTERN A", cepheid.query("PATTERN B", name="q1")],
        ],
    )
    def test_are_unique(self, queries):
        with pytest.raises(cepheid.ConfigError, match="2 queries of the workload are called"):
            cepheid.workload(queries)

    @pytest.mark.parametrize("queries", [[], "PATTERN A", cepheid.query("PATTERN A")])
    def test_a_list_is_needed(self, queries):
        with pytest.raises(cepheid.ConfigError, match="a list of queries"):
            cepheid.workload(queries)

    def test_a_name_that_is_the_default_one_is_a_name(self):
        assert list(cepheid.workload([cepheid.query("PATTERN A", name="query")]).queries) == [
            "query"
        ]

    def test_errors_name_the_query(self):
        with pytest.raises(cepheid.BindingError, match="q2:1:"):
            run([PAIRS, "PATTERN Pair p WHERE p.y = 1"], "a1 b2")

    def test_parameters_stay(self):
        query = cepheid.query("PATTERN A a WHERE a.x = :x RETURN a.x", parameters={"x": 2})
        assert run([query], "a1(x=1) a2(x=2)") == [{"a_x": 2}]


class TestTimeOfResults:
    """The reader shows it; where it lies between the events is asserted by a sequence."""

    @pytest.mark.parametrize(
        ("text", "times"),
        [
            ("PATTERN SEQ(A a, B b) RETURN a.x INTO T", [3]),
            ("PATTERN SEQ(A a, !C) WITHIN 10 RETURN a.x INTO T", [10]),
            ("PATTERN A a WITHIN 4 SLIDE 2 RETURN COUNT(*) AS n INTO T", [1, 3]),
            ("PATTERN SEQ(A, B) WITHIN 4 RETURN COUNT(*) AS n INTO T", [3]),
            ("PATTERN SEQ(A, B) WITHIN 4 EVENTS RETURN COUNT(*) AS n INTO T", [3]),
        ],
    )
    def test_integers(self, text, times):
        found = run([text, "PATTERN T t RETURN t.time AS at"], "a1 b3")
        assert sorted(row["at"] for row in found) == times

    @pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
    def test_a_tick_is_a_step_of_the_column(self, unit):
        table = pa.table({"time": pa.array([0], pa.timestamp(unit)), "type": ["A"]})
        query = "PATTERN A WITHIN 10 s SLIDE 10 s RETURN COUNT(*) AS n INTO T"
        found = cepheid.workload([query, "PATTERN T t RETURN t.time AS at"]).run(table, **ROLES)
        ticks = found["q2"]["at"].cast(pa.int64()).to_pylist()
        assert found["q2"].schema.field("at").type == pa.timestamp(unit)
        assert ticks == [{"s": 10, "ms": 10**4, "us": 10**7, "ns": 10**10}[unit] - 1]

    @pytest.mark.parametrize(
        "text",
        [
            "PATTERN A a WITHIN 2 d SLIDE 2 d RETURN COUNT(*) AS n INTO T",
            "PATTERN SEQ(A a, !C) WITHIN 2 d RETURN a.x AS n INTO T",
        ],
    )
    @pytest.mark.parametrize("kind", [pa.date32(), pa.date64()])
    def test_a_window_of_dates_ends_within_a_day(self, text, kind):
        days = [datetime.date(1970, 1, day) for day in (1, 2, 3)]
        table = pa.table({"time": pa.array(days, kind), "type": ["A", "B", "B"], "x": [1, 1, 1]})
        reader = "PATTERN SEQ(B b, T t, B c) RETURN b.time AS before, t.time AS at, c.time AS after"
        found = run([text, reader], table)
        tick = datetime.timedelta(seconds=1 if kind == pa.date32() else 0.001)
        assert [row["at"] for row in found] == [datetime.datetime(1970, 1, 3) - tick]
        assert [row["after"] for row in found] == [datetime.datetime(1970, 1, 3)]

    def test_return_does_not_hide_it(self):
        assert run([PAIRS, "PATTERN SEQ(Pair p, C c) RETURN p.start, c.time"], "a1 b2 c3") == [
            {"p_start": 1, "c_time": 3}
        ]
        assert run([PAIRS, "PATTERN SEQ(Pair p, C c)"], "a1 b2 c2") == []

    def test_it_must_fit_64_bits(self):
        table = pa.table({"time": [2**63 - 5], "type": ["A"]})
        query = "PATTERN SEQ(A a, !C) WITHIN 10 RETURN a.type AS of INTO T"
        assert cepheid.query(query).run(table, **ROLES).num_rows == 1
        with pytest.raises(cepheid.DataError, match="limit of 64 bits"):
            run([query, "PATTERN T t"], table)


class TestOrder:
    """Tie-break columns of results."""

    def table(self, *rows):
        return pa.Table.from_pylist(
            [{"type": kind, "time": time, "seq": seq} for kind, time, seq in rows]
        )

    def test_are_those_of_the_last_event(self):
        table = self.table(("A", 1, 9), ("B", 2, 5), ("C", 2, 4), ("C", 2, 5), ("C", 2, 6))
        pairs = "PATTERN SEQ(A a, B b) RETURN a.seq AS first INTO T"
        after = "PATTERN SEQ(T t, C c) RETURN t.seq, c.seq"
        assert run([pairs, after], table, order="seq") == [{"t_seq": 5, "c_seq": 6}]

    def test_come_last_where_there_is_no_such_event(self):
        table = self.table(("A", 1, 9), ("C", 3, 4), ("C", 4, 0))
        quiet = "PATTERN SEQ(A a, !B) WITHIN 3 RETURN a.seq AS first INTO T"
        found = run(
            [quiet, "PATTERN SEQ(C c, T t) RETURN c.seq, t.seq, t.time"], table, order="seq"
        )
        assert found == [{"c_seq": 4, "t_seq": None, "t_time": 3}]
        assert run([quiet, "PATTERN SEQ(T t, C c) RETURN c.time"], table, order="seq") == [
            {"c_time": 4}
        ]

    def test_can_be_given_by_return(self):
        table = self.table(("A", 1, 9), ("B", 2, 5), ("C", 2, 6))
        pairs = "PATTERN SEQ(A a, B b) RETURN a.seq AS seq INTO T"
        assert run([pairs, "PATTERN SEQ(T t, C c)"], table, order="seq") == []
        assert run([pairs, "PATTERN SEQ(C c, T t) RETURN t.seq"], table, order="seq") == [
            {"t_seq": 9}
        ]

    def test_events_must_still_have_them(self):
        table = self.table(("A", 1, 9), ("B", 2, None))
        windows = "PATTERN A WITHIN 2 SLIDE 2 RETURN COUNT(*) AS n INTO T"
        with pytest.raises(cepheid.DataError, match="order column 'seq' has a NULL in row 1"):
            run([windows, "PATTERN SEQ(T t, B b)"], table, order="seq")


class TestAttributes:
    def test_arrays_can_be_returned(self):
        starts = "PATTERN SEQ(A+ a, B b) RETURN a.x INTO T"
        found = run([starts, "PATTERN T+ t SEMANTICS contiguous RETURN t.a_x"], "a1(x=5) b2 b3")
        assert sorted(found, key=str) == [{"t_a_x": [[5], [5]]}, {"t_a_x": [[5]]}, {"t_a_x": [[5]]}]

    def test_arrays_cannot_be_compared_or_partitioned_by(self):
        starts = "PATTERN SEQ(A+ a, B b) RETURN a.x AS xs INTO T"
        with pytest.raises(cepheid.BindingError, match="cannot compare"):
            run([starts, "PATTERN T t WHERE t.xs = 5"], "a1(x=5) b2")
        with pytest.raises(cepheid.DataError, match="cannot be partitioned by 'xs'"):
            run([starts, "PATTERN T t WHERE [xs]"], "a1(x=5) b2")

    def test_a_comparison_of_what_a_type_lacks_holds(self):
        either = "PATTERN ANY(A, Pair) e WHERE e.start = 7 RETURN e.type, e.start"
        assert run([PAIRS, either], "a1 b2") == [{"e_type": "A", "e_start": None}]
        either = "PATTERN ANY(A, Pair) e WHERE e.y = 7 RETURN e.type"
        table = table_of("a1 b2").append_column("y", [[7, 8]])
        assert sorted(row["e_type"] for row in run([PAIRS, either], table)) == ["A", "Pair"]

    def test_default_columns_are_those_of_the_type(self):
        (row,) = run([PAIRS, "PATTERN SEQ(Pair p, C c)"], "a1 b2(x=4) c3(x=5)")
        assert list(row) == [
            *("p_type", "p_x", "p_time", "p_start"),
            *("c_type", "c_x", "c_time", "first_time", "last_time"),
        ]

    def test_declared_schemas_hold_for_the_other_types(self):
        schemas = {"A": ["x"], "B": ["x"], "C": []}
        reader = "PATTERN SEQ(Pair p, ANY(C, Pair) c) WHERE c.x = 9 RETURN c.type"
        assert run([PAIRS, reader], "a1 b2(x=4) c3(x=5)", schemas=schemas) == [{"c_type": "C"}]
        with pytest.raises(cepheid.BindingError, match="there is no event type 'Pear'"):
            run([PAIRS, "PATTERN SEQ(Pair p, Pear q)"], "a1 b2", schemas=schemas)


class TestSameType:
    def test_several_queries_may_give_one_type(self):
        texts = [
            "PATTERN A a RETURN a.x AS x, a.time AS from_a INTO T",
            "PATTERN B b RETURN b.x AS x INTO T",
            "PATTERN T t RETURN t.x, t.from_a",
        ]
        found = run(texts, "a1(x=1) b2(x=2)")
        assert sorted(found, key=str) == [
            {"t_x": 1, "t_from_a": 1},
            {"t_x": 2, "t_from_a": None},
        ]

    def test_their_columns_must_have_one_type(self):
        texts = ["PATTERN A a RETURN a.x AS y INTO T", "PATTERN B b RETURN b.type AS y INTO T"]
        with pytest.raises(
            cepheid.DataError,
            match="'y' is string in the T events of query q2, but int64 in those of query q1",
        ):
            run([*texts, "PATTERN T t"], "a1(x=1) b2(x=2)")

    def test_as_must_those_of_the_events(self):
        text = "PATTERN A a RETURN a.type AS x INTO T"
        with pytest.raises(cepheid.DataError, match=r"but int64 in the events\n.*rename"):
            run([text, "PATTERN T t"], "a1(x=1)")

    def test_events_may_be_of_the_type_already(self):
        stream = pa.table({"time": [1, 2], "type": ["A", "T"], "x": [5, 6]})
        found = run(["PATTERN A a RETURN a.x AS x INTO T", "PATTERN T t RETURN t.x"], stream)
        assert sorted(row["t_x"] for row in found) == [5, 6]


class TestReading:
    def test_only_what_the_pattern_names(self):
        """The results of another query break no contiguity and are not counted."""
        stream = "a1(x=1) b2 c3"
        contiguous = "PATTERN SEQ(A a, B b, C c) SEMANTICS contiguous RETURN a.x"
        inner = "PATTERN A a RETURN a.x INTO T"
        assert run([inner, contiguous], stream) == [{"a_x": 1}]
        three = "PATTERN SEQ(A a, C c) WITHIN 3 EVENTS RETURN a.x"
        assert run([inner, three], stream) == [{"a_x": 1}]
        four = "PATTERN SEQ(A a, (C c OR T t)) WITHIN 3 EVENTS RETURN c.time, t.time"
        assert run(["PATTERN B b RETURN b.x INTO T", four], stream) == [
            {"c_time": None, "t_time": 2}
        ]

    def test_results_of_results(self):
        texts = [
            "PATTERN SEQ(A a, B b) WITHIN 2 RETURN a.time AS at INTO One",
            "PATTERN SEQ(One o, One p) RETURN o.at AS first, p.at AS second INTO Two",
            "PATTERN Two+ t RETURN COUNT(*) AS n",
        ]
        assert run(texts, "a1 b2 a3 b4 a5 b6") == [{"n": 5.0}]

    def test_no_results(self):
        assert run([PAIRS, "PATTERN SEQ(Pair p, B b) WHERE [x]"], "a1(x=1) b9(x=1)") == []

    def test_results_of_types_that_nobody_reads(self):
        assert cepheid.query(PAIRS).run(table_of("a1 b2(x=3)"), **ROLES).to_pylist() == [
            {"start": 1, "x": 3}
        ]
        assert run(["PATTERN A RETURN COUNT(*) AS n INTO Total"], "a1") == [{"n": 1}]


class TestKindsOfTables:
    @pytest.mark.parametrize("kind", [TableKind.PANDAS, TableKind.POLARS, TableKind.ARROW])
    def test_results_are_of_the_same_kind(self, kind):
        table = table_of("a1(x=5) b2(x=6)")
        given = {
            TableKind.PANDAS: table.to_pandas,
            TableKind.POLARS: lambda: pl.from_arrow(table),
            TableKind.ARROW: lambda: table.to_batches()[0],
        }[kind]()
        texts = ["PATTERN A+ a RETURN min(a[].type) AS word INTO T", "PATTERN T t RETURN t.word"]
        found = cepheid.workload(texts).run(given, **ROLES)["q2"]
        kinds = {
            TableKind.PANDAS: pd.DataFrame,
            TableKind.POLARS: pl.DataFrame,
            TableKind.ARROW: pa.Table,
        }
        assert isinstance(found, kinds[kind])
        assert len(found) == 1

    def test_dictionaries(self):
        table = table_of("a1 b2 c3")
        types = table["type"].combine_chunks().dictionary_encode()
        names = pa.array(["u", "v", "w"]).dictionary_encode()
        table = table.set_column(0, "type", types).append_column("name", names)
        texts = [
            "PATTERN A a RETURN a.name AS name, a.time AS start INTO T",
            "PATTERN SEQ(T t, C c) RETURN t.name, t.type",
        ]
        assert run(texts, table) == [{"t_name": "u", "t_type": "T"}]
        texts[0] = "PATTERN A+ a RETURN min(a[].name) AS name INTO T"
        assert run(texts, table) == [{"t_name": "u", "t_type": "T"}]

    def test_a_table_per_type(self):
        tables = {
            "A": pa.table({"time": [1, 2], "x": [5, 6]}),
            "B": pa.table({"time": [3], "y": ["late"]}),
        }
        texts = [
            "PATTERN A a WHERE a.x > 5 RETURN a.x AS high INTO High",
            "PATTERN SEQ(High h, B b) RETURN h.high, b.y",
        ]
        found = cepheid.workload(texts).run(tables, time="time")
        assert found["q2"].to_pylist() == [{"h_high": 6, "b_y": "late"}]

    def test_no_type_column(self):
        table = table_of("a1 b2").drop_columns("type")
        texts = ["PATTERN A a INTO T", "PATTERN T t"]
        with pytest.raises(cepheid.DataError, match="cannot be told from those of type T"):
            cepheid.workload(texts).run(table, time="time")
        found = cepheid.workload(texts).run({"A": table}, time="time")
        assert [each.num_rows for each in found.values()] == [2, 2]
        apart = cepheid.workload(["PATTERN A a INTO T", "PATTERN A a"])
        assert apart.run(table, time="time")["q2"].num_rows == 2

    def test_a_narrow_time_column(self):
        table = pa.table({"time": pa.array([1, 9], pa.int32()), "type": ["A", "B"]})
        windows = "PATTERN A WITHIN 2 SLIDE 2 RETURN COUNT(*) AS n INTO T"
        assert run([windows, "PATTERN SEQ(T t, B b) RETURN t.time"], table) == [{"t_time": 1}]


class TestExplain:
    TEXTS = (PAIRS, "PATTERN SEQ(Pair p, C c) RETURN p.x, c.x INTO Late")

    def test_text(self):
        lines = cepheid.workload(self.TEXTS).explain().splitlines()
        assert lines[:4] == [
            "Workload",
            "  q1  reads A, B           INTO Pair",
            "  q2  reads Pair of q1, C  INTO Late",
            "",
        ]
        assert "Query q1" in lines
        assert "Query q2" in lines
        assert lines.count("Plan") == 2

    def test_json(self):
        import json

        content = json.loads(cepheid.workload(self.TEXTS[::-1]).explain(format="json"))
        assert content["order"] == ["q2", "q1"]
        first, second = content["queries"]
        assert (first["name"], first["into"], first["reads"]) == ("q1", "Late", {"Pair": ["q2"]})
        assert (second["name"], second["reads"]) == ("q2", {})
        assert second["choices"]

    def test_other_formats(self):
        with pytest.raises(cepheid.ConfigError, match="no format 'pdf' of EXPLAIN for several"):
            cepheid.workload(self.TEXTS).explain(format="pdf")


class TestFiles:
    """The path of a file is read: the columns that queries need."""

    TABLE = pa.table({"ts": [1, 2, 3, 4], "kind": ["A", "B", "A", "B"], "x": [5, 6, 7, 8]})

    @pytest.mark.parametrize(
        "texts",
        [
            ["PATTERN SEQ(A, B) RETURN COUNT(*)", "PATTERN SEQ(A a, B) RETURN SUM(a.x)"],
            ["PATTERN SEQ(A, B) RETURN COUNT(*)", "PATTERN SEQ(A a, B b) RETURN a.kind, b.x"],
            ["PATTERN SEQ(A a, B) RETURN a.x INTO Pair", "PATTERN Pair p RETURN p.a_x"],
            ["PATTERN A RETURN kind, COUNT(*) GROUP BY kind", "PATTERN B RETURN COUNT(*)"],
        ],
    )
    @pytest.mark.parametrize("name", ["events.parquet", "events.csv"])
    def test_same_as_the_table(self, texts, name, tmp_path):
        path = tmp_path / name
        write = pq.write_table if name.endswith("parquet") else csv.write_csv
        write(self.TABLE, path)
        wanted = cepheid.workload(texts).run(self.TABLE, time="ts", type="kind")
        found = cepheid.workload(texts).run(path, time="ts", type="kind")
        analyzed = cepheid.workload(texts).analyze(str(path), time="ts", type="kind").results
        for query, table in wanted.items():
            assert found[query].equals(table)
            assert analyzed[query].equals(table)
