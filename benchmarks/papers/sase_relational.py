"""SASE and a relational stream processor (SASE, section 5.4, figures 11 and 12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.papers.claims import at_least, at_most, figures, less, quotient, ratio_claim
from benchmarks.papers.experiment import Cell, Claim, Experiment, Outcome
from benchmarks.papers.sase_contenders import engine, partitioned, relational
from benchmarks.papers.sase_stream import Workload, number_of_events
from benchmarks.papers.sweep import OURS, Entry, Sweep, sweep

SASE, JOINS = "SASE (PAIS)", "TelegraphCQ (joins)"
SYSTEMS = (OURS, SASE, JOINS)
WINDOW = 10_000
LENGTHS = (2, 3, 4, 5, 6)
VALUES_OF_FIGURE_11 = 100
VALUES_OF_FIGURE_12 = (10, 30, 100, 300, 1000, 3000, 10_000)
SECOND_VALUES = 20
CLEARLY = 2.0  # what counts as a clear difference, as a factor
NORMALIZED = "normalized throughput"

DIFFERS = (
    "TelegraphCQ is not run: its place takes an n-way join over windows, written from the paper's "
    "description and compiled with Numba like the SASE of the paper (PAIS, Dynamic Filtering, "
    "windows pushed down). A fixed number of events instead of batches until the throughput "
    "converges."
)


def _joined_rows(workload: Workload) -> float:
    """Return about how many rows the joins make: every event of the pattern meets all others."""
    chance = workload.types * workload.values[0]
    for values in workload.values[1:]:
        chance *= values
    partners = workload.window / chance
    arriving = workload.events * workload.length / workload.types
    return arriving * partners ** (workload.length - 1)


def _entries(workload: Workload) -> Mapping[str, Entry]:
    return {
        OURS: Entry(engine(workload)),
        SASE: Entry(partitioned(workload)),
        JOINS: Entry(relational(workload), _joined_rows(workload)),
    }


def _at_lightest(swept: Sweep[int], lightest: int, label: str) -> str:
    """Say what the curves are normalized by."""
    place = list(swept.points).index(lightest)
    parts = [
        f"{name}{figures(' {} events/s', swept.throughput(name)[place].value)}" for name in SYSTEMS
    ]
    return f"throughput at {label}: {', '.join(parts)}"


def figure_11(scale: float) -> Outcome:
    """Vary the length of the sequence."""

    def workload(length: int) -> Workload:
        events = number_of_events(200_000, scale)
        return Workload(events, WINDOW, length, (VALUES_OF_FIGURE_11,))

    table = workload(LENGTHS[0]).table()
    swept = sweep(LENGTHS, "L", lambda _: table, lambda length: _entries(workload(length)))
    series = {name: swept.normalized(name, LENGTHS[0]) for name in SYSTEMS}
    ratios = [*swept.ratios((SASE, JOINS)), _at_lightest(swept, LENGTHS[0], "L = 2")]
    return Outcome(swept.points, series, ratios)


def claims_11(outcome: Outcome) -> list[Claim]:
    """Say that joins drop sharply with the length, and SASE does not."""
    joins, sase, ours = (outcome.curves[name] for name in (JOINS, SASE, OURS))
    return [
        Claim(
            f"the joins drop sharply from L = 2 to L = 3{figures(' (to {})', joins[1].value)}",
            at_most(joins[1].value, 0.6),
        ),
        Claim(
            "the joins keep less than 0.01 of their throughput from L = 5 on"
            + figures(" ({})", joins[3].value),
            at_most(joins[3].value, 0.01),
        ),
        ratio_claim(
            "what SASE keeps of its throughput at L = 6",
            sase[4].value,
            0.5,
            "compiled, an event that builds nothing costs so little that the matches, of which "
            "there are more with every type, are most of the work",
        ),
        Claim(
            f"{OURS} scales better than the joins, too{figures(' ({} at L = 6)', ours[4].value)}",
            less(joins[4].value, ours[4].value),
            of_paper=False,
        ),
    ]


def figure_12(scale: float) -> Outcome:
    """Vary the domain size, with one equivalence test and with two."""
    lightest = VALUES_OF_FIGURE_12[-1]
    swept_by_tests = {
        "1 equiv": _varying_values(scale, ()),
        "2 equivs": _varying_values(scale, (SECOND_VALUES,)),
    }
    series: dict[str, Sequence[Cell]] = {}
    ratios = []
    for tests, swept in swept_by_tests.items():
        series |= {f"{name}, {tests}": swept.normalized(name, lightest) for name in SYSTEMS}
        ratios += [f"{tests}: {sentence}" for sentence in swept.ratios((SASE, JOINS))]
        ratios.append(f"{tests}: {_at_lightest(swept, lightest, 'V1 = 10,000')}")
    return Outcome(VALUES_OF_FIGURE_12, series, ratios)


def claims_12(outcome: Outcome) -> list[Claim]:
    """Say that SASE drops less than the joins, and gains more from a second test."""
    one = {name: outcome.curves[f"{name}, 1 equiv"][0] for name in SYSTEMS}
    two = {name: outcome.curves[f"{name}, 2 equivs"][0] for name in SYSTEMS}
    gain = {name: quotient(two[name], one[name]) for name in SYSTEMS}
    return [
        Claim(
            "with one test the joins drop much more than SASE at V1 = 10"
            + figures(" (to {} and {})", one[JOINS].value, one[SASE].value),
            at_least(quotient(one[SASE], one[JOINS]), CLEARLY),
        ),
        Claim(
            f"a second test helps SASE at V1 = 10{figures(' (by a factor of {})', gain[SASE])}",
            at_least(gain[SASE], CLEARLY),
        ),
        Claim(
            "a second test helps the joins much less"
            + figures(" (by a factor of {})", gain[JOINS]),
            at_least(quotient(Cell(gain[SASE]), Cell(gain[JOINS])), CLEARLY),
            why="the joins test both attributes before they write a row, so that they gain as much",
        ),
        Claim(
            f"{OURS} drops less than the joins with two tests"
            + figures(" (to {} and {})", two[OURS].value, two[JOINS].value),
            less(two[JOINS].value, two[OURS].value),
            of_paper=False,
        ),
    ]


def _varying_values(scale: float, further: tuple[int, ...]) -> Sweep[int]:
    def workload(values: int) -> Workload:
        return Workload(number_of_events(100_000, scale), WINDOW, values=(values, *further))

    return sweep(
        VALUES_OF_FIGURE_12,
        "V1",
        lambda values: workload(values).table(),
        lambda values: _entries(workload(values)),
    )


FIGURE_11 = Experiment(
    name="sase-fig-11",
    title="Varying the sequence length L: SASE and a relational stream processor, V1 = 100",
    x_label="sequence length L",
    y_label=f"{NORMALIZED} (1 at L = 2)",
    paper=(
        "TelegraphCQ drops sharply from L = 2 to L = 3 and degrades to less than 0.01 for L of 5 "
        "and more. SASE decreases more gracefully and reaches 0.5 at L = 6."
    ),
    differs=DIFFERS,
    run=figure_11,
    claims=claims_11,
)
FIGURE_12 = Experiment(
    name="sase-fig-12",
    title="Varying the domain size V1: SASE and a relational stream processor, L = 3",
    x_label="domain size V1 of attr1",
    y_label=f"{NORMALIZED} (1 at V1 = 10,000)",
    paper=(
        "As V1 decreases from 10,000 to 10, TelegraphCQ drops much faster than SASE. A second "
        "equivalence test with V2 = 20 improves SASE significantly, above all where V1 is small; "
        "TelegraphCQ gains little."
    ),
    differs=DIFFERS,
    run=figure_12,
    claims=claims_12,
    log_x=True,
)
