"""HAMLET's tables 3 to 5, equations 8 to 10 and examples 4.4 and 4.6, on what the engine keeps.

The engine writes the events of B+ to a log. A member (a query's B+) takes them when something is
about to read or change what is around it. Then its values are those of the paper's snapshots:

| paper | engine |
|---|---|
| graphlet, burst | the entries of the log that come without a break |
| snapshot x per query | what flows into the member's B+ and what it has, where it has caught up |
| coefficients of x per event | what an entry adds to the member, for one run that flows in |
| event-level snapshot z | a member that takes an event differently catches up before it; with |
| | adjacent predicates an event has a number for every query |
"""

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.shared import fold_set as fold_set_module
from cepheid.engine.shared.fold_set import merged_events
from cepheid.engine.shared.make_machine import make_machine
from cepheid.engine.shared.merged_arrays import MergedArrays
from cepheid.engine.shared.policy import Policy
from cepheid.engine.shared.run_lanes import LaneTask, run_lanes
from cepheid.engine.shared.run_set import prepare_set
from cepheid.engine.trends.value_rows import make_rows
from cepheid.kernels.shared import merged_machine as machine
from cepheid.kernels.shared.fold_merged import fold_merged
from cepheid.kernels.shared.merged_windows import IS_OPEN
from cepheid.kernels.values.value_arrays import Measures
from cepheid.plan.run_options import RunOptions
from cepheid.plan.sharing_costs import COUNTING_COSTS
from cepheid.program.sharing.lane_program import make_lanes
from cepheid.program.sharing.merged_sets import MergedSets
from cepheid.program.sharing.run_report import Decision
from cepheid.testing import events
from tests.semantics.examples import EDGE, EDGE_STREAM, HAMLET_STREAM

COUNT = "RETURN COUNT(*) AS n"
TEXTS = (f"PATTERN SEQ(A, B+) {COUNT}", f"PATTERN SEQ(C, B+) {COUNT}")
# All edges hold for the first query, and all but one for the second.
EDGES = (f"PATTERN SEQ(A, B+) WHERE B.time < NEXT(B).time {COUNT}", f"PATTERN {EDGE} {COUNT}")
BURST = ("b4", "b5", "b6", "b7", "b13")
ROLES = {"time": "time", "type": "type"}


def table_of(stream):
    """A table of events; what an event does not have is 1."""
    rows = events(stream)
    names = {name: 1 for row in rows for name in row}
    return pa.Table.from_pylist([names | row for row in rows])


class Machine(NamedTuple):
    """What the fold leaves behind of one partition without windows."""

    program: object
    tables: machine.Tables
    cells: object

    def snapshot(self, query):
        """What flows into the B+ of a query, and what is there."""
        position = self._repeated(query)
        outside = [each for each in position.sources if each != position.value_slot]
        return sum(map(self._runs, outside)), self._runs(position.value_slot)

    def _repeated(self, query):
        (family,) = self.program.families
        members = [self.program.positions[each.positions[0]] for each in family.members]
        return next(each for each in members if each.queries == (query,))

    def _runs(self, slot):
        return int(self.cells.low[slot, 0])

    def number(self, table, place=0):
        """An entry of a table."""
        return int(self.tables.numbers[self.tables.table_base[table] + place])

    def block(self):
        """The coefficients of the first block: of what flows in, and of what is there."""
        begin = self.number(machine.CELLS, machine.BLOCK_CELLS)
        return self.cells.low[begin : begin + 2]


def folded(texts, stream, policy=Policy.ALWAYS):
    """Fold a stream as `run` does and return the machine."""
    table = table_of(stream)
    schema = event_schema(table.schema, ColumnRoles(**ROLES))
    programs = [cepheid.query(each).program(RunOptions(), schema) for each in texts]
    ((_, program),) = MergedSets().of(programs)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    task = prepare_set(program, columns, table.num_rows, 1).task
    task = replace(task, policy=policy)
    arrays = MergedArrays(program, task.passes)
    given = merged_events(task, range(1))
    tables, cells = make_machine(task, arrays, given, [1] * len(program.groups))
    shape = Measures(
        np.zeros(program.number_count, np.int64), *task.measures[1:5],
        np.zeros(program.minimum_count, np.uint64), task.measures.least,
    )  # fmt: skip
    is_done = fold_merged(
        tables, given, cells, np.array(COUNTING_COSTS), make_rows(64, shape),
        np.empty(64, np.int64), np.zeros(IS_OPEN + 1, np.int64),
    )  # fmt: skip
    assert is_done
    return Machine(program, tables, cells)


def up_to(name, stream=HAMLET_STREAM):
    """A stream of the paper up to an event."""
    return stream[: re.search(rf"\b{name}\b(\([^)]*\))?", stream).end()]


def lane_totals(texts, stream):
    """The trends of every query so far, of one fold with a lane for each."""
    table = table_of(stream)
    schema = event_schema(table.schema, ColumnRoles(**ROLES))
    lanes = make_lanes([cepheid.query(each).program(RunOptions(), schema) for each in texts])
    columns = dict(zip(table.column_names, table.columns, strict=True))
    found = run_lanes(LaneTask(lanes, columns, table.num_rows, table.schema, RankedFolds()))
    return [each["n"][0].as_py() for each in found]


class TestTables:
    def test_table_3_shared_propagation_of_x(self):
        """The events of B3 add x, 2x, 4x and 8x to either query."""
        for query, x in ((0, 2), (1, 1)):
            added, before = [], 0
            for entries, name in enumerate(("b4", "b5", "b6", "b7"), start=1):
                found = folded(TEXTS, up_to(name))
                assert found.number(machine.LOG_SIZE) == entries
                flows_in, there = found.snapshot(query)
                assert flows_in == x
                added.append(there - before)
                before = there
            assert added == [x, 2 * x, 4 * x, 8 * x]

    def test_table_3_coefficients_of_a_block(self):
        """Eight events in a row add 255 x; a run that is there already is repeated as often."""
        texts = [f"PATTERN SEQ({each}, B+ b) RETURN SUM(b.x) AS n" for each in "AC"]
        burst = " ".join(f"b{time}(x={time})" for time in range(4, 12))
        found = folded(texts, f"a1(x=0) a2(x=0) c3(x=0) {burst}")
        assert found.number(machine.COUNTERS, machine.BLOCKS_BUILT) == 1
        # Runs, what they add up to, how many values that are: every event is in half of the runs.
        coefficients = [2**8 - 1, sum(range(4, 12)) * 2**7, 8 * 2**7]
        assert found.block().tolist() == [coefficients, coefficients]
        assert found.snapshot(0) == (2, 2 * 255)
        assert found.snapshot(1) == (1, 255)

    def test_table_4_values_of_snapshots(self):
        """At B3 x is 2 and 1; at B6 y is 2 + 15 * 2 + 2 = 34 and 1 + 15 * 1 + 3 = 19."""
        before = folded(TEXTS, up_to("c3"))
        assert [before.snapshot(each) for each in (0, 1)] == [(2, 0), (1, 0)]
        between = folded(TEXTS, up_to("c12"))
        assert [between.snapshot(each) for each in (0, 1)] == [(2 + 2, 15 * 2), (1 + 3, 15 * 1)]
        assert [sum(between.snapshot(each)) for each in (0, 1)] == [34, 19]
        assert between.number(machine.LOG_SIZE) == 4
        assert [between.number(machine.TAKEN, each) for each in (0, 1)] == [4, 4]
        last = folded(TEXTS, HAMLET_STREAM)
        assert [last.snapshot(each)[1] for each in (0, 1)] == [64, 34]

    def test_values_are_the_same_without_sharing(self):
        found = folded(TEXTS, HAMLET_STREAM, Policy.NEVER)
        assert found.number(machine.LOG_SIZE) == 0
        assert [found.snapshot(each) for each in (0, 1)] == [(4, 64), (4, 34)]

    def test_table_5_an_edge_that_holds_for_one_query(self):
        """The edge (b5, b6) is one of q1 only: z is 8 and 2, y is 34 and 15.

        Both queries are one fold: where edges differ, an event has a number for every query.
        """
        totals = [lane_totals(EDGES, up_to(each, EDGE_STREAM)) for each in BURST]
        added = np.diff(totals, axis=0, prepend=0)
        assert added.tolist() == [[2, 1], [4, 2], [8, 2], [16, 6], [34, 15]]
        coefficients = {"b4": (1, 0), "b5": (2, 0), "b7": (4, 1)}  # of x and z, see figure 5(c)
        x, z = added[0], added[BURST.index("b6")]
        for name, (of_x, of_z) in coefficients.items():
            assert added[BURST.index(name)].tolist() == (of_x * x + of_z * z).tolist()

    def test_table_5_in_a_workload(self):
        found = cepheid.workload([TEXTS[0], *EDGES]).run(
            table_of(EDGE_STREAM), **ROLES, sharing="always"
        )
        assert [each["n"].to_pylist() for each in found.values()] == [[64], [64], [26]]

    def test_definition_3_11_an_event_that_one_query_takes(self):
        """Where an event differs, the query that leaves it out takes a snapshot, and goes on.

        Without b5 the events of B3 have x, x + b4, x + b4 + b6 runs of q2: z = 2 before b6.
        """
        texts = (TEXTS[0], f"PATTERN SEQ(C, B+ b) WHERE b.x > 0 {COUNT}")
        marked = HAMLET_STREAM.replace("b5", "b5(x=0)")
        found = cepheid.workload(texts).analyze(table_of(marked), **ROLES, sharing="always")
        (run,) = found.report.sets
        first, second = run.bursts
        assert (first.snapshots, second.snapshots) == (1 + 1, 1)
        assert (first.graphlets, second.graphlets) == (1, 1)
        assert found.results["q1"]["n"].to_pylist() == [64]
        # x = 1: b4 1, b6 2, b7 4; y = 1 + 3 + 7 = 11
        assert found.results["q2"]["n"].to_pylist() == [7 + 11]


class TestBenefit:
    """Definition 4.2, with its terms as the costs of the engine.

    A step of a lane costs n, an entry of the log n · s_p for all k of them: to share a step saves a
    lane n - n · s_p / k. A snapshot costs k · g · t: it has a value for each query, and the events
    of t graphlets are read for it. The engine's own constants do not depend on n: what came before
    an event is added up already.
    """

    STEPS = 4  # b
    QUERIES = 2  # k
    TYPES = 2  # t

    def _bursts(self, monkeypatch, costs, stream, texts=TEXTS):
        monkeypatch.setattr(fold_set_module, "sharing_costs", lambda *, is_counted: costs)
        found = cepheid.workload(texts).analyze(table_of(stream), **ROLES)
        (run,) = found.report.sets
        return run.bursts

    def _costs(self, events_per_window, in_graphlet, propagated=1):
        n = float(events_per_window)
        snapshot = float(self.QUERIES * in_graphlet * self.TYPES)
        step = n - n * propagated / self.QUERIES
        return step, step, 0.0, snapshot, 0.0, snapshot

    @pytest.mark.parametrize(
        ("events_per_window", "in_graphlet", "expected"),
        [pytest.param(7, 4, 12, id="equation-8"), pytest.param(15, 4, 44, id="equation-10")],
    )
    def test_benefit_of_sharing(self, monkeypatch, events_per_window, in_graphlet, expected):
        costs = self._costs(events_per_window, in_graphlet)
        (burst,) = self._bursts(monkeypatch, costs, "a1 a2 c3 b4 b5 b6 b7")
        assert (burst.steps, burst.lanes) == (self.STEPS, self.QUERIES)
        assert (burst.decision, burst.saved) == (Decision.SHARED, expected)
        assert burst.if_all_share == expected

    def test_equation_9_snapshots_do_not_pay(self, monkeypatch):
        """Two snapshots are propagated, and a predicate makes one of them: 88 - 120 = -32.

        The other one, x, is there already: the burst goes on with a shared graphlet.
        """
        step, empty, described, _, block, snapshot = self._costs(11, 8, propagated=2)
        costs = step, empty, described, 0.0, block, snapshot
        texts = (TEXTS[0], f"PATTERN SEQ(C, B+ b) WHERE b.x > 0 {COUNT}")
        stream = "a1 a2 c3 b4 b5(x=0) b6 b7"
        (burst,) = self._bursts(monkeypatch, costs, stream, texts)
        assert (burst.decision, burst.snapshots, burst.graphlets) == (Decision.APART, 0, 2)
        assert (burst.if_all_share, burst.saved) == (-32, 0)

    def test_figure_6_share_split_merge(self, monkeypatch):
        """Three bursts, of which the second has an event that a predicate keeps from q2.

        The costs are n = 11 throughout, one snapshot propagated, and 16 for a new one. To share
        the second burst as well would need a snapshot of q2.
        """
        texts = (TEXTS[0], f"PATTERN SEQ(C, B+ b) WHERE b.x > 0 {COUNT}")
        stream = "a1 c2 b3 b4 b5 b6 a7 c8 b9 b10(x=0) b11 b12 a13 c14 b15 b16 b17 b18"
        bursts = self._bursts(monkeypatch, self._costs(11, 4), stream, texts)
        assert [each.decision for each in bursts] == [
            Decision.SHARED,
            Decision.APART,
            Decision.SHARED,
        ]
        assert [each.graphlets for each in bursts] == [1, 2, 1]
        assert [each.snapshots for each in bursts] == [1, 0, 1]
        assert [each.caught_up for each in bursts] == [2, 0, 2]

    def test_figure_6_if_every_burst_is_shared(self):
        texts = (TEXTS[0], f"PATTERN SEQ(C, B+ b) WHERE b.x > 0 {COUNT}")
        stream = "a1 c2 b3 b4 b5 b6 a7 b9 b10(x=0) b11"
        found = cepheid.workload(texts).analyze(table_of(stream), **ROLES, sharing="always")
        (run,) = found.report.sets
        assert [(each.graphlets, each.snapshots) for each in run.bursts] == [(1, 1), (1, 2)]

    def test_figure_7_examples_4_4_and_4_6(self):
        """Queries 1 and 3 make no snapshots; to share 2 pays in spite of one, to share 4 does not.

        Of twelve plans the engine looks at one class after the other, and finds (123)(4).
        """
        conditions = ("b.x < 100", "b.x != 1", "b.x < 200", "b.x > 10")
        texts = [
            f"PATTERN SEQ({first}, B+ b) WHERE {each} {COUNT}"
            for first, each in zip("ACDE", conditions, strict=True)
        ]
        burst = " ".join(f"b{time}(x={time % 20})" for time in range(20, 40))
        stream = f"a1(x=0) c2(x=0) d3(x=0) e4(x=0) {burst}"
        found = cepheid.workload(texts).analyze(table_of(stream), **ROLES)
        (run,) = found.report.sets
        (burst,) = run.bursts
        assert (burst.decision, burst.sharing) == (Decision.PARTLY, (0, 1, 2))
        assert (burst.snapshots, burst.graphlets) == (1 + 1, 2)
        assert burst.saved > 0
