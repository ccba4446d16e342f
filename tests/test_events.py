"""Events with roles: every kind of table runs as with keywords, and mistakes are told at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import cepheid

TABLE = pa.table(
    {
        "ts": [1, 2, 2, 3],
        "seq": [1, 2, 1, 1],
        "kind": ["A", "A", "B", "B"],
        "v": [1.5, 2.5, 3.5, 4.5],
    }
)
ROLES = {"time": "ts", "type": "kind", "order": "seq"}
BY_TYPE = {"A": TABLE.slice(0, 2).drop(["kind"]), "B": TABLE.slice(2).drop(["kind"])}
QUERY = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.v < b.v RETURN a.ts AS x, b.ts AS y", name="q")
EXPECTED = [(1, 2), (1, 3), (2, 3)]


def stored_parquet(folder: Path) -> Path:
    pq.write_table(TABLE, folder / "events.parquet")
    return folder / "events.parquet"


def stored_csv(folder: Path) -> str:
    csv.write_csv(TABLE, folder / "events.csv")
    return str(folder / "events.csv")


def several_files(folder: Path) -> Path:
    for number in range(2):
        pq.write_table(TABLE.slice(2 * number, 2), folder / f"{number}.parquet")
    return folder


KINDS: dict[str, tuple[Callable[[Path], Any], type]] = {
    "arrow": (lambda _: TABLE, pa.Table),
    "batch": (lambda _: TABLE.combine_chunks().to_batches()[0], pa.Table),
    "pandas": (lambda _: TABLE.to_pandas(), pd.DataFrame),
    "polars": (lambda _: pl.from_arrow(TABLE), pl.DataFrame),
    "arrow by type": (lambda _: BY_TYPE, pa.Table),
    "pandas by type": (lambda _: {k: v.to_pandas() for k, v in BY_TYPE.items()}, pd.DataFrame),
    "polars by type": (lambda _: {k: pl.from_arrow(v) for k, v in BY_TYPE.items()}, pl.DataFrame),
    "parquet": (stored_parquet, pa.Table),
    "csv": (stored_csv, pa.Table),
    "several files": (several_files, pa.Table),
}


@pytest.fixture(params=KINDS)
def given(request, tmp_path) -> tuple[cepheid.Events[Any], type]:
    make, kind = KINDS[request.param]
    roles = {k: v for k, v in ROLES.items() if k != "type" or "by type" not in request.param}
    return cepheid.events(make(tmp_path), **roles), kind


def pairs(result: Any) -> list[tuple[int, int]]:
    return sorted(zip(map(int, list_of(result["x"])), map(int, list_of(result["y"])), strict=True))


def list_of(column: Any) -> list[Any]:
    return column.to_pylist() if isinstance(column, pa.ChunkedArray) else list(column)


class TestEveryKind:
    def test_of_a_query(self, given):
        events, kind = given
        found = QUERY.run(events)
        assert isinstance(found, kind)
        assert pairs(found) == EXPECTED
        assert pairs(QUERY.run(events)) == EXPECTED  # as often as one likes

    def test_of_a_workload(self, given):
        events, kind = given
        found = cepheid.workload([QUERY, "PATTERN A a RETURN COUNT(*) AS n"]).run(events)
        assert isinstance(found["q"], kind)
        assert pairs(found["q"]) == EXPECTED
        assert list_of(found["q2"]["n"]) == [2]

    def test_of_an_analysis(self, given):
        events, kind = given
        found = cepheid.workload([QUERY]).analyze(events)
        assert isinstance(found.results["q"], kind)
        assert pairs(found.results["q"]) == EXPECTED

    def test_in_batches(self, given):
        assert pairs(QUERY.batches(given[0]).read_all()) == EXPECTED

    def test_explained(self, given):
        unknown = cepheid.query("PATTERN A a WHERE a.w > 1", name="q")
        assert "SEQ(A a, B b)" in QUERY.explain(given[0])
        assert "SEQ(A a, B b)" in cepheid.workload([QUERY]).explain(given[0])
        assert "a.w > 1" in unknown.explain()  # without events every name is accepted
        for explain in (unknown.explain, cepheid.workload([unknown]).explain):
            with pytest.raises(cepheid.BindingError, match="has no attribute 'w'"):
                explain(given[0])

    def test_say_what_they_are(self, given):
        shown = repr(given[0])
        assert all(each in shown for each in ("ts", "seq", "v", "time='ts'", "order='seq'"))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("arrow", "Events(pyarrow table of ts, seq, kind, v; time='ts', type='kind', order='seq')"),
        ("pandas by type", "Events(a pandas DataFrame for each of A, B of ts, seq, v; time='ts', "),
    ],
)
def test_repr(kind, expected, tmp_path):
    roles = ROLES if kind == "arrow" else {"time": "ts", "order": "seq"}
    assert repr(cepheid.events(KINDS[kind][0](tmp_path), **roles)).startswith(expected)


def test_repr_of_a_path_and_of_many_columns(tmp_path):
    path = stored_csv(tmp_path)
    assert repr(cepheid.events(path, time="ts", time_unit="ms")) == (
        f"Events(stored table {path!r} of ts, seq, kind, v; time='ts', time_unit='ms')"
    )
    wide = pa.table({"ts": [1]} | {f"c{number}": [1] for number in range(100)})
    assert "c10 and 89 more; time='ts'" in repr(cepheid.events(wide, time="ts"))


def test_explain_knows_the_types_of_columns():
    events = cepheid.events(TABLE, time="ts", type="kind")
    with pytest.raises(cepheid.BindingError, match="compare"):
        cepheid.query("PATTERN A a WHERE a.v = 'x'").explain(events)


def test_a_run_sees_the_table_as_it_is_then():
    frame = TABLE.to_pandas()
    events = cepheid.events(frame, time="ts", type="kind")
    query = cepheid.query("PATTERN A a WHERE a.v > 5 RETURN a.v")
    assert len(query.run(events)) == 0
    frame.loc[0, "v"] = 6.0
    assert len(query.run(events)) == 1


def test_files_of_different_columns(tmp_path):
    """A column need not be in the first file, for roles, EXPLAIN and runs alike."""
    pq.write_table(pa.table({"ts": [1]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"ts": [2], "kind": ["A"], "v": [1.5]}), tmp_path / "1.parquet")
    events = cepheid.events(tmp_path, time="ts", type="kind")
    query = cepheid.query("PATTERN A a WHERE a.v > 1 RETURN a.v")
    assert "a.v > 1" in query.explain(events)
    assert query.run(events).to_pylist() == [{"a_v": 1.5}]
    pq.write_table(pa.table({"ts": ["x"]}), tmp_path / "2.parquet")
    with pytest.raises(cepheid.DataError, match="the files do not fit together"):
        cepheid.events(tmp_path, time="ts", type="kind")


class TestMistakesAreToldEarly:
    @pytest.mark.parametrize(
        ("kind", "role", "wrong", "near"),
        [
            (kind, *each)
            for kind in KINDS
            for each in (("time", "tss", "ts"), ("order", "seqq", "seq"), ("type", "kin", "kind"))
            if each[0] != "type" or "by type" not in kind
        ],
    )
    def test_unknown_columns(self, kind, role, wrong, near, tmp_path):
        with pytest.raises(cepheid.DataError, match=rf"have no column '\w+' \({role}\)") as caught:
            cepheid.events(KINDS[kind][0](tmp_path), **({"time": "ts"} | {role: wrong}))
        assert f"did you mean '{near}'?" in str(caught.value)

    @pytest.mark.parametrize("kind", ["arrow", "batch", "pandas", "polars", "parquet", "csv"])
    def test_columns_of_the_wrong_type(self, kind, tmp_path):
        table = KINDS[kind][0](tmp_path)
        with pytest.raises(cepheid.DataError, match=r"'kind' holds .*, which is not a time"):
            cepheid.events(table, time="kind")
        with pytest.raises(cepheid.DataError, match="'v' holds double, but event types are names"):
            cepheid.events(table, time="ts", type="v")

    def test_a_unit_that_is_none(self):
        with pytest.raises(cepheid.ConfigError, match="time_unit='fortnights'"):
            cepheid.events(TABLE, time="ts", time_unit="fortnights")

    def test_tables_of_no_known_kind(self):
        with pytest.raises(cepheid.DataError, match=r"cannot run on a builtins\.list"):
            cepheid.events([1, 2], time="ts")
        with pytest.raises(cepheid.DataError, match="the mapping from type to table is empty"):
            cepheid.events({}, time="ts")
        with pytest.raises(cepheid.DataError, match="are a pandas DataFrame, the others a pyarrow"):
            cepheid.events({"A": BY_TYPE["A"], "B": BY_TYPE["B"].to_pandas()}, time="ts")

    def test_files_that_are_not_there(self, tmp_path):
        with pytest.raises(cepheid.ConfigError):
            cepheid.events(tmp_path / "none.csv", time="ts")

    def test_roles_that_are_no_names(self):
        with pytest.raises(cepheid.ConfigError, match="time is 5"):
            cepheid.events(TABLE, time=5)
        with pytest.raises(cepheid.ConfigError, match="order is None"):
            QUERY.run(TABLE, time="ts", order=["seq", None])

    def test_roles_that_there_are_not(self):
        with pytest.raises(cepheid.ConfigError, match=r"(?s)no role 'tme'.*did you mean 'time'"):
            cepheid.events(TABLE, tme="ts")
        with pytest.raises(cepheid.ConfigError, match="which column of the events has the time"):
            cepheid.events(TABLE)
        with pytest.raises(cepheid.ConfigError, match="which column of the events has the time"):
            QUERY.run(TABLE)

    def test_roles_given_twice(self):
        events = cepheid.events(TABLE, **ROLES)
        together = cepheid.workload([QUERY])
        for run in (QUERY.run, QUERY.batches, together.run, together.analyze):
            with pytest.raises(cepheid.ConfigError, match="the events have their roles already"):
                run(events, time="ts")

    def test_explain_without_roles(self):
        with pytest.raises(cepheid.ConfigError, match=r"(?s)no roles.*cepheid.events\(table"):
            QUERY.explain(TABLE)
        events = cepheid.events(TABLE, **ROLES)
        with pytest.raises(cepheid.ConfigError, match="events and a schema"):
            QUERY.explain(events, schema=events.schema)


def test_columns_of_pandas_may_have_any_label():
    frame = pd.DataFrame({0: [1, 2], "isStreaming": ["A", "B"]})
    events = cepheid.events(frame, time="0", type="isStreaming")
    assert len(cepheid.query("PATTERN SEQ(A a, B b)").run(events)) == 1
