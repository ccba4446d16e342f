"""What the queries of a workload did together in one run, as text and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from cepheid.explain.as_json import VERSION
from cepheid.explain.as_text import INDENT, aligned, section
from cepheid.explain.duration import duration
from cepheid.explain.fold_text import run_sections
from cepheid.explain.sharing_document import SharingExplanation
from cepheid.explain.sharing_text import MOST_SETS, alone_lines, other_lines, set_lines
from cepheid.program.sharing.run_report import (
    ALONE,
    Burst,
    Decision,
    RunReport,
    SetRun,
    Snapshot,
)

MOST_BURSTS = 20
MOST_VALUES = 8  # snapshots of a burst
COUNTED = ("graphlets", "snapshots", "caught up")
SAVED = "saves, by costs"


def analysis_json(sharing: SharingExplanation, report: RunReport) -> str:
    """Return all that is known of the run as JSON."""
    content = {"version": VERSION, "sharing": asdict(sharing), "run": asdict(report)}
    return json.dumps(content, ensure_ascii=False, indent=2)


def analysis_text(sharing: SharingExplanation, report: RunReport) -> str:
    """Return every set with its parts and largest bursts, and who was alone."""
    parts = [
        section("Run", list(_about(report))),
        *run_sections(report),
    ]
    numbers = [number for number, _ in enumerate(report.sets, start=1)]
    slowest = sorted(numbers, key=lambda each: -report.sets[each - 1].folding_seconds)[:MOST_SETS]
    for number in sorted(slowest):
        run = report.sets[number - 1]
        explained = next(each for each in sharing.sets if each.queries == run.queries)
        first, *lines = set_lines(number, explained)
        lines = [line.removeprefix(INDENT) for line in lines]
        parts.append(section(f"S{first[1:]}", [*lines, "", *_set(run)]))
    others = [each for number, each in enumerate(report.sets, 1) if number not in slowest]
    if others:
        parts.append(
            section("Faster sets", [f"{len(others)} of {len(numbers)}: {_together(others)}"])
        )
    lines = list(other_lines(sharing))
    if lines:
        parts.append(section("Also together", lines[:-1]))
    if sharing.alone and report.policy != ALONE:
        parts.append(section("Each by itself", alone_lines(sharing)))
    return "\n".join(parts).rstrip("\n")


def _about(report: RunReport) -> Iterator[str]:
    if report.policy != ALONE:
        yield f"sharing: {report.policy}"
    yield f"all queries: {duration(report.seconds)}"


def _together(runs: Sequence[SetRun]) -> str:
    queries = sum(len(each.queries) for each in runs)
    bursts = sum(each.counters.bursts for each in runs)
    shared = sum(each.counters.shared_bursts for each in runs)
    seconds = sum(each.ordering_seconds + each.folding_seconds for each in runs)
    return f"{queries:,} queries, {bursts:,} bursts, {shared:,} shared, {duration(seconds)}"


def _set(run: SetRun) -> Iterator[str]:
    count = run.counters
    partitions = f"{run.partitions:,} partition{'' if run.partitions == 1 else 's'}"
    rows = [
        ("events", f"{run.events:,} in {partitions}"),
        (
            "time",
            f"ordered in {duration(run.ordering_seconds)}, folded in "
            f"{duration(run.folding_seconds)}",
        ),
        *_plain(run),
        *_comparison(run),
        (
            "bursts",
            f"{count.bursts:,}, of which {count.shared_bursts:,} "
            f"{'would be' if run.is_plain or run.is_alone else 'were'} shared",
        ),
        (
            "steps",
            f"{count.logged:,} written once for all; {count.direct:,} taken by one place in one "
            "window",
        ),
        (
            "catching up",
            f"{count.caught_up:,} times, by {count.applied:,} steps and blocks "
            f"({count.blocks:,} blocks computed); {count.snapshots:,} snapshots",
        ),
    ]
    yield from aligned(rows)
    if run.parts and run.counters.bursts:
        yield ""
        yield from _parts(run)
        yield ""
        yield from _bursts(run)


def _plain(run: SetRun) -> Iterator[tuple[str, str]]:
    if run.is_alone:
        yield "folded", "each by itself, which costs less; what follows is one fold for all of them"
    if run.is_in_panes:
        yield "folded", "in panes of all windows, which costs less"
        yield "", "a lane below is a place that runs can be in when a pane begins"
    if not run.is_plain:
        return
    yield "counted", "with plain numbers, without a decision for every burst: that is quicker"
    if run.counters.bursts:
        yield "", "bursts and steps below are those of a fold that shares by this policy"


def _comparison(run: SetRun) -> Iterator[tuple[str, str]]:
    if run.warm_seconds is not None and run.shared_seconds is not None:
        yield (
            "compared",
            f"counted again in {duration(run.warm_seconds)}; with every burst shared it takes "
            f"{duration(run.shared_seconds)}",
        )
    saved = run.seconds_saved
    if saved is None or run.warm_seconds is None or run.apart_seconds is None:
        return
    share = 100 * saved / run.apart_seconds if run.apart_seconds else 0.0
    word = "saved" if saved >= 0 else "lost"
    how = "in panes " if run.is_in_panes else ""
    yield (
        "compared",
        f"folded again {how}in {duration(run.warm_seconds)}, without sharing in "
        f"{duration(run.apart_seconds)}: {duration(abs(saved))} {word} ({abs(share):.0f} %)",
    )


def _parts(run: SetRun) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [
        ("part", "bursts", "shared", "partly", "not", "steps", "most lanes", *COUNTED, SAVED)
    ]
    for each in run.parts:
        apart = each.bursts - each.shared - each.partly
        numbers = (each.bursts, each.shared, each.partly, apart, each.steps, each.most_lanes,
                   each.graphlets, each.snapshots, each.caught_up)  # fmt: skip
        rows.append((each.text, *(f"{number:,}" for number in numbers), estimate(each.saved)))
    yield from aligned(rows)
    if run.recorded < run.counters.bursts:
        yield f"(the first {run.recorded:,} of {run.counters.bursts:,} bursts)"


def _bursts(run: SetRun) -> Iterator[str]:
    """Yield the largest bursts in the order of the run."""
    largest = sorted(run.bursts, key=lambda each: -each.steps * each.lanes)[:MOST_BURSTS]
    chosen = {id(each) for each in largest}
    rows: list[tuple[str, ...]] = [
        ("time", "partition", "part", "steps", "lanes", *COUNTED, "decision", SAVED)
    ]
    rows += [_burst(each, run) for each in run.bursts if id(each) in chosen]
    if not any(each.partition for each in run.bursts):
        rows = [(first, *others) for first, _, *others in rows]
    yield from aligned(rows)
    yield from _snapshots([each for each in run.bursts if id(each) in chosen and each.values], run)
    left_out = run.counters.bursts - len(largest)
    if left_out:
        yield f"and {left_out:,} smaller bursts; JSON lists the first {len(run.bursts):,}"


def _snapshots(bursts: Sequence[Burst], run: SetRun) -> Iterator[str]:
    """Yield with how many runs places begin the bursts that they share."""
    if not bursts:
        return
    yield ""
    yield "Runs that a burst begins with (snapshots), of places that had others since the last one:"
    rows = [
        (
            each.first_time,
            ", ".join(each.partition),
            run.parts[each.part].text,
            ", ".join([*map(_snapshot, each.values[:MOST_VALUES]), *_more(each.values)]),
        )
        for each in bursts
    ]
    if not any(each.partition for each in bursts):
        yield from aligned([(first, *others) for first, _, *others in rows])
    else:
        yield from aligned(rows)


def _snapshot(snapshot: Snapshot) -> str:
    runs = "more than 2^512" if snapshot.runs is None else f"{snapshot.runs:,}"
    window = "" if snapshot.window is None else f" (window of {snapshot.window})"
    return f"{' and '.join(snapshot.queries)} {runs}{window}"


def _more(snapshots: Sequence[Snapshot]) -> Iterator[str]:
    left_out = len(snapshots) - MOST_VALUES
    if left_out > 0:
        yield f"and {left_out:,} more"


def _burst(burst: Burst, run: SetRun) -> tuple[str, ...]:
    decision = burst.decision.value
    if burst.decision is Decision.PARTLY:
        total = run.parts[burst.part].classes
        decision += f": {len(burst.sharing)} of {total} classes"
    if burst.decision is Decision.APART:
        word = "save" if burst.if_all_share > 0 else "lose"
        decision += f": would {word} {estimate(abs(burst.if_all_share))}"
    return (
        burst.first_time,
        ", ".join(burst.partition),
        run.parts[burst.part].text,
        f"{burst.steps:,}",
        f"{burst.lanes:,}",
        f"{burst.graphlets:,}",
        f"{burst.snapshots:,}",
        f"{burst.caught_up:,}",
        decision,
        estimate(burst.saved),
    )


def estimate(nanoseconds: int) -> str:
    """Return what the costs say."""
    if nanoseconds == 0:
        return "0"
    sign = "-" if nanoseconds < 0 else ""
    return f"{sign}{duration(abs(nanoseconds) * 1e-9)}"
