"""Results without bound: refused before they are built, listed in part, or told of."""

import logging
import math
import re
import resource
import subprocess
import sys
from collections.abc import Iterator

import pandas as pd
import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.matches import match_chunks, walk_matches
from cepheid.errors import ConfigError, MatchLimitError

ROLES = {"time": "ts", "type": "kind"}
REPEATED = "PATTERN A+ a WHERE [ip] WITHIN 60 RETURN a.ts"


def events_of(count: int, ips: int = 1) -> pa.Table:
    """One event a second, of one address after the other."""
    return pa.table(
        {
            "ts": range(count),
            "kind": ["A"] * count,
            "ip": [f"10.0.0.{place % ips}" for place in range(count)],
        }
    )


def hot_log() -> pa.Table:
    """A log of 2,000 lines, half of them failures of one address."""
    ips = ["183.62.140.253" if place % 2 else f"10.0.0.{place % 50}" for place in range(2000)]
    return pa.table({"ts": range(2000), "kind": ["Failed"] * 2000, "ip": ips})


def test_the_error_names_query_partition_number_and_ways_out() -> None:
    query = cepheid.query("PATTERN Failed{5,} f WHERE [ip] WITHIN 1 minute", name="brute force")
    with pytest.raises(MatchLimitError) as raised:
        query.run(hot_log(), **ROLES)
    message = str(raised.value)
    assert message.startswith("'brute force' lists ")
    assert "most of them in the partition ip = '183.62.140.253'; max_matches is 10,00" in message
    for way_out in ("COUNT(*)", "skip_till_next_match", "OUTPUT COMPRESSED", "limit", "raise"):
        assert way_out in message
    # Of 30 events within a minute, the last and at least 4 others: 2^29 less those with fewer.
    whole = sum(2**29 - 1 - 29 - 406 - 3654 for _ in range(29, 1000))
    assert raised.value.count == pytest.approx(whole, rel=0.01)


def test_numbers_beyond_all_floats() -> None:
    with pytest.raises(MatchLimitError, match="lists 1e308 matches or more; max_matches") as raised:
        cepheid.query("PATTERN A+").run(events_of(1100), **ROLES)
    assert raised.value.count == float("inf")


def test_the_limit_counts_all_partitions_of_a_run() -> None:
    query, table = cepheid.query(REPEATED), events_of(30, ips=10)
    assert query.run(table, **ROLES, max_matches=70).num_rows == 70
    with pytest.raises(MatchLimitError, match="lists 70 matches or more"):
        query.run(table, **ROLES, max_matches=69)
    assert query.run(table, **ROLES, max_matches=None).num_rows == 70


def test_blocked_matches_do_not_count() -> None:
    table = pa.table({"ts": [1, 2, 3, 4, 5], "kind": ["A", "A", "N", "A", "B"]})
    query = cepheid.query("PATTERN SEQ(A a, !N n, B b)")
    assert query.run(table, **ROLES, max_matches=1).num_rows == 1
    with pytest.raises(MatchLimitError):
        cepheid.query("PATTERN SEQ(A+ a, !N n, B b)").run(table, **ROLES, max_matches=1)


@pytest.mark.parametrize(
    "pattern",
    [
        "SEQ(A+ a, !N n, B b)",
        "SEQ(A+ a, B b, !N n) WITHIN 60",
        "SEQ(!N n, A+ a, B b) WITHIN 60",
        "SEQ(A+ a, !N n, B b) WHERE n.x > a[1].x",
        "SEQ(A+ a, !N n, B b) AND B c",
    ],
)
def test_what_negated_parts_leave_is_counted_before_it_is_built(pattern: str) -> None:
    kinds = ["A"] * 40 + ["N"] + ["A", "A", "A", "B"] * 10
    table = pa.table({"ts": range(81), "kind": kinds, "x": [0] * 81})
    cepheid.query(f"PATTERN {pattern}").run(table.slice(37, 10), **ROLES)  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(MatchLimitError, match="max_matches is 1,000,000"):
        cepheid.query(f"PATTERN {pattern}").run(table, **ROLES, max_matches=1_000_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**18  # kilobytes


def test_what_negated_parts_block_is_not_walked() -> None:
    """Of more than 2^39 matches that begin before N, none stays."""
    table = pa.table({"ts": range(42), "kind": ["A"] * 40 + ["N", "B"]})
    assert cepheid.query("PATTERN SEQ(A+ a, !N n, B b)").run(table, **ROLES).num_rows == 0
    ended = cepheid.query("PATTERN SEQ(A+ a, A b, !B c) WITHIN 60")
    assert ended.run(table, **ROLES).num_rows == 0


def test_matches_that_are_all_blocked_are_tried_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here it takes a whole match to know."""
    monkeypatch.setattr(walk_matches, "MOST_TRIED", 2**21)
    table = pa.table({"ts": range(42), "kind": ["A"] * 40 + ["N", "B"], "x": range(42)})
    query = cepheid.query("PATTERN SEQ(A+ a, !N n, B b) WHERE n.x > a[1].x")
    with pytest.raises(cepheid.DataError, match="2,097,152 events in matches that may be blocked"):
        query.run(table, **ROLES)


def test_pairs() -> None:
    table = pa.table({"ts": range(8), "kind": ["A"] * 4 + ["B"] * 4})
    query = cepheid.query("PATTERN A a AND B b")
    assert query.run(table, **ROLES, max_matches=16).num_rows == 16
    assert query.run(table, **ROLES, limit=5).num_rows == 5
    with pytest.raises(MatchLimitError, match=r"lists 16 matches or more \(pairs\)"):
        query.run(table, **ROLES, max_matches=15)


def test_long_arrays_are_bounded_as_well_as_matches() -> None:
    """Of 19 events 524,287 matches, with half of all events each."""
    query, table = cepheid.query("PATTERN A+ a WHERE [ip] WITHIN 60", name="runs"), events_of(19)
    with pytest.raises(MatchLimitError) as raised:
        query.run(table, **ROLES, max_matches=600_000)
    assert re.match(
        r"'runs' lists 10,\d\d\d,\d\d\d values in arrays or more, most of them in the partition "
        r"ip = '10\.0\.0\.0'; max_matches is 600,000, which allows 10,000,000 of them\n"
        r"  hint: return fewer arrays, count matches with RETURN COUNT\(\*\), ",
        str(raised.value),
    )
    assert raised.value.count > 10_000_000
    rows = 2**19 - 1
    for fewer in (f"{query.text} RETURN a.ts", f"{query.text} RETURN a[1].ts, count(a[]) AS n"):
        assert cepheid.query(fewer).run(table, **ROLES, max_matches=600_000).num_rows == rows
    assert query.run(table, **ROLES, max_matches=None).num_rows == rows


def test_long_arrays_of_pairs() -> None:
    table = pa.table({"ts": range(26), "kind": ["A"] * 10 + ["B"] * 10 + ["C"] * 6})
    query = cepheid.query("PATTERN A+ a AND B+ b")
    message = r"lists 20,951,040 values in arrays or more \(pairs\); max_matches is 1,100,000, w"
    with pytest.raises(MatchLimitError, match=message):
        query.run(table, **ROLES, max_matches=1_100_000)


def test_expanding_compressed_matches() -> None:
    result = cepheid.query("PATTERN A+ a OUTPUT COMPRESSED").run(events_of(40), **ROLES)
    assert result.count() == 2**40 - 1
    assert result.first(3).num_rows == 3
    with pytest.raises(MatchLimitError, match=r"lists 1\.1e12 matches"):
        result.expand()


def test_queries_of_a_workload() -> None:
    texts = {"few": "PATTERN SEQ(A a, B b) RETURN b.ts", "many": "PATTERN SEQ(A a, B+ b)"}
    table = pa.table({"ts": range(41), "kind": ["A"] + ["B"] * 40})
    with pytest.raises(MatchLimitError, match="'many' lists"):
        cepheid.workload(texts).run(table, **ROLES)
    some = cepheid.workload(texts).run(table, **ROLES, limit=7)
    assert [each.num_rows for each in some.values()] == [7, 7]


def test_what_is_read_by_another_query_is_not_cut() -> None:
    texts = ["PATTERN A a RETURN a.ts INTO Seen", "PATTERN Seen s RETURN COUNT(*) AS n"]
    results = cepheid.workload(texts).run(events_of(9), **ROLES, limit=2)
    assert results["q2"].to_pylist() == [{"n": 9}]


def test_a_limit_stops_the_search() -> None:
    result = cepheid.query(REPEATED).run(events_of(2000).to_pandas(), **ROLES, limit=5)
    assert isinstance(result, pd.DataFrame)
    assert len(result) == 5
    assert len(cepheid.query("PATTERN A+").batches(events_of(70), **ROLES, limit=5).read_all()) == 5


@pytest.mark.parametrize("option", ["max_matches", "limit"])
@pytest.mark.parametrize("value", [0, -3])
def test_limits_below_one_are_refused(option: str, value: int) -> None:
    with pytest.raises(ConfigError, match=f"{option} is {value}, but must be at least 1"):
        cepheid.query("PATTERN A a").run(events_of(1), **ROLES, **{option: value})


@pytest.mark.parametrize("rest", ["RETURN COUNT(*) AS n", "OUTPUT COMPRESSED"])
def test_a_limit_is_for_listed_matches(rest: str) -> None:
    with pytest.raises(ConfigError, match="limit is for queries that list matches"):
        cepheid.query(f"PATTERN A a {rest}").run(events_of(1), **ROLES, limit=1)


def test_batches_come_one_by_one() -> None:
    """The first is there although all of them could never be."""
    query = cepheid.query("PATTERN A+ a RETURN a.ts")
    reader = query.batches(events_of(70), **ROLES, max_matches=None)
    assert next(iter(reader)).num_rows > 1000


def test_batches_of_other_results() -> None:
    counted = cepheid.query("PATTERN A a RETURN COUNT(*) AS n").batches(events_of(3), **ROLES)
    assert counted.read_all().to_pylist() == [{"n": 3}]
    apart = cepheid.query("PATTERN SEQ(A a, A b) OUTPUT NON OVERLAPPING RETURN b.ts")
    assert apart.batches(events_of(5), **ROLES).read_all().num_rows == 2
    graph = cepheid.query("PATTERN A+ a OUTPUT COMPRESSED").batches(events_of(3), **ROLES)
    assert graph.read_all().num_rows == 7
    with pytest.raises(MatchLimitError):
        cepheid.query("PATTERN A+").batches(events_of(70), **ROLES).read_all()


class TestWarning:
    """Skip-till-any, an unbounded repetition, and matches that are listed."""

    TEXT = "every match of A a+ is listed, and under skip-till-any-match"

    @pytest.fixture(autouse=True)
    def logged(self, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
        with caplog.at_level(logging.WARNING, "cepheid"):
            yield

    def test_it_is_told_once_in_every_run(self, caplog: pytest.LogCaptureFixture) -> None:
        query = cepheid.query("PATTERN A+ a WHERE [ip]", name="runs")
        for _ in range(2):
            caplog.clear()
            query.run(events_of(9, ips=3), **ROLES)
            assert [each.getMessage()[:19] for each in caplog.records] == ["query 'runs': every"]

    def test_it_is_in_explain(self) -> None:
        shown = " ".join(cepheid.query("PATTERN A+ a").explain().split())
        assert "Warnings • every match of A a+ is listed" in shown

    @pytest.mark.parametrize(
        "text",
        [
            "PATTERN A{2,4} a",
            "PATTERN A+ a SEMANTICS skip-till-next-match",
            "PATTERN A+ a OUTPUT COMPRESSED",
            "PATTERN A+ a OUTPUT NON OVERLAPPING",
            "PATTERN A+ a RETURN COUNT(*) AS n",
        ],
    )
    def test_others_are_not_told(self, text: str, caplog: pytest.LogCaptureFixture) -> None:
        cepheid.query(text).run(events_of(4), **ROLES)
        assert not caplog.records
        assert "Warnings" not in cepheid.query(text).explain()

    def test_workloads(self, caplog: pytest.LogCaptureFixture) -> None:
        cepheid.workload(["PATTERN A+ a", "PATTERN A a"]).run(events_of(4), **ROLES)
        assert [each.getMessage()[:17] for each in caplog.records] == ["query 'q1': every"]


OUT_OF_MEMORY = """
import resource
import cepheid, pyarrow as pa
count = 23
events = pa.table({"ts": range(count), "kind": ["A"] * count, "text": ["x" * 40] * count})
query = cepheid.query("PATTERN A+ a", name="large")
query.run(events.slice(0, 4), time="ts", type="kind")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**27, used + 2**27))
try:
    query.run(events, time="ts", type="kind")
except cepheid.OutOfMemoryError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_too_little_memory_is_an_error_of_ours() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("query 'large' needs more memory than there is: "), done.stderr
    assert "OUTPUT COMPRESSED" in done.stdout


def test_memory_of_a_large_result_is_not_touched() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(MatchLimitError):
        cepheid.query("PATTERN Failed{5,} f WHERE [ip] WITHIN 1 minute").run(hot_log(), **ROLES)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**18  # kilobytes


@pytest.mark.parametrize("output", ["", "OUTPUT NON OVERLAPPING", "OUTPUT COMPRESSED"])
def test_runs_that_are_kept_apart_are_bounded_before_they_end(output):
    """`a.x != b.x` tells every subset of the A's apart, long before a match ends."""
    count = 60
    events = pa.table({"ts": range(count), "kind": ["A"] * count, "x": range(count)})
    query = cepheid.query(f"PATTERN SEQ(A+ a, B b) WHERE a.x != b.x {output}", name="rising")
    with pytest.raises(cepheid.LiveStateError, match=r"'rising' keeps .* partial matches alive"):
        query.run(events, time="ts", type="kind")


def test_links_between_runs_are_bounded_too(monkeypatch):
    """A run for every first and last event has links to all that it extends: n * n * n of them."""
    count = 60
    events = pa.table({"ts": range(count), "kind": ["A"] * count, "x": range(count)})
    text = "PATTERN SEQ(A+ a, B b) WHERE a[a.LEN].x > a[1].x WITHIN 1000"
    query = cepheid.query(text, name="rising")
    assert query.run(events, time="ts", type="kind").num_rows == 0
    monkeypatch.setattr(match_chunks, "LINKS_OF_RUN", 0)
    with pytest.raises(cepheid.LiveStateError, match=r"'rising' keeps .* links between partial"):
        query.run(events, time="ts", type="kind")


def test_a_count_compared_with_more_than_64_bits():
    query = cepheid.query(f"PATTERN A+ a WHERE count(a[]) < {10**30} AND a.LEN != {10**25}")
    assert query.run(events_of(3), **ROLES).num_rows == 7


@pytest.mark.parametrize("condition", ["count(a[]) > 5", "a.LEN = 5", "4.5 > count(a[])"])
def test_counts_beyond_what_they_are_compared_with_are_alike(condition):
    count = 100
    events = pa.table({"ts": range(count + 1), "kind": ["A"] * count + ["B"]})
    query = cepheid.query(f"PATTERN SEQ(A+ a, B b) WHERE {condition} OUTPUT COMPRESSED")
    graph = query.run(events, time="ts", type="kind")
    subsets = [math.comb(count, size) for size in range(1, count + 1)]
    wanted = {"c": sum(subsets[5:]), "a": subsets[4], "4": sum(subsets[:4])}[condition[0]]
    assert graph.count() == wanted
    nodes = int(re.search(r"(\d+) nodes", str(graph))[1])
    assert nodes <= 7 * count
