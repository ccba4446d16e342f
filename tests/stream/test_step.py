"""When a step reports what, what is late, and what is wrong."""

from dataclasses import replace

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.matches.forms.compressed import GRAPHS
from cepheid.stream.admit_events import fits_a_position
from cepheid.stream.guards import Guards
from cepheid.stream.kept_events import AT_ONCE, MOST_CHUNKS
from cepheid.stream.stream_state import ChunkKind, StreamState
from tests.stream.script import SCHEMA, Script, program_of, result_of, step_alone, table_of

PAIRS = "SEQ(A a, B b) WITHIN 10 RETURN b.time"


def test_a_match_is_reported_when_its_last_event_is_below_the_watermark() -> None:
    script = Script(program_of(PAIRS))
    assert script.feed("b5 a1") == []
    assert script.feed("a3", 5) == []  # an event at the watermark is not settled
    assert script.feed(None, 6) == [5, 5]
    assert script.feed(None, 7) == []
    assert script.feed("b8", 7) == []
    assert script.feed(None, 100) == [8, 8]


def test_the_watermark_never_goes_back() -> None:
    script = Script(program_of(PAIRS))
    script.feed("a1", 5)
    assert script.feed("a6 b7", 3) == []
    assert script.state.horizon == 5
    assert script.feed(None, None) == []
    assert script.state.horizon == 5


def test_nothing_arrives() -> None:
    script = Script(program_of(PAIRS))
    assert script.feed(None, 5) == []
    assert (script.state.horizon, script.next_timer) == (5, None)
    assert script.feed("a1", None) == []
    assert script.late == [1]


def test_nothing_is_settled_before_the_first_watermark() -> None:
    script = Script(program_of(PAIRS))
    assert script.feed("a1 b2") == []
    assert script.state.horizon is None
    assert script.next_timer == 1


def test_an_end_negation_waits_for_its_window() -> None:
    script = Script(program_of("SEQ(A a, B b, !C) WITHIN 10 RETURN a.time"))
    assert script.feed("a1 b2 a4 b5", 10) == []
    assert script.next_timer == 10  # all before 11 must be known
    assert script.feed(None, 11) == [1, 1]
    assert script.next_timer == 13
    assert script.feed("c13", 12) == []
    assert script.feed(None, 20) == []


def test_partial_matches_when_their_window_closes() -> None:
    script = Script(program_of("SEQ(A a, B b) WITHIN 10 RETURN a.time OUTPUT PARTIAL"))
    assert script.feed("a1 a3", 11) == [1]
    assert script.next_timer == 12
    assert script.feed(None, 50) == [3]
    assert script.next_timer is None


def test_without_overlaps_what_was_taken_counts() -> None:
    script = Script(program_of("SEQ(A a, B b) WITHIN 10 RETURN a.time, b.time "
                               "OUTPUT NON OVERLAPPING"))  # fmt: skip
    assert script.feed("a1 a2 b4", 5) == [(1, 4)]
    assert script.feed("b6", 7) == []
    assert script.feed("a7 b8", 9) == [(7, 8)]


def test_without_overlaps_a_match_is_taken_in_a_step_without_events() -> None:
    script = Script(program_of("SEQ(A a, B b) WITHIN 10 RETURN a.time, b.time "
                               "OUTPUT NON OVERLAPPING"))  # fmt: skip
    assert script.feed("a1 a2 b4") == []
    assert script.feed(None, 5) == [(1, 4)]
    assert script.feed(None, 6) == []
    assert script.feed("b6", 7) == [], "a2 is before the end of what was taken"
    assert script.feed("a7 b8", 9) == [(7, 8)]


@pytest.mark.parametrize(
    "text",
    [
        "SEQ(A a, B b) WITHIN 90 RETURN a.time, b.time",
        "SEQ(A a, B b) WITHIN 90 RETURN a.time, b.time OUTPUT NON OVERLAPPING",
        "SEQ(A a, B b) WITHIN 90 SLIDE 90 RETURN COUNT(*)",
    ],
)
def test_events_that_wait_in_many_steps(text: str) -> None:
    """More than are kept apart: they are merged, and sorted, before any of them is settled."""
    waits, at_once = Script(program_of(text)), Script(program_of(text))
    times = [(7 * number) % 61 + 1 for number in range(3 * MOST_CHUNKS)]
    stream = [f"{'ab'[number % 2]}{time}" for number, time in enumerate(times)]
    for each in stream:
        assert waits.feed(each) == []
        events = waits.state.of_kind(ChunkKind.EVENTS)
        assert len(events) <= MOST_CHUNKS
        for chunk in events:
            kept = chunk.table.column("time").to_pylist()
            assert kept == sorted(kept)
    kept = [each.table.num_rows for each in waits.state.of_kind(ChunkKind.EVENTS)]
    assert sum(kept) == len(stream)
    assert max(kept) >= AT_ONCE
    assert waits.next_timer == min(times)
    found = waits.feed(None, 200)
    assert found
    assert sorted(found) == sorted(at_once.feed(" ".join(stream), 200))


def test_a_missing_time_is_told_before_anything_is_kept() -> None:
    program = program_of(PAIRS)
    state = step_alone(program, StreamState(), table_of("a1"), None).state
    rows = [{"time": 2, "type": "B"}, {"time": None, "type": "A"}]
    arrived = pa.Table.from_pylist(rows, schema=SCHEMA)
    with pytest.raises(cepheid.DataError, match=r"no time.*; 'time' is NULL: \{'time': None"):
        step_alone(program, state, arrived, None)


def test_events_that_fit_no_position_are_told_from_others() -> None:
    program = program_of("SEQ(A a, !C, B b) WHERE a.x > 1 WITHIN 10 RETURN a.time")
    fits = fits_a_position(program, table_of("a1(x=1) a2(x=2) b3 c4 d5"))
    assert fits.tolist() == [False, True, True, True, False]


def test_a_negation_looks_at_what_was_taken() -> None:
    script = Script(program_of("SEQ(!A, B b, C c) WITHIN 10 RETURN c.time OUTPUT NON OVERLAPPING"))
    assert script.feed("b1 c2", 3) == [2]
    assert script.feed("a3 b4 c5", 6) == []
    assert script.feed("b14 c15", 16) == [15]


def test_strict_contiguity_sees_dropped_events() -> None:
    text = "SEQ(A a, B b) WHERE [k] AND strict_contiguity WITHIN 2 EVENTS RETURN b.time"
    script = Script(program_of(text))
    assert script.feed("a1(k=1)", 2) == []
    assert script.feed("a2(k=2) a3(k=2) a4(k=2) a5(k=2)", 6) == []
    assert script.feed("b6(k=1)", 7) == []  # although hardly any event between them is kept
    assert script.feed("b7(k=2)", 8) == []
    assert script.feed("a8(k=2) b9(k=2)", 10) == [9]


def test_graphs_of_compressed_matches() -> None:
    script = Script(program_of("SEQ(A+ a, B b) WITHIN 10 OUTPUT COMPRESSED"))
    assert script.feed("a1 a2", 3) == []
    assert len(script.feed("b3", 4)) == 1
    assert script.last is not None
    assert result_of(script.last).schema.equals(GRAPHS)


def test_windows_are_reported_when_they_end() -> None:
    script = Script(program_of("SEQ(A a, B b) WITHIN 10 SLIDE 5 RETURN COUNT(*) AS n"))
    assert script.feed("a1 b2 a6 b7", 9) == [(-5, 5, 1)]
    assert script.next_timer == 9
    assert script.feed(None, 10) == [(0, 10, 3)]
    assert script.feed("b11", 10) == []
    assert script.feed(None, 100) == [(5, 15, 2)]
    assert script.next_timer is None
    assert script.state.chunks == ()


def test_results_at_every_moment() -> None:
    script = Script(program_of("SEQ(A a, B b) WITHIN 10 RETURN COUNT(*) AS n"))
    assert script.feed("a1 b2 b4", 3) == [(2, 1)]
    assert script.feed("b11", 20) == [(4, 2), (11, 0)]


class TestLateEvents:
    def test_they_are_given_back_as_they_came(self) -> None:
        script = Script(program_of(PAIRS))
        script.feed("a1 b2(note=early)", 5)
        assert script.feed("b4(note=late, x=3) b6 d3", 5) == []
        assert script.last is not None
        expected = table_of("b4(note=late, x=3) d3")
        assert script.last.late.equals(expected)

    def test_what_is_settled_is_late_without_a_watermark_too(self) -> None:
        program = program_of(PAIRS)
        state = step_alone(program, StreamState(), table_of("a1"), 5).state
        assert step_alone(program, state, table_of("b4 b5"), None).late.num_rows == 1

    def test_results_of_other_queries_may_be_behind_the_watermark(self) -> None:
        from dataclasses import replace

        program = replace(program_of(PAIRS), derived_types=("A",))
        state = step_alone(program, StreamState(), table_of("a1"), 5).state
        done = step_alone(program, state, table_of("a4 a5 a6 b6 b7"), 7, late_before=7)
        assert [(row["type"], row["time"]) for row in done.late.to_pylist()] == [("A", 4), ("B", 6)]


class TestInOrder:
    def test_a_match_is_reported_at_once(self) -> None:
        script = Script(program_of(PAIRS), ordered=True)
        assert script.feed("a1 b2") == [2]
        assert script.state.horizon == 3
        assert script.feed("b3") == [3]
        assert script.next_timer is None

    def test_what_does_not_come_later_is_late(self) -> None:
        script = Script(program_of(PAIRS), ordered=True)
        script.feed("a1 a5")
        assert script.feed("b5 b6 b4") == [6, 6]
        assert sorted(script.late) == [4, 5]

    def test_order_columns_tell_events_of_a_tick_apart(self) -> None:
        program = program_of("SEQ(A a, B b) WITHIN 10 RETURN b.seq", order=("seq",))
        script = Script(program, ordered=True)
        assert script.feed("a1(seq=1) b1(seq=2)") == [2]
        assert script.feed("b1(seq=2) b1(seq=1) b1(seq=4)") == [4]
        assert sorted(script.last.late.column("seq").to_pylist()) == [1, 2]
        assert script.feed("b1(seq=5)") == [5]
        assert script.feed("b1(seq=3)") == []
        assert script.late == [1]

    def test_a_window_waits_for_the_rest_of_its_last_tick(self) -> None:
        program = program_of("SEQ(A a, !B) WITHIN 2 RETURN a.time", order=("seq",))
        script = Script(program, ordered=True)
        assert script.feed("a1(seq=1) c2(seq=1)") == []
        assert script.feed("b2(seq=2)") == []
        assert script.feed("c9(seq=0)") == []
        assert script.feed("a10(seq=1)") == []
        assert script.feed(None, 12) == [10]

    def test_a_watermark_closes_windows(self) -> None:
        script = Script(program_of("SEQ(A a, !B) WITHIN 5 RETURN a.time"), ordered=True)
        assert script.feed("a1") == []
        assert script.next_timer == 5
        assert script.feed(None, 6) == [1]
        assert script.feed("a5") == []
        assert script.late == [5]


class TestWrongEvents:
    def test_a_missing_time(self) -> None:
        with pytest.raises(cepheid.DataError, match="an event has no time"):
            Script(program_of(PAIRS)).feed(pa.table({"time": [1, None], "type": ["A", "B"]}))

    def test_a_missing_tie_break_is_not_kept(self) -> None:
        program = program_of(PAIRS, order=("seq",))
        with pytest.raises(cepheid.DataError, match=r"no order key.*; 'seq' is NULL"):
            step_alone(program, StreamState(), table_of("a100"), 5)

    @pytest.mark.parametrize("bad", ["drop", "deliver"])
    def test_bad_events_are_set_aside(self, bad: str) -> None:
        program = program_of("SEQ(A a, !B) WITHIN 10 RETURN a.time", order=("seq",))
        rows = [
            {"time": 1, "type": "A", "seq": 1},
            {"time": None, "type": "A", "seq": 1},
            {"time": 2, "type": "A", "seq": None},
            {"time": -(2**63), "type": "A", "seq": 1},
            {"time": 40, "type": "A", "seq": 1},
        ]
        guards = Guards(ahead_from=40, bad=bad)
        arrived = pa.Table.from_pylist(rows, schema=SCHEMA)
        done = step_alone(program, StreamState(), arrived, 30, guards=guards)
        assert result_of(done).to_pylist() == [{"a_time": 1}]
        assert done.aside["reason"].to_pylist() == [
            "no time",
            "no order key",
            "time out of range",
            "ahead of the clock",
        ]
        assert done.aside.drop_columns(["reason"]).to_pylist() == arrived.slice(1).to_pylist()
        assert done.late.num_rows == 0

    def test_an_event_that_is_too_far_ahead_makes_no_other_late(self) -> None:
        def lates(guards: Guards) -> int:
            state = StreamState()
            for stream in ("a1 a5000", "b2"):
                done = step_alone(program_of(PAIRS), state, table_of(stream), None,
                                  ordered=True, guards=guards)  # fmt: skip
                state = done.state
            return done.late.num_rows

        assert lates(Guards()) == 1
        assert lates(Guards(ahead_from=1000)) == 0

    def test_a_time_without_window(self) -> None:
        program = program_of("SEQ(A a, !B) WITHIN 10 RETURN a.time")
        with pytest.raises(cepheid.DataError, match="too close to the limit of 64 bits"):
            step_alone(program, StreamState(), table_of(f"a@{-(2**63)}"), None)

    def test_other_columns_than_before(self) -> None:
        program = program_of(PAIRS)
        state = step_alone(program, StreamState(), table_of("a1"), 5).state
        place = SCHEMA.get_field_index("time")
        other = table_of("a7", SCHEMA.set(place, pa.field("time", pa.int32())))
        with pytest.raises(cepheid.StateError, match="other columns than those kept before"):
            step_alone(program, state, other, 6)

    def test_events_without_partition_are_dropped_once(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        script = Script(program_of("SEQ(A a, B b) WHERE [k] WITHIN 10 RETURN b.time"))
        script.feed("a1(k=1) a2", 1)
        assert "1 event has NULL in k and belongs to no partition" in caplog.text
        caplog.clear()
        assert script.feed("b3(k=1)", 4) == [3]
        assert caplog.text == ""

    @pytest.mark.parametrize(
        ("condition", "count"),
        [("[k]", 2), ("[k] AND a.x < 5", 1), ("[k] AND strict_contiguity", 2)],
    )
    def test_events_that_fit_nothing_are_not_told_of(
        self, caplog: pytest.LogCaptureFixture, condition: str, count: int
    ) -> None:
        script = Script(program_of(f"SEQ(A a, B b) WHERE {condition} WITHIN 10 RETURN b.time"))
        script.feed("a1(x=1) c2 a3(x=9) c4", 1)
        script.feed("b5(k=1) c6", 7)
        said = "1 event has" if count == 1 else f"{count} events have"
        assert [each[: len(said)] for each in caplog.messages] == [said]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A RETURN COUNT(*)", "a stream has no end"),
        (
            "A WHERE [k] WITHIN 4 EVENTS SLIDE 2 EVENTS RETURN COUNT(*)",
            "a new partition can always come",
        ),
    ],
)
def test_results_that_are_never_final(text: str, message: str) -> None:
    with pytest.raises(cepheid.UnsupportedQueryError, match=message):
        step_alone(program_of(text), StreamState(), table_of("a1"), 5)


def test_encoded_columns() -> None:
    script = Script(program_of(PAIRS))
    place = SCHEMA.get_field_index("type")
    schema = SCHEMA.set(place, pa.field("type", pa.dictionary(pa.int32(), pa.string())))
    assert script.feed(table_of("a1 b2", SCHEMA).cast(schema), 2) == []
    assert script.feed("b3", 4) == [2, 3]


def test_a_step_lists_no_longer_arrays_than_allowed() -> None:
    script = Script(replace(program_of("A+ a WHERE [k] WITHIN 1000"), max_matches=10**6))
    message = r"values in arrays or more, most of them in the partition k = 7; max_matches is 1,0"
    with pytest.raises(cepheid.MatchLimitError, match=message):
        script.feed(" ".join(f"a{time}(k=7)" for time in range(1, 20)), 30)
    assert len(script.feed(" ".join(f"a{time}(k=7)" for time in range(1, 11)), 30)) == 2**10 - 1


def test_a_step_lists_no_more_matches_than_allowed() -> None:
    """Those of steps before do not count, and nothing is lost."""
    program = replace(program_of("A+ a WITHIN 3 RETURN a[1].time"), max_matches=6)
    script = Script(program)
    for time in range(1, 9):
        assert len(script.feed(f"a{time}", time + 1)) == min(2 ** (time - 1), 4)
    with pytest.raises(cepheid.MatchLimitError, match="max_matches is 6"):
        script.feed("a9 a10", 11)
    script.program = replace(program, max_matches=8)
    assert len(script.feed("a9 a10", 11)) == 8
