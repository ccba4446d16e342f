"""The experiments of papers run at a tiny scale, and their baselines agree with the engine."""

import io
import json
import re

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console

from benchmarks import surroundings
from benchmarks.catalogue import BENCHMARKS
from benchmarks.contender import NotRunnableError
from benchmarks.list_names import list_benchmarks
from benchmarks.measure import Measurement, WrongAnswerError
from benchmarks.papers import sase_contenders as contenders
from benchmarks.papers.a_seq import figures as a_seq
from benchmarks.papers.a_seq.contenders import two_steps
from benchmarks.papers.a_seq.stream import Sequence
from benchmarks.papers.catalogue import PAPERS, chosen, experiments_of
from benchmarks.papers.claims import difference_text, judge, ratio_claim, rises
from benchmarks.papers.claims_page import PAGE, outcome_of, page_text
from benchmarks.papers.command import run_paper
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.race import Answer, race
from benchmarks.papers.report import PAPER_RESULTS, Report
from benchmarks.papers.sase_negation import (
    NEGATIONS,
    Negated,
    negation_on_top,
    with_predicate,
)
from benchmarks.papers.sase_stream import Workload
from benchmarks.papers.sweep import MOST_SEQUENCES, OURS, Entry, sweep
from benchmarks.report import Report as TimesReport
from cepheid.plan.run_options import MOST_MATCHES
from tests.oracle import ask

TINY = 0.001
EXPERIMENTS = {each.name: each for paper in PAPERS for each in experiments_of(paper)}


# These look into the paper's algorithms: how many runs merging saves, what the buffer costs.
ABOUT_BASELINES = {"sase-plus-table-3-buffer", "sase-plus-table-3-merged"}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_runs(name):
    outcome = EXPERIMENTS[name].run(TINY)
    assert outcome.points
    assert outcome.series
    for cells in outcome.series.values():
        assert len(cells) == len(outcome.points)
        assert all((cell.value is None) == bool(cell.skipped) for cell in cells)
    assert any(OURS in series for series in outcome.series) is (name not in ABOUT_BASELINES)
    claims = EXPERIMENTS[name].claims(outcome)
    assert claims
    assert all(claim.why for claim in claims if claim.paper is not None)
    assert judge(claims)
    if name.startswith(("hamlet-fig-8", "hamlet-fig-10")):
        assert len(outcome.counts) == 4


def test_every_figure_of_sase_is_there():
    figures = ["8", "9", "10a", "10b", "11", "12"]
    assert [chosen("sase", [each])[0].name for each in figures] == [
        f"sase-fig-{each}" for each in figures
    ]


def test_two_steps_build_more_matches_than_a_query_lists_by_itself():
    sequence = Sequence(35_000, 1000, 5)
    assert MOST_MATCHES < sequence.matches < a_seq.MOST_MATCHES
    built = two_steps(sequence)(sequence.table()).built
    assert built is not None
    assert built > MOST_MATCHES


def test_figure_12a_has_a_point_with_many_events():
    curves = EXPERIMENTS["a-seq-fig-12a"].run(TINY).curves
    assert all(len(curves[name + a_seq.MANY]) == 4 for name in a_seq.ONLINE)
    assert a_seq.MANY_EVENTS == 1_000_000


def test_every_figure_of_a_seq_is_there():
    figures = ["12a", "12b", "13a", "13b", "14a", "14b"]
    names = [each.name for each in experiments_of("a-seq")]
    assert names == [f"a-seq-fig-{figure}" for figure in figures]


def test_every_figure_of_shared_a_seq_is_there():
    names = [each.name for each in experiments_of("a-seq-shared")]
    figures = ("15", "16a", "16b", "16c", "16d")
    assert names == [f"a-seq-shared-fig-{figure}" for figure in figures]


def test_every_figure_of_hamlet_is_there():
    letters = {8: "abcd", 9: "ab", 10: "abcdefgh", 11: "abcd", 12: "ab"}
    for figure, expected in letters.items():
        names = [each.name for each in chosen("hamlet", [str(figure)])]
        assert names == [f"hamlet-fig-{figure}{letter}" for letter in expected]


def test_every_figure_of_cogra_is_there():
    for figure in range(5, 14):
        names = [each.name for each in chosen("cogra", [str(figure)])]
        letters = "abc" if figure in (8, 10) else "ab"
        assert names == [f"cogra-fig-{figure}{letter}" for letter in letters]


class TestBaselines:
    """More matches than in the experiments, other lengths, and windows at the edge."""

    @staticmethod
    def agree(workload: Workload, made: dict[str, contenders.Contender]) -> dict[str, int]:
        timings = race(
            workload.table(),
            {OURS: contenders.engine(workload), **made},
            point="test",
            turns=1,
        )
        assert timings[OURS].matches
        return {name: timing.built for name, timing in timings.items()}

    @pytest.mark.parametrize("length", [2, 3, 4])
    @pytest.mark.parametrize("window", [1, 12, 60, 5000])
    def test_without_a_test(self, length, window):
        workload = Workload(350, window, length, types=6)
        found = {
            "Basic": contenders.basic(workload),
            "Basic, bits": contenders.basic_with_bits(workload),
            "AIS": contenders.active_instances(workload),
        }
        if window > length:
            self.agree(workload, found)
        else:
            table = workload.table()
            assert {each(table).matches.num_rows for each in found.values()} == {0}

    @pytest.mark.parametrize("length", [2, 3, 5])
    @pytest.mark.parametrize("window", [60, 300, 5000])
    def test_one_test(self, length, window):
        workload = Workload(350, window, length, (4,), types=7)
        built = self.agree(
            workload,
            {
                "AIS": contenders.active_instances(workload),
                "on top": contenders.partitioned(workload, in_scan=False, in_construction=False),
                "in SS": contenders.partitioned(workload, in_construction=False),
                "in SC": contenders.partitioned(workload, in_scan=False),
                "in both": contenders.partitioned(workload),
                "joins": contenders.relational(workload),
            },
        )
        assert built["in both"] == built["in SC"] <= built["in SS"] <= built["on top"]

    @pytest.mark.parametrize("length", [2, 3, 4])
    @pytest.mark.parametrize("window", [200, 5000])
    def test_two_tests(self, length, window):
        workload = Workload(900, window, length, (3, 2), types=8)
        built = self.agree(
            workload,
            {
                "Dynamic Filtering": contenders.partitioned(workload),
                "Selection": contenders.partitioned_with_selection(workload),
                "Multi-PAIS": contenders.multi_partitioned(workload),
                "joins": contenders.relational(workload),
            },
        )
        assert built["Dynamic Filtering"] <= built["Multi-PAIS"] <= built["Selection"]


class TestNegation:
    """SASE's plans with Negation and Selection on top find what the oracle finds."""

    @pytest.mark.parametrize("negations", NEGATIONS)
    def test_negations(self, negations):
        negated = Negated(Workload(80, 40, values=(2,), types=6), negations)
        events = negated.workload.table()
        wanted = [tuple(row.values()) for row in ask(negated.query, events.to_pylist())]
        assert wanted
        found = negation_on_top(negated)(events).matches
        assert sorted(zip(*found.to_pydict().values(), strict=True)) == sorted(wanted)

    @pytest.mark.parametrize("is_pushed", [True, False])
    def test_a_predicate(self, is_pushed):
        workload = Workload(80, 40, values=(2,), types=6)
        events = workload.table().append_column("x", pa.array(np.arange(80) * 7 % 100))
        query = workload.query.replace(" WITHIN", " AND e1.x < 50 WITHIN")
        wanted = [tuple(row.values()) for row in ask(query, events.to_pylist())]
        assert wanted
        found = with_predicate(workload, 50, is_pushed=is_pushed)(events).matches
        assert sorted(zip(*found.to_pydict().values(), strict=True)) == sorted(wanted)


class TestStream:
    @pytest.mark.parametrize("values", [(), (3,), (3, 2)])
    def test_selectivity_predicts_the_matches(self, values):
        workload = Workload(20_000, 60, 3, values, types=6)
        matches = contenders.partitioned(workload) if values else contenders.basic(workload)
        found = matches(workload.table()).matches.num_rows
        assert found == pytest.approx(workload.selectivity * workload.events, rel=0.15)

    def test_selectivity_is_formula_1_times_the_length(self):
        workload = Workload(1, 10_000, 3, (100,))
        assert workload.selectivity / workload.length == pytest.approx(0.2, rel=0.05)  # section 5.2

    def test_the_query(self):
        assert Workload(1, 10, 2, (5, 4)).query == (
            "PATTERN SEQ(E1 e1, E2 e2) WHERE [attr1, attr2] WITHIN 10 RETURN e1.time, e2.time"
        )


class TestRace:
    def test_a_wrong_answer_is_an_error(self):
        events = Workload(500, 50, types=4).table()
        every, fewer = (
            (lambda table: Answer(table.select(["time"]))),
            (lambda table: Answer(table.select(["time"]).slice(1))),
        )
        with pytest.raises(WrongAnswerError, match="here: fewer finds 499 matches, every 500"):
            race(events, {"every": every, "fewer": fewer}, point="here")

    def test_sums_of_doubles_may_differ_in_the_last_digits(self):
        events = Workload(500, 50, types=4).table()

        def finding(value):
            return lambda _: Answer(pa.table({"count": [value]}))

        race(events, {"one": finding(0.1 + 0.2), "two": finding(0.3)}, point="here", turns=1)
        with pytest.raises(WrongAnswerError):
            race(events, {"one": finding(0.3), "two": finding(0.31)}, point="here", turns=1)

    @pytest.mark.parametrize("huge", [float("inf"), 1e300])
    def test_huge_numbers_hide_no_others(self, huge):
        events = Workload(500, 50, types=4).table()

        def finding(value):
            return lambda _: Answer(pa.table({"count": [value, huge]}))

        race(events, {"one": finding(3.0), "two": finding(3.0)}, point="here", turns=1)
        with pytest.raises(WrongAnswerError):
            race(events, {"one": finding(3.0), "two": finding(999.0)}, point="here", turns=1)

    def test_another_definition_is_compared_with_itself(self):
        events = Workload(500, 50, types=4).table()

        def finding(value):
            return lambda _: Answer(pa.table({"count": [value]}))

        made = {"one": finding(3), "other": finding(2)}
        race(events, made, point="here", turns=1, definitions={"other": finding(2)})
        with pytest.raises(WrongAnswerError, match="the definition of other"):
            race(events, made, point="here", turns=1, definitions={"other": finding(1)})

    def test_memory_is_that_of_the_contender(self):
        def waste(table):
            return Answer(pa.table({"filled": np.ones(5_000_000)}))

        events = Workload(500, 50, types=4).table()
        swept = sweep([1], "x", lambda _: events, lambda _: {OURS: Entry(waste)}, memory=True)
        (cell,) = swept.memory(OURS)
        assert cell.skipped or 35e6 < cell.value < 80e6

    def test_who_would_build_too_much_is_not_started(self):
        def never(table):
            raise AssertionError("must not be asked")

        swept = sweep(
            [1],
            "x",
            lambda _: Workload(500, 50, types=4).table(),
            lambda _: {
                OURS: Entry(lambda table: Answer(table.select(["time"]))),
                "slow": Entry(never, 2 * MOST_SEQUENCES),
            },
        )
        assert swept.throughput("slow") == [Cell(None, "would build about 2e+09 sequences")]
        assert swept.ratios(["slow"]) == []


class TestClaims:
    def test_missing_numbers_do_not_count(self):
        assert judge([Claim("a", True), Claim("b", None)]) == (
            "Seen again (1 of 1). A: seen. B: not measured."
        )
        assert judge([Claim("a", False, why="c")]) == "Not seen (0 of 1). A: not seen: c."

    def test_only_what_the_paper_says_decides(self):
        assert judge([Claim("a", True), Claim("b", False, of_paper=False)]) == (
            "Seen again (1 of 1). A: seen. Beside the paper. B: not seen."
        )

    @pytest.mark.parametrize(
        ("ours", "paper", "holds", "difference"),
        [
            (18.0, 18.0, True, ""),
            (9.0, 18.0, True, "2 times less"),
            (8.9, 18.0, False, "2 times less"),
            (36.1, 18.0, False, "2 times more"),
            (50.0, (1000.0, 100_000.0), False, "20 times less"),
            (150_000.0, (1000.0, 100_000.0), True, "1.5 times more"),
            (1e6, (100.0, float("inf")), True, ""),
            (None, 18.0, None, ""),
        ],
    )
    def test_a_ratio_is_seen_within_a_factor_of_two(self, ours, paper, holds, difference):
        claim = ratio_claim("A ÷ B", ours, paper, "a reason")
        assert claim.holds is holds
        assert difference_text(claim) == difference

    def test_what_is_not_seen_has_a_number_and_a_reason(self):
        assert judge([ratio_claim("a", 41.0, 100.0, "b")]) == (
            "Not seen (0 of 1). A: not seen, 41 instead of 100 (2.4 times less): b."
        )

    @pytest.mark.parametrize(
        ("values", "expected"),
        [([1, 2, 3], True), ([1, 2, 1.9, 3], True), ([1, 3, 2], False), ([2, 1], False)],
    )
    def test_rises(self, values, expected):
        assert rises([Cell(value) for value in values]) is expected


@pytest.fixture
def report() -> Report:
    cells = {OURS: [Cell(1500.0), Cell(2.0)], "other": [Cell(None, "too slow"), Cell(0.5)]}
    outcome = Outcome(
        [10, 100], cells, ["other takes 4 times as long"], {"bursts shared": [Cell(3), Cell(4)]}
    )
    experiment = Experiment(
        "x-fig-1", "Title", "V", "y", "It falls.", "Nothing.", lambda _: outcome,
        lambda _: [Claim("it falls", True), ratio_claim("a ÷ b", 4.0, 1.0, "a reason")],
    )  # fmt: skip
    return Report(experiment, 1.0, outcome)


class TestReport:
    def test_files(self, report, tmp_path):
        markdown = report.write(tmp_path).read_text()
        assert "| V | Cepheid | other |" in markdown
        assert "| 10 | 1,500 | - |" in markdown
        assert "* **other did not run everywhere:** too slow" in markdown
        assert "* **The paper's curve:** It falls." in markdown
        assert "* **Bursts shared:** 3, 4" in markdown
        assert "Seen in part (1 of 2):" in markdown
        assert "| a ÷ b | 1 | 4 | not seen | 4 times more | a reason |" in markdown
        assert "* **Compared:** other takes 4 times as long" in markdown
        facts = json.loads((tmp_path / "x-fig-1.json").read_text())
        assert facts["series"]["other"][0] == {"value": None, "skipped": "too slow"}
        assert facts["scale"] == 1
        assert [each["seen"] for each in facts["claims"]] == [True, False]
        assert outcome_of(facts) == report.outcome
        assert "(x-fig-1.svg)" in markdown

    def test_the_same_outcome_gives_the_same_plot(self, report, tmp_path):
        for folder in ("one", "two"):
            report.write(tmp_path / folder)
        first, second = ((tmp_path / each / "x-fig-1.svg").read_bytes() for each in ("one", "two"))
        assert first == second
        assert not re.search(rb"<dc:date>", first)

    def test_another_scale_has_its_own_files(self, report, tmp_path):
        quick = Report(report.experiment, 0.1, report.outcome)
        assert quick.write(tmp_path).name == "x-fig-1-scale-0.1.md"

    def test_points_with_names(self, report, tmp_path):
        outcome = Outcome(["a", "b"], report.outcome.series, [])
        assert (
            "| a | 1,500 |" in Report(report.experiment, 1.0, outcome).write(tmp_path).read_text()
        )


def shown(report: Report, width: int) -> list[str]:
    """Return the lines that a terminal of a width shows."""
    console = Console(width=width, record=True, file=io.StringIO())
    report.show(console)
    return console.export_text().splitlines()


class TestNarrowTerminal:
    """Numbers are whole in 80 columns, and so are names."""

    def test_no_number_is_broken(self, report):
        names = [OURS, *(f"{OURS}, way number {place}" for place in range(5)), "flattened (SHARON)"]
        series = {name: [Cell(123_456_789.0 + place)] for place, name in enumerate(names)}
        wide = Report(report.experiment, 1.0, Outcome([1_000_000], series, []))
        lines = shown(wide, 80)
        assert max(map(len, lines)) <= 80
        for place in range(len(names)):
            assert any(f" {123_456_789 + place:,} " in line for line in lines)

    def test_a_wide_terminal_has_one_table(self, report):
        rows = [line for line in shown(report, 200) if line.strip().startswith("10 ")]
        assert len(rows) == 1

    def test_reasons_are_below_the_table(self, report):
        assert "other did not run everywhere: too slow" in shown(report, 80)

    def test_times_of_a_benchmark(self):
        measurements = [
            Measurement(f"Cepheid, in some way {place}", (12.3456,), (45.678,), 10**9, True)
            for place in range(3)
        ]
        console = Console(width=80, record=True, file=io.StringIO())
        TimesReport(BENCHMARKS["w2"], 10_000_000, 1, measurements).show(console)
        text = console.export_text()
        assert max(map(len, text.splitlines())) <= 80
        assert text.count("12,345.6 ms") == text.count("45,678.0 ms") == 3

    def test_the_list_of_names(self):
        console = Console(width=80, record=True, file=io.StringIO())
        list_benchmarks(console)
        text = console.export_text()
        assert max(map(len, text.splitlines())) <= 80
        for name in (*BENCHMARKS, "sharing-grid", "sharing-costs", *EXPERIMENTS):
            assert f"  {name} " in text


NEWER = ("release", "processor", "memory")  # facts that older results do not have


class TestCleanCommits:
    def test_nothing_is_written_from_a_changed_work_tree(self, report, monkeypatch):
        monkeypatch.setattr(surroundings, "_commit", lambda: "0123456789ab-dirty")
        said = surroundings.written(report.write, PAPER_RESULTS / "nowhere")
        assert said.startswith("not written: results are kept only from a clean commit")
        assert not (PAPER_RESULTS / "nowhere").exists()

    def test_it_can_be_written_elsewhere(self, report, monkeypatch, tmp_path):
        monkeypatch.setattr(surroundings, "_commit", lambda: "0123456789ab-dirty")
        assert surroundings.written(report.write, tmp_path).startswith("written: ")

    def test_a_clean_commit_may_be_written(self, monkeypatch):
        monkeypatch.setattr(surroundings, "_commit", lambda: "0123456789ab")
        surroundings.require_clean(PAPER_RESULTS)

    def test_marks_of_results(self):
        assert surroundings.is_clean({"commit": "0123456789ab"})
        assert not surroundings.is_clean({"commit": "0123456789ab-dirty"})
        assert not surroundings.is_clean({"commit": None})


class TestMachine:
    def test_a_result_says_on_what_it_was_measured(self):
        facts = surroundings.surroundings(["cepheid"])
        assert facts["release"]
        assert {"processor", "memory", "cores"} <= facts.keys()

    def test_it_is_in_the_sentence(self):
        facts = surroundings.surroundings([]) | {"processor": "Fast 9000", "memory": "8 kB"}
        assert f", Fast 9000, {facts['release']}, 8 kB of memory; " in surroundings.sentence(facts)

    def test_older_results_do_not_say_it(self):
        facts = surroundings.surroundings([])
        older = {name: facts[name] for name in facts if name not in NEWER}
        said = f"{facts['system']} {facts['machine']}; python"
        assert said in surroundings.sentence(older)

    def test_a_file_that_is_not_there_says_nothing(self, tmp_path):
        assert surroundings._line_of(str(tmp_path / "cpuinfo"), "model name") is None


def test_the_page_of_claims_is_that_of_the_results():
    assert PAGE.read_text(encoding="utf-8") == page_text()
    assert {name for name in EXPERIMENTS if f"`{name}`" not in page_text()} == set()


def test_no_claim_on_the_page_has_a_hole():
    assert [line for line in page_text().splitlines() if "?" in line] == []


@pytest.mark.parametrize(
    "name", [each for each in EXPERIMENTS if (PAPER_RESULTS / f"{each}.json").exists()]
)
def test_a_claim_without_numbers_is_a_whole_sentence(name):
    path = PAPER_RESULTS / f"{name}.json"
    recorded = outcome_of(json.loads(path.read_text(encoding="utf-8")))
    nothing = Outcome(
        recorded.points,
        {key: [Cell(None)] * len(cells) for key, cells in recorded.series.items()},
        [],
        {key: [Cell(None)] * len(cells) for key, cells in recorded.counts.items()},
    )
    for claim in EXPERIMENTS[name].claims(nothing):
        assert not re.search(r"\?|None|\(\s*\)| {2}|\bto of\b", claim.text), claim.text


def test_a_figure_that_does_not_exist():
    with pytest.raises(NotRunnableError, match="sase has no figure 7; there are: sase-fig-8"):
        run_paper("sase", figures=["7"], scale=1, folder=None, console=Console())
