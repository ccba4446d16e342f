"""Event types that no event has are told of, with the names that look like them."""

import logging
from itertools import product

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.events.warn_of_events import FIRST_ROWS
from tests.engine.streams import table_of

ROLES = {"time": "time", "type": "type"}
TABLE = pa.table({"time": [1, 2, 3], "type": ["Fail", "Login", "Fail"]})


def said(caplog: pytest.LogCaptureFixture, text: str, events: object = TABLE) -> list[str]:
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="cepheid"):
        cepheid.query(text).run(events, **ROLES)
    return [each.getMessage() for each in caplog.records]


class TestOneQuery:
    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("Fial", "did you mean 'Fail'? the events have: Fail, Login"),
            ("login", "did you mean 'Login'? the events have: Fail, Login"),
            ("Purchase", "the events have: Fail, Login"),
        ],
        ids=["misspelt", "other-case", "unlike-any"],
    )
    @pytest.mark.parametrize(
        "pattern",
        ["SEQ({} f, Login l)", "ANY(Login, {}) a", "SEQ(Login l, {}? f)", "{} f AND Login l"],
    )
    def test_it_is_named_with_the_nearest(self, caplog, pattern, name, hint):
        expected = [f"no event is of type '{name}' ({hint})"]
        assert said(caplog, f"PATTERN {pattern.format(name)}") == expected

    def test_nothing_is_said_if_all_occur(self, caplog):
        assert said(caplog, "PATTERN SEQ(Fail f, !(Fail n), Login l)") == []

    def test_a_negated_type_is_only_told_of_if_it_looks_misspelt(self, caplog):
        assert said(caplog, "PATTERN SEQ(Fail f, !(Cancel c), Login l)") == []
        assert said(caplog, "PATTERN SEQ(Fail f, !(Logon c), Login l)") == [
            "no event is of type 'Logon', so that its negation excludes nothing (did you mean "
            "'Login'? the events have: Fail, Login)"
        ]

    def test_without_events_nothing_is_a_surprise(self, caplog):
        assert said(caplog, "PATTERN Fial f", TABLE.slice(0, 0)) == []

    def test_the_query_is_named(self, caplog):
        with caplog.at_level(logging.WARNING, logger="cepheid"):
            cepheid.query("PATTERN Fial f", name="logins").run(TABLE, **ROLES)
        assert caplog.messages[0].startswith("query 'logins': no event is of type 'Fial'")

    def test_many_types_are_not_all_listed(self, caplog):
        many = pa.table({"time": range(20), "type": [f"T{number:02}" for number in range(20)]})
        (message,) = said(caplog, "PATTERN Zebra z", many)
        assert message.endswith("T10, T11 and 8 more)")

    @pytest.mark.parametrize(
        "kind", [pa.dictionary(pa.int8(), pa.string()), pa.large_string(), pa.string_view()]
    )
    def test_columns_of_any_kind_in_chunks(self, caplog, kind):
        column = pa.chunked_array([pa.array(["Fail", None]), pa.array(["Login"])]).cast(kind)
        events = pa.table({"time": [1, 2, 3], "type": column})
        assert said(caplog, "PATTERN SEQ(Fail f, Login l)", events) == []
        assert len(said(caplog, "PATTERN SEQ(Fail f, Logon l)", events)) == 1

    def test_words_of_a_dictionary_that_no_event_has(self, caplog):
        kinds = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["A", "B"]))
        events = pa.table({"time": [1, 2], "type": kinds})
        assert said(caplog, "PATTERN SEQ(A a, B b)", events) == [
            "no event is of type 'B' (the events have: A)"
        ]

    def test_a_type_that_comes_late(self, caplog):
        kinds = ["A"] * FIRST_ROWS + ["B"]
        events = pa.table({"time": range(len(kinds)), "type": kinds})
        assert said(caplog, "PATTERN SEQ(B b, B c)", events) == []
        assert len(said(caplog, "PATTERN SEQ(B b, C c)", events)) == 1

    @pytest.mark.parametrize("rows", [3, 2**17], ids=["small", "read-side-by-side"])
    def test_files(self, caplog, tmp_path, rows):
        import pyarrow.parquet as pq

        path = str(tmp_path / "events.parquet")
        pq.write_table(pa.table({"time": range(rows), "type": ["A"] * rows}), path)
        assert said(caplog, "PATTERN SEQ(A a, B b)", path) == [
            "no event is of type 'B' (the events have: A)"
        ]


def test_every_query_of_a_workload_and_no_type_of_results(caplog):
    texts = {
        "logins": "PATTERN SEQ(Fail f, Logn l) INTO Break",
        "breaks": "PATTERN SEQ(Break a, Break b, Alarm c)",
        "counts": "PATTERN SEQ(Fail f, Login l) RETURN COUNT(*) AS n",
        "others": "PATTERN SEQ(Fail f, Logn l) RETURN COUNT(*) AS n",
    }
    with caplog.at_level(logging.WARNING, logger="cepheid"):
        cepheid.workload(texts).run(TABLE, **ROLES)
    named = sorted(each.split("(")[0] for each in caplog.messages)
    assert named == [
        "query 'breaks': no event is of type 'Alarm' ",
        "query 'logins': no event is of type 'Logn' ",
        "query 'others': no event is of type 'Logn' ",
    ]


def test_a_mapping_of_tables_has_a_key_for_every_type():
    tables = {"Fail": TABLE.select(["time"]), "Login": TABLE.select(["time"])}
    with pytest.raises(cepheid.BindingError, match="there is no event type 'Fial'"):
        cepheid.query("PATTERN SEQ(Fial f, Login l)").run(tables, time="time")


class TestEventsOfNoPartition:
    """Those are counted that could have been part of something, and no others."""

    EVENTS = " ".join(
        f"{kind}@{time}({key}x={x})"
        for time, (kind, key, x) in enumerate(
            product(("a", "b", "n", "other"), ("k=1, ", "k=2, ", "k=null, "), (1, 5, 9))
        )
    )
    # Three of each type have NULL in k, of which one has x < 5.
    QUERIES = (
        ("SEQ(A a, B b) WHERE [k]", 6),
        ("SEQ(A a, B b) WHERE [k] AND a.x < 5", 4),
        ("SEQ(A a, !(N n), B b) WHERE [k]", 9),
        ("SEQ(A a, B b) WHERE [k] AND strict_contiguity", 6),
        ("SEQ(A a, B b) SEMANTICS contiguous WHERE [k] AND b.x < 5", 4),
        ("SEQ(A a, B b) WHERE [k] WITHIN 4 EVENTS", 6),
        ("A a AND B b WHERE [k] WITHIN 9", 6),
        ("SEQ(A a, B b) WHERE [k] OUTPUT COMPRESSED", 6),
        ("SEQ(A a, B+ b) WHERE [k] WITHIN 9 SLIDE 3 RETURN COUNT(*) AS n", 6),
        ("A a WHERE [k] AND a.x < 5 WITHIN 9 SLIDE 3 RETURN COUNT(*) AS n", 1),
    )

    @staticmethod
    def message(count: int) -> str:
        have, belong = ("event has", "belongs") if count == 1 else ("events have", "belong")
        return f"{count} {have} NULL in k and {belong} to no partition"

    @pytest.mark.parametrize(("text", "count"), QUERIES)
    def test_one_query(self, caplog, text, count):
        assert said(caplog, f"PATTERN {text}", table_of(self.EVENTS)) == [self.message(count)]

    def test_queries_that_share_the_order_of_events(self, caplog):
        texts = {str(place): f"PATTERN {text}" for place, (text, _) in enumerate(self.QUERIES)}
        with caplog.at_level(logging.WARNING, logger="cepheid"):
            cepheid.workload(texts).run(table_of(self.EVENTS), **ROLES)
        assert set(caplog.messages) <= {self.message(count) for _, count in self.QUERIES}
        assert self.message(9) in caplog.messages

    def test_none_of_the_types_of_the_query(self, caplog):
        assert said(caplog, "PATTERN SEQ(A a, B b) WHERE [k]", table_of("a1(k=1) b2(k=1) c3")) == []
