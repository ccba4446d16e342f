"""Levels, conversions and refusals of funnels, by example."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cepheid
from cepheid.errors import BindingError, ConfigError, QuerySyntaxError

ROLES = {"time": "ts", "type": "kind"}
VISITS = pa.table(
    {
        "ts": [1, 2, 3, 4, 6, 7, 9, 10],
        "kind": ["Visit", "Visit", "View", "View", "Buy", "Visit", "Buy", "View"],
        "user": ["ann", "bob", "ann", "bob", "ann", "cy", "dan", "cy"],
        "page": [None, None, "cart", "home", None, None, None, "cart"],
    }
)
STEPS = {"visit": "Visit", "cart": "View WHERE page = 'cart'", "buy": "Buy"}


def one_key(kinds: str) -> pa.Table:
    return pa.table({"ts": range(len(kinds)), "kind": list(kinds), "user": ["ann"] * len(kinds)})


def level(kinds: str, steps: str, mode: str = "ordered", within: int | None = None) -> int:
    table = one_key(kinds)
    found = cepheid.funnel(table, list(steps), by="user", mode=mode, within=within, **ROLES)
    return max([0, *found.levels["level"].to_pylist()])


def test_levels_and_conversion() -> None:
    found = cepheid.funnel(VISITS, STEPS, by="user", within=10, **ROLES)
    assert found.levels.to_pylist() == [
        {"user": "ann", "level": 3, "time_1": 1, "time_2": 3, "time_3": 6},
        {"user": "bob", "level": 1, "time_1": 2, "time_2": None, "time_3": None},
        {"user": "cy", "level": 2, "time_1": 7, "time_2": 10, "time_3": None},
    ]
    assert found.conversion.to_pylist() == [
        {"step": 1, "name": "visit", "keys": 3, "of_first": 1.0, "of_previous": None, "dropped": 1,
         "median_seconds": None},
        {"step": 2, "name": "cart", "keys": 2, "of_first": 2 / 3, "of_previous": 2 / 3,
         "dropped": 1, "median_seconds": 2.5},
        {"step": 3, "name": "buy", "keys": 1, "of_first": 1 / 3, "of_previous": 0.5,
         "dropped": None, "median_seconds": 3.0},
    ]  # fmt: skip
    assert repr(found) == "Funnel(visit > cart > buy; by user)"
    assert str(found).splitlines()[2] == (
        "2     cart      2    66.7 %       66.7 %        1        2.5 s"
    )


@pytest.mark.parametrize(
    ("kinds", "steps", "ordered", "no_repeats", "contiguous"),
    [
        ("ABC", "ABC", 3, 3, 3),
        ("ABDC", "ABC", 3, 3, 2),
        ("ABCBD", "ABCD", 4, 3, 3),
        ("AABC", "ABC", 3, 3, 3),
        ("ABAC", "ABC", 3, 2, 2),
        ("ABACABC", "ABC", 3, 3, 3),
        ("BC", "ABC", 0, 0, 0),
        ("A", "AA", 1, 1, 1),
        ("AA", "AA", 2, 2, 2),
    ],
)
def test_modes(kinds: str, steps: str, ordered: int, no_repeats: int, contiguous: int) -> None:
    modes = {"ordered": ordered, "no-repeats": no_repeats, "contiguous": contiguous}
    assert {mode: level(kinds, steps, mode) for mode in modes} == modes


def test_the_window_ends_before_its_length() -> None:
    assert [level("AXXB", "AB", within=each) for each in (3, 4)] == [1, 2]


def test_the_run_that_gets_there_first_and_began_first() -> None:
    found = cepheid.funnel(one_key("ABABCABC"), list("ABC"), by="user", **ROLES)
    assert found.levels.select(["time_1", "time_2", "time_3"]).to_pylist() == [
        {"time_1": 0, "time_2": 1, "time_3": 4}
    ]


def test_kinds_of_tables(tmp_path: Path) -> None:
    wanted = cepheid.funnel(VISITS, STEPS, by="user", within=10, **ROLES)
    file = tmp_path / "visits.parquet"
    pq.write_table(VISITS, file)
    for given, kind in (
        (VISITS.to_pandas(), pd.DataFrame),
        (pl.from_arrow(VISITS), pl.DataFrame),
        (file, pa.Table),
    ):
        found = cepheid.funnel(given, STEPS, by="user", within=10, **ROLES)
        assert isinstance(found.levels, kind)
        assert found.conversion.equals(wanted.conversion)


@pytest.mark.parametrize(
    ("moments", "within", "seconds"),
    [
        ([datetime(2024, 1, 1), datetime(2024, 1, 1, 6)], "1 day", 6 * 3600.0),
        ([date(2024, 1, 1), date(2024, 1, 3)], "3 days", 2 * 86400.0),
    ],
)
def test_medians_are_seconds(moments: list[date], within: str, seconds: float) -> None:
    table = pa.table({"ts": moments, "kind": ["A", "B"], "user": [1, 1]})
    found = cepheid.funnel(table, ["A", "B"], by="user", within=within, **ROLES)
    assert found.conversion["median_seconds"].to_pylist() == [None, seconds]


def test_an_integer_time_has_its_unit() -> None:
    table = pa.table({"ts": [0, 90], "kind": ["A", "B"], "user": [1, 1]})
    found = cepheid.funnel(table, ["A", "B"], by="user", time_unit="min", **ROLES)
    assert found.conversion["median_seconds"].to_pylist() == [None, 5400.0]


def test_keys_of_several_columns_and_dictionaries() -> None:
    plain = VISITS.append_column("site", pa.array([1, 1, 1, 1, 2, 1, 1, 1]))
    table = plain.set_column(2, "user", plain["user"].dictionary_encode())
    found = cepheid.funnel(table, STEPS, by=["user", "site"], within=10, **ROLES)
    levels = {(row["user"], row["site"]): row["level"] for row in found.levels.to_pylist()}
    assert levels == {("ann", 1): 2, ("bob", 1): 1, ("cy", 1): 2}


def test_a_time_column_beside_one_that_is_called_time() -> None:
    table = one_key("AB").append_column("time", pa.array(["noon", "night"]))
    found = cepheid.funnel(table, ["A", "B"], by="user", **ROLES)
    assert found.levels["time_2"].to_pylist() == [1]


def test_events_of_one_type() -> None:
    table = pa.table({"ts": [1, 2, 3], "page": ["home", "cart", "paid"], "user": [1, 1, 2]})
    steps = {each: f"View WHERE page = '{each}'" for each in ("home", "cart", "paid")}
    found = cepheid.funnel(table, steps, by="user", time="ts")
    assert found.conversion["keys"].to_pylist() == [1, 1, 0]
    assert found.conversion["median_seconds"].to_pylist() == [None, 1.0, None]


def test_no_events() -> None:
    found = cepheid.funnel(VISITS.slice(0, 0), STEPS, by="user", **ROLES)
    assert found.levels.num_rows == 0
    assert found.conversion["keys"].to_pylist() == [0, 0, 0]
    assert found.conversion["of_first"].to_pylist() == [None, None, None]
    assert "visit" in found.plot().svg()


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"steps": "Visit"}, ConfigError, "give a list"),
        ({"steps": []}, ConfigError, "no steps"),
        ({"steps": [3]}, ConfigError, "a step of the funnel is 3"),
        ({"steps": ["SEQ(A, B)"]}, ConfigError, "more than one event"),
        ({"steps": ["A WITHIN 3"]}, ConfigError, "more than one event"),
        ({"steps": ["A WHERE"]}, QuerySyntaxError, r"step 'A WHERE':1:11"),
        ({"steps": ["Visit WHERE pge = 1"]}, BindingError, "did you mean 'page'"),
        ({"by": "usr"}, BindingError, "did you mean 'user'"),
        ({"by": []}, ConfigError, "give a column"),
        ({"by": "level"}, ConfigError, "name of a column of the result"),
        ({"mode": "strict"}, ConfigError, "contiguous, no-repeats, ordered"),
        ({"within": "1 fortnight"}, BindingError, "fortnight"),
        ({"limit": 3}, ConfigError, "funnel has no option 'limit'"),
    ],
)
def test_mistakes_are_told(changed: dict[str, object], error: type, words: str) -> None:
    asked = {"steps": STEPS, "by": "user", "within": 10, **ROLES} | changed
    with pytest.raises(error, match=words):
        cepheid.funnel(VISITS, asked.pop("steps"), **asked)


def test_the_queries_can_be_looked_at() -> None:
    queries = cepheid.funnel_queries(STEPS, by="user", within="1 day", mode="no-repeats", time="ts")
    assert queries.queries["level_2"].text.splitlines() == [
        "PATTERN SEQ(Visit step1, !Visit again1_before2, View step2)",
        "WHERE [user] AND step2.page = 'cart'",
        "WITHIN 1 day",
        "RETURN step1.user AS user, step1.ts AS time_1, step2.ts AS time_2",
        "OUTPUT NON OVERLAPPING",
    ]


def test_a_picture_has_a_bar_for_each_step() -> None:
    found = cepheid.funnel(VISITS, STEPS, by="user", within="10 seconds", **ROLES)
    svg = found.plot(title="Orders").svg()
    assert svg.count('class="column k0"') == 3
    for words in ("1. visit", "2 (66.7 %)", "50.0 % of the step before (1 dropped), after 3 s",
                  "by user within 10 seconds, ordered"):  # fmt: skip
        assert words in svg
    assert "<figure" in found._repr_html_()
    page = found.plot().html()
    assert "of_previous" in page
    assert "Automaton" in page


def test_long_runs_take_days() -> None:
    table = pa.table(
        {"ts": [datetime(2024, 1, 1), datetime(2024, 1, 1) + timedelta(days=3)],
         "kind": ["A", "B"], "user": [1, 1]}
    )  # fmt: skip
    assert str(cepheid.funnel(table, ["A", "B"], by="user", **ROLES)).endswith("3 d")


def test_a_type_of_several_words_is_in_backticks() -> None:
    log = pa.table({"ts": [1, 2], "kind": ["Create Order", "Ship Goods"], "user": ["ann"] * 2})
    found = cepheid.funnel(log, ["`Create Order`", "`Ship Goods`"], by="user", **ROLES)
    assert found.conversion["name"].to_pylist() == ["Create Order", "Ship Goods"]
    assert found.conversion["keys"].to_pylist() == [1, 1]
    with pytest.raises(ConfigError, match="needs backticks: `Create Order`"):
        cepheid.funnel(log, ["Create Order", "`Ship Goods`"], by="user", **ROLES)


def test_a_step_may_name_its_event() -> None:
    found = cepheid.funnel(VISITS, ["View v WHERE v.page = 'cart'"], by="user", **ROLES)
    assert found.levels["user"].to_pylist() == ["ann", "cy"]


def test_a_timedelta_and_parameters() -> None:
    steps = ["Visit WHERE x < :most", "Buy WHERE user IN :users"]
    values: dict[str, Any] = {"most": Decimal("4.50"), "users": ["ann", "cy"]}
    length = timedelta(minutes=10)
    queries = cepheid.funnel_queries(steps, by="user", within=length, parameters=values)
    assert queries.queries["level_2"].text.splitlines()[1:3] == [
        "WHERE [user] AND step1.x < DECIMAL '4.50' AND step2.user IN ('ann', 'cy')",
        "WITHIN 600 seconds",
    ]
    table = pa.table({"time": [1, 2, 3], "kind": ["Visit", "Buy", "Visit"], "user": ["ann"] * 3,
                      "x": [1, 2, 5]})  # fmt: skip
    found = cepheid.funnel(
        table,
        steps,
        by="user",
        within=timedelta(seconds=10),
        time="time",
        type="kind",
        parameters=values,
    )
    assert found.conversion.column("keys").to_pylist() == [1, 1]
    with pytest.raises(ConfigError, match="no step of the funnel has a parameter ':z'"):
        cepheid.funnel_queries(["Visit"], by="user", parameters={"z": 1})
    with pytest.raises(BindingError, match="parameter ':most' has no value"):
        cepheid.funnel_queries(steps, by="user", parameters={"users": ["ann"]})
