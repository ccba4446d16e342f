"""EXPLAIN ANALYZE of a workload: results as those of run, and what was shared."""

import datetime
import json
from xml.etree import ElementTree

import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.shared import analyze_set
from cepheid.engine.shared.recorded_bursts import MOST_SNAPSHOTS
from cepheid.plan.sharing_costs import COUNTING_COSTS
from cepheid.program.sharing.run_report import Decision
from cepheid.testing import events
from tests.semantics.examples import HAMLET_STREAM

ROLES = {"time": "time", "type": "type"}
COUNT = "RETURN COUNT(*) AS n"
TEXTS = (f"PATTERN SEQ(A, B+) {COUNT}", f"PATTERN SEQ(C, B+) {COUNT}")

SUMS = [f"PATTERN SEQ({each}, B+ b) RETURN SUM(b.x) AS n" for each in "AC"]


def table_of(stream):
    return pa.Table.from_pylist(events(stream))


def analyzed(texts=TEXTS, stream=HAMLET_STREAM, **options):
    given = table_of(stream) if isinstance(stream, str) else stream
    return cepheid.workload(texts).analyze(given, **(ROLES | options))


def bursty(count, *, keys="u"):
    """Some A and C, then so many bursts of B of three events and a C, by key."""
    rows = [{"type": kind, "time": 0, "k": key, "x": 0} for key in keys for kind in "AC"]
    for number in range(count):
        key, start = keys[number % len(keys)], 10 * number
        rows += [
            {"type": "B", "time": start + each, "k": key, "x": number % 3} for each in (1, 2, 3)
        ]
        rows.append({"type": "C", "time": start + 4, "k": key, "x": 0})
    return pa.Table.from_pylist(rows)


class TestHamlet:
    """Example 3.10."""

    def test_counts_and_bursts(self):
        found = analyzed(sharing="always")
        assert [each.to_pylist() for each in found.results.values()] == [[{"n": 64}], [{"n": 34}]]
        (run,) = found.report.sets
        (part,) = run.parts
        assert (part.text, part.bursts, part.shared, part.steps) == ("B+", 2, 2, 5)
        assert [(each.begin, each.end, each.steps) for each in run.bursts] == [
            (4, 7, 4),
            (13, 13, 1),
        ]
        assert {each.decision for each in run.bursts} == {Decision.SHARED}
        assert (run.events, run.partitions, run.counters.logged) == (13, 1, 5)
        assert [each.snapshots for each in run.bursts] == [1, 1]  # x and y
        assert (part.snapshots, run.counters.snapshots) == (2, 2)

    def test_values_of_snapshots(self):
        """Example 3.10: x is 2 and 1, y is 34 and 19."""
        found = analyzed(
            [f"PATTERN SEQ({each}, B+) {COUNT}" for each in "AC"],
            table_of("a1 a2 c3 b4 b5 b6 b7 a8 a9 c10 c11 c12 b13"),
            sharing="always",
        )
        (run,) = found.report.sets
        values = [[(each.queries, each.runs) for each in burst.values] for burst in run.bursts]
        assert values == [[(("q1",), 2), (("q2",), 1)], [(("q1",), 34), (("q2",), 19)]]
        content = json.loads(found.json())["run"]["sets"][0]["bursts"][1]["values"]
        assert content == [
            {"queries": ["q1"], "window": None, "runs": 34},
            {"queries": ["q2"], "window": None, "runs": 19},
        ]
        lines = [line.split() for line in found.text().splitlines()]
        assert ["4", "B+", "q1", "2,", "q2", "1"] in lines
        assert ["13", "B+", "q1", "34,", "q2", "19"] in lines

    def test_values_of_snapshots_are_bounded(self):
        texts = [f"PATTERN SEQ({each}, B+) WITHIN 40 SLIDE 20 {COUNT}" for each in "AC"]
        found = analyzed(texts, bursty(2000), sharing="always")
        (run,) = found.report.sets
        values = [each for burst in run.bursts for each in burst.values]
        assert len(values) == MOST_SNAPSHOTS
        assert {each.window for each in values if each.queries == ("q2",)} >= {0, 20, 40}

    def test_a_place_that_nothing_was_done_to_has_no_snapshot_of_its_own(self):
        texts = [f"PATTERN SEQ({each}, B+) {COUNT}" for each in "AC"]
        found = analyzed(texts, table_of("a1 c2 b3 b4 a5 b6"), sharing="always")
        (run,) = found.report.sets
        assert [each.queries for each in run.bursts[1].values] == [("q1",)]

    def test_text(self):
        lines = analyzed(sharing="always").text().splitlines()
        assert lines[1] == "  sharing: always"
        assert "Set 1: 2 queries in one pass over the events: q1, q2" in lines
        begin = lines.index(
            "  time  part  steps  lanes  graphlets  snapshots  caught up  decision  saves, by costs"
        )
        step, _, described, applied, *_ = (
            COUNTING_COSTS  # two lanes take four steps, one catches up
        )
        saves = f"{4 * described + 2 * 4 * step - applied:.0f}"
        assert lines[begin + 1].split() == [
            "4",
            "B+",
            "4",
            "2",
            "1",
            "1",
            "2",
            "shared",
            saves,
            "ns",
        ]

    def test_short_bursts_of_sums_do_not_pay(self):
        texts = [f"PATTERN SEQ({each}, B+ b) RETURN SUM(b.time) AS n" for each in "AC"]
        found = analyzed(texts, table_of("a1 c2 b3 a4 c5 b6 a7 c8 b9"))
        (run,) = found.report.sets
        decisions = [each.decision for each in run.bursts]
        assert decisions == [Decision.APART] * 3
        assert (run.counters.direct, run.bursts[1].saved) == (6, 0)
        assert [each.graphlets for each in run.bursts] == [2, 2, 2]

    def test_snapshots_and_graphlets_of_every_burst(self):
        texts = [f"PATTERN SEQ({each}, B+ b) WHERE b.x >= 0 {COUNT}" for each in "AC"]
        texts.append(f"PATTERN SEQ(A, B+ b) WHERE b.x > 0 WITHIN 100 SLIDE 50 {COUNT}")
        found = analyzed(texts, bursty(3), sharing="always")
        (run,) = found.report.sets
        # Every burst begins with one. The first burst of x = 0 is not for the third query: a
        # snapshot for every event.
        assert [each.snapshots for each in run.bursts] == [1 + 3, 1, 1]
        assert sum(each.caught_up for each in run.bursts) == run.counters.caught_up
        assert run.parts[0].snapshots == run.counters.snapshots == 6
        content = json.loads(found.json())["run"]["sets"][0]
        assert [each["snapshots"] for each in content["bursts"]] == [4, 1, 1]
        assert [each["graphlets"] for each in content["bursts"]] == [1, 1, 1]
        assert "graphlets: 1, snapshots: 4" in found.svg()
        assert "3 graphlets, 6 snapshots" in found.svg()


class TestEachByItself:
    """Sums in windows that overlap much, and short bursts: panes of a lone query cost less."""

    TEXTS = tuple(
        f"PATTERN SEQ({first}, B+ b) WITHIN 60 SLIDE 1 RETURN SUM(b.x) AS n" for first in "AC"
    )

    @staticmethod
    def events():
        """Return bursts of one and two B, after A and C."""
        types = ["A", "B", "C", "B", "B"] * 600
        values = [each % 7 for each in range(len(types))]
        return pa.table({"time": range(len(types)), "type": types, "x": values})

    def test_results_and_report(self):
        found = analyzed(self.TEXTS, self.events())
        (run,) = found.report.sets
        ran = [each.ran for each in found.report.groups]
        assert run.is_alone
        assert ran == ["each by itself", "values in panes", "values in panes"]
        refused = {each.name: each.why for each in found.report.groups[0].folds}
        assert "each by itself costs" in refused["bursts of a set"]
        assert "folded       each by itself, which costs less" in found.text()
        for policy in ("always", "never"):
            other = analyzed(self.TEXTS, self.events(), sharing=policy)
            assert not other.report.sets[0].is_alone
            assert other.report.sets[0].is_in_panes
            assert [each.ran for each in other.report.groups] == ["panes of a set"]
            assert "folded       in panes of all windows" in other.text()
            assert other.results == found.results

    @pytest.mark.parametrize(("policy", "shared"), [("always", 1200), ("never", 0)])
    def test_bursts_of_panes(self, policy, shared):
        """A place of B+ has three lanes, one for every slot, and none for 60 windows."""
        (run,) = analyzed(self.TEXTS, self.events(), sharing=policy).report.sets
        (part,) = run.parts
        assert (run.counters.bursts, run.counters.shared_bursts) == (1200, shared)
        assert (part.text, part.bursts, part.shared, part.most_lanes) == ("B+", 1200, shared, 2 * 3)
        assert [each.steps for each in run.bursts] == [1, 2] * 600
        assert not any(each.values for each in run.bursts)

    def test_few_events_stay_together(self):
        found = analyzed(self.TEXTS, self.events().slice(0, 30))
        assert [each.ran for each in found.report.groups] == ["bursts of a set"]


class TestSides:
    def test_long_bursts_among_short_ones_do_not_change_sides(self):
        """To stop sharing costs what all forty queries have not taken: short bursts are as well.

        The queries take turns, so that most of them have something to take at any time.
        """
        texts = [f"PATTERN SEQ(X{each}, B+ b) RETURN SUM(b.x) AS n" for each in range(40)]
        types = []
        for burst in range(120):
            types += [f"X{burst % 40}", *["B"] * (2 if burst % 2 else 40)]
        table = pa.table({"time": range(len(types)), "type": types, "x": range(len(types))})
        found = analyzed(texts, table)
        (run,) = found.report.sets
        assert (run.counters.bursts, run.counters.shared_bursts) == (120, 120)


class TestDecisions:
    def test_partly(self):
        texts = [
            f"PATTERN SEQ({first}, B+ b) WHERE b.x {test} WITHIN 2000 SLIDE 100 {COUNT}"
            for first in "ACD"
            for test in ("< 3", "< 9", "= 1")
        ]
        rows = [{"type": kind, "time": 0, "x": 0} for kind in "ACD"]
        rows += [{"type": "B", "time": 1900 + each, "x": each % 2 * 2} for each in range(90)]
        found = analyzed(texts, pa.Table.from_pylist(rows))
        (run,) = found.report.sets
        (burst,) = run.bursts
        assert burst.decision is Decision.PARTLY
        assert burst.sharing == (0, 1)
        assert burst.mixed_steps
        assert burst.saved > 0
        assert "partly shared: 2 of 3 classes" in found.text()

    def test_partitions_and_timestamps(self):
        table = bursty(4, keys="uv")
        moments = [datetime.datetime(2024, 1, 1) + datetime.timedelta(minutes=each)
                   for each in table["time"].to_pylist()]  # fmt: skip
        table = table.set_column(1, "time", pa.array(moments, pa.timestamp("ms")))
        texts = [f"PATTERN SEQ({each}, B+) WHERE [k] {COUNT}" for each in "AC"]
        (run,) = analyzed(texts, table, sharing="always").report.sets
        assert run.ticks_per_second == 1000
        assert sorted((each.partition, each.first_time) for each in run.bursts) == [
            (("u",), "2024-01-01 00:01:00"),
            (("u",), "2024-01-01 00:21:00"),
            (("v",), "2024-01-01 00:11:00"),
            (("v",), "2024-01-01 00:31:00"),
        ]

    def test_no_events(self):
        found = analyzed(stream=table_of("a1").slice(0, 0))
        assert found.report.sets[0].bursts == ()
        assert "no bursts" in found.svg()
        assert "0 in 0 partitions" in found.text()

    def test_nothing_to_share(self):
        found = analyzed(["PATTERN A", "PATTERN B INTO T", "PATTERN T"])
        assert found.report.sets == ()
        assert list(found.results) == ["q1", "q2", "q3"]
        assert "q1  because it returns matches" in found.text()

    def test_comparison(self):
        found = analyzed(SUMS, bursty(50), compare=True)
        (run,) = found.report.sets
        assert run.seconds_saved == run.apart_seconds - run.warm_seconds
        assert (run.is_plain, run.shared_seconds) == (False, None)
        assert analyzed(SUMS, bursty(50)).report.sets[0].seconds_saved is None
        assert "without sharing in" in found.text()

    @pytest.mark.parametrize("policy", ["dynamic", "never"])
    def test_counts_with_plain_numbers(self, policy):
        """A run shares nothing of them, under either policy, so that there is nothing to save."""
        found = analyzed(stream=bursty(8), compare=True, sharing=policy)
        (run,) = found.report.sets
        assert run.is_plain
        assert (run.seconds_saved, run.apart_seconds) == (None, None)
        assert run.shared_seconds > 0
        assert run.warm_seconds > 0
        text = found.text()
        assert "counted      with plain numbers, without a decision for every burst" in text
        assert "with every burst shared it takes" in text
        assert "saved (" not in text
        assert "lost (" not in text
        assert "would be shared" in text
        assert "a run counts with plain numbers" in found.svg()
        content = json.loads(found.json())["run"]["sets"][0]
        assert (content["is_plain"], content["apart_seconds"]) == (True, None)

    @pytest.mark.parametrize(("policy", "bursts"), [("always", 8), ("dynamic", 400)])
    def test_what_is_not_plain(self, policy, bursts):
        """Every burst is to be shared, or counts become too large."""
        (run,) = analyzed(stream=bursty(bursts), compare=True, sharing=policy).report.sets
        assert not run.is_plain
        assert run.apart_seconds is not None


class TestManyBursts:
    def test_text_and_json_are_bounded(self, monkeypatch):
        monkeypatch.setattr(analyze_set, "MOST_BURSTS", 30)
        found = analyzed(stream=bursty(50), sharing="always")
        (run,) = found.report.sets
        assert (run.counters.bursts, run.parts[0].bursts, len(run.bursts)) == (50, 50, 30)
        assert "and 30 smaller bursts; JSON lists the first 30" in found.text()
        assert len(json.loads(found.json())["run"]["sets"][0]["bursts"]) == 30

    def test_records_are_bounded(self, monkeypatch):
        monkeypatch.setattr(analyze_set, "MOST_RECORDS", 20)
        found = analyzed(stream=bursty(50))
        assert found.report.sets[0].recorded == 20
        assert "(the first 20 of 50 bursts)" in found.text()

    def test_many_sets(self):
        texts = [
            f"PATTERN SEQ({first}, B+) WHERE {keys} {COUNT}"
            for keys in ("[k]", "[x]", "[k, x]", "[x, k, time]", "[time]", "[k, time]", "[type]")
            for first in "AC"
        ]
        found = analyzed(texts, bursty(3))
        assert len(found.report.sets) == 7
        assert "Faster sets\n  1 of 7: 2 queries, " in found.text()


class TestForms:
    def test_json(self):
        content = json.loads(analyzed(sharing="never").json())
        assert content["run"]["policy"] == "never"
        assert content["sharing"]["sets"][0]["parts"][0]["text"] == "B+"
        first, _ = content["run"]["sets"][0]["bursts"]
        assert (first["decision"], first["saved"], first["partition"]) == ("not shared", 0, [])

    @pytest.mark.parametrize(
        ("count", "keys"), [(5, "u"), (60, "uvw"), (700, "u"), (40, "abcdefghijkl")]
    )
    def test_svg_is_well_formed(self, count, keys):
        texts = [f"PATTERN SEQ({each}, B+) WHERE [k] {COUNT}" for each in "AC"]
        picture = analyzed(texts, bursty(count, keys=keys), sharing="always").svg()
        root = ElementTree.fromstring(picture)
        width, height = float(root.get("width")), float(root.get("height"))
        shapes = [each for each in root.iter() if each.tag.endswith("rect")]
        assert all(0 <= float(each.get("x")) <= width for each in shapes)
        assert all(0 <= float(each.get("y")) <= height for each in shapes)
        bars = [each for each in shapes if each.get("class") == "shared"]
        assert 5 <= len(bars) <= 400

    def test_svg_names_what_occurs(self):
        texts = [f"PATTERN SEQ({each}, B+) WHERE [k] {COUNT}" for each in "AC"]
        shared = analyzed(texts, bursty(5), sharing="always").svg()
        apart = analyzed(texts, bursty(5), sharing="never").svg()
        assert (">shared<" in shared, ">not shared<" in shared) == (True, False)
        assert "5 of 5 shared<" in shared
        assert (">shared<" in apart, ">not shared<" in apart) == (False, "burst" in apart)

    def test_other_forms_are_refused(self):
        with pytest.raises(cepheid.ConfigError, match="no format 'mermaid' of EXPLAIN ANALYZE"):
            analyzed().explain("mermaid")

    def test_unknown_policy(self):
        with pytest.raises(cepheid.ConfigError, match="no way of sharing called 'allways'"):
            analyzed(sharing="allways")
