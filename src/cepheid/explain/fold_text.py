"""What one run did, in words: the folds that ran, why not others, counts and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cepheid.explain.as_text import aligned, refused, section, with_cost
from cepheid.explain.duration import duration
from cepheid.program.run_record import NOT_NEEDED, RAN, TOO_LARGE, GroupRecord
from cepheid.program.sharing.run_report import RunReport

MOST_GROUPS = 12


def run_sections(report: RunReport) -> Iterator[str]:
    """Yield what was counted, how long stages took, and a section for every group."""
    rows = [(name, f"{number:,}") for name, number in report.counts.items()]
    rows += [(f"time: {name}", duration(seconds)) for name, seconds in report.stages.items()]
    if rows:
        yield section("Counts and times", aligned(rows))
    for group in report.groups[:MOST_GROUPS]:
        part = f": {group.what}" if group.what else ""
        yield section(f"Folds of {', '.join(group.queries)}{part}", ran_lines(group))
    left = report.groups[MOST_GROUPS:]
    if left:
        ran = Counter(each.ran for each in left)
        lines = [f"{count:,} times {name}" for name, count in ran.most_common()]
        yield section("Folds of other queries (JSON has all of them)", lines)


def ran_lines(group: GroupRecord) -> Iterator[str]:
    """Yield the fold that ran, those that were left, and why others did not run."""
    rows: list[tuple[str, str]] = []
    for each in group.folds:
        if each.outcome == TOO_LARGE:
            rows.append(("left", f"{each.name}: {each.why}"))
        elif each.outcome == RAN:
            rows.append(("ran", with_cost(each)))
    others = [each.name for each in group.folds if each.outcome == NOT_NEEDED]
    if others:
        rows.append(("not needed", ", ".join(others)))
    rows += [("not", f"{names}: {reason}") for names, reason in refused(group)]
    if group.facts:
        facts = (f"{name} {number:,}" for name, number in group.facts.items())
        rows.append(("facts", ", ".join(facts)))
    yield from aligned(rows)
