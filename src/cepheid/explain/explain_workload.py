"""Who reads whose results, who shares work, and the explanation of every query of a workload."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice

from cepheid.analysis.dependencies import Dependencies
from cepheid.analysis.names import event_patterns
from cepheid.errors import ConfigError, suggest
from cepheid.explain.as_json import VERSION
from cepheid.explain.as_mermaid import as_mermaid
from cepheid.explain.as_svg import as_svg
from cepheid.explain.as_text import (
    INDENT,
    aligned,
    as_text,
    choice_lines,
    ranked_lines,
    section,
)
from cepheid.explain.describe_operators import describe_window
from cepheid.explain.explain_plan import explain_plan
from cepheid.explain.explain_sharing import explain_sharing
from cepheid.explain.merged_template import merged_templates
from cepheid.explain.name_lists import name_list
from cepheid.explain.sharing_document import SharingExplanation
from cepheid.explain.sharing_text import sharing_lines
from cepheid.plan.physical import PhysicalPlan
from cepheid.program.run_record import GroupRecord, StepsTogether

DRAWN = {"mermaid": as_mermaid, "svg": as_svg}
FORMATS = ("text", "json", *DRAWN)
MOST_PLANS = 12  # that are printed in full; of more queries, as many have a line


def explain_workload(
    plans: Mapping[str, PhysicalPlan],
    dependencies: Dependencies,
    folds: Sequence[GroupRecord] = (),
    steps: Sequence[StepsTogether] = (),
    *,
    format: str = "text",
) -> str:
    """Return the plans of several queries, and what they share, as text or JSON.

    As a Mermaid flowchart or an SVG picture, the merged templates of those that are folded
    together. `folds` are those that the engine has for them, together and by themselves, `steps`
    those of one stream.
    """
    if format not in FORMATS:
        raise ConfigError(
            f"there is no format '{format}' of EXPLAIN for several queries",
            hint=suggest(format, FORMATS, owner="explain"),
        )
    sharing = explain_sharing(plans, dependencies)
    if format in DRAWN:
        return DRAWN[format](*merged_templates(plans, sharing))
    if format == "json":
        return _as_json(plans, dependencies, sharing, folds, steps)
    return _as_text(plans, dependencies, sharing, folds, steps)


def _of_one(folds: Sequence[GroupRecord], name: str) -> list[GroupRecord]:
    return [each for each in folds if each.queries == (name,)]


def _of_several(folds: Sequence[GroupRecord]) -> list[GroupRecord]:
    return [each for each in folds if len(each.queries) > 1]


def _fold_lines(folds: Sequence[GroupRecord]) -> Iterator[str]:
    """Yield the folds of queries that are folded together."""
    groups = _of_several(folds)
    for each in groups[:MOST_PLANS]:
        yield f"{name_list(each.queries)}:"
        yield from (f"{INDENT}{line}" for line in ranked_lines(each))
    if len(groups) > MOST_PLANS:
        yield f"… {len(groups) - MOST_PLANS:,} more; JSON has all of them"


def _step_lines(steps: Sequence[StepsTogether]) -> Iterator[str]:
    """Yield what a step looks at for queries that are run together on one stream."""
    for each in steps[:MOST_PLANS]:
        yield f"{name_list(each.queries)}:"
        yield from (f"{INDENT}{line}" for line in choice_lines(each.steps))
    if len(steps) > MOST_PLANS:
        yield f"… {len(steps) - MOST_PLANS:,} more; JSON has all of them"


def _as_text(
    plans: Mapping[str, PhysicalPlan],
    dependencies: Dependencies,
    sharing: SharingExplanation,
    folds: Sequence[GroupRecord],
    steps: Sequence[StepsTogether],
) -> str:
    shared = section("Sharing", sharing_lines(sharing))
    lines = list(_fold_lines(folds))
    if lines:
        shared += "\n" + section("Folds of queries together", lines)
    lines = list(_step_lines(steps))
    together = [section("Steps of one stream of all queries", lines)] if lines else []
    if len(plans) > MOST_PLANS:
        parts = [section("Workload", [f"{len(plans)} queries"]), shared]
        first = dict(islice(plans.items(), MOST_PLANS))
        lines = _table(first, dependencies, sharing)
        lines.append(f"… {len(plans) - MOST_PLANS:,} more; JSON has all of them")
        parts += [section("Queries", lines), *together]
        parts.append(
            "The plan of one of them: workload.queries[name].explain(), cepheid explain FILE."
        )
        return "\n".join(parts).rstrip("\n")
    rows = [
        (name, _reads(plan, dependencies.reads[name]), _into(plan)) for name, plan in plans.items()
    ]
    parts = [section("Workload", aligned(rows)), shared, *together]
    for name, plan in plans.items():
        explained = explain_plan(plan, _of_one(folds, name))
        parts.append(as_text(explained, title=f"Query {name}") + "\n")
    return "\n".join(parts).rstrip("\n")


def _table(
    plans: Mapping[str, PhysicalPlan], dependencies: Dependencies, sharing: SharingExplanation
) -> list[str]:
    rows = []
    for name, plan in plans.items():
        state = "returns matches" if plan.query.aggregates is None else plan.method.value.value
        rows.append(
            (
                name,
                _company(name, sharing),
                describe_window(plan.query) or "",
                state,
                _reads(plan, dependencies.reads[name]),
                _into(plan),
            )
        )
    return aligned(rows)


def _company(name: str, sharing: SharingExplanation) -> str:
    if sharing.is_alone(name):
        return "alone"
    number = sharing.set_of(name)
    return "with others" if number is None else f"set {number}"


def _reads(plan: PhysicalPlan, derived: Mapping[str, tuple[str, ...]]) -> str:
    types = dict.fromkeys(
        name for event in event_patterns(plan.query.tree.pattern) for name in event.types
    )
    words = [
        f"{each} of {' and '.join(derived[each])}" if each in derived else each for each in types
    ]
    return f"reads {', '.join(words)}"


def _into(plan: PhysicalPlan) -> str:
    return "" if plan.query.into is None else f"INTO {plan.query.into}"


def _as_json(
    plans: Mapping[str, PhysicalPlan],
    dependencies: Dependencies,
    sharing: SharingExplanation,
    folds: Sequence[GroupRecord],
    steps: Sequence[StepsTogether],
) -> str:
    queries = [
        {
            "name": name,
            "into": plan.query.into,
            "reads": dependencies.reads[name],
            **asdict(explain_plan(plan, _of_one(folds, name))),
        }
        for name, plan in plans.items()
    ]
    content = {
        "version": VERSION,
        "order": dependencies.order,
        "sharing": asdict(sharing),
        "folds": [asdict(each) for each in _of_several(folds)],
        "steps": [asdict(each) for each in steps],
        "queries": queries,
    }
    return json.dumps(content, ensure_ascii=False, indent=2)
