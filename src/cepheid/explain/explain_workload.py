"""Who reads whose results, and the explanation of every query of a workload."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from cepheid.analysis.dependencies import Dependencies
from cepheid.analysis.names import event_patterns
from cepheid.errors import ConfigError, suggest
from cepheid.explain.as_json import VERSION
from cepheid.explain.as_text import aligned, as_text, section
from cepheid.explain.explain_plan import explain_plan
from cepheid.plan.physical import PhysicalPlan

FORMATS = ("text", "json")


def explain_workload(
    plans: Mapping[str, PhysicalPlan], dependencies: Dependencies, *, format: str = "text"
) -> str:
    """Return the plans of several queries as text or JSON."""
    if format not in FORMATS:
        raise ConfigError(
            f"there is no format '{format}' of EXPLAIN for several queries",
            hint=suggest(format, FORMATS, owner="explain"),
        )
    return (_as_text if format == "text" else _as_json)(plans, dependencies)


def _as_text(plans: Mapping[str, PhysicalPlan], dependencies: Dependencies) -> str:
    rows = [
        (name, _reads(plan, dependencies.reads[name]), _into(plan)) for name, plan in plans.items()
    ]
    parts = [section("Workload", aligned(rows))]
    for name, plan in plans.items():
        parts.append(as_text(explain_plan(plan), title=f"Query {name}") + "\n")
    return "\n".join(parts).rstrip("\n")


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


def _as_json(plans: Mapping[str, PhysicalPlan], dependencies: Dependencies) -> str:
    queries = [
        {
            "name": name,
            "into": plan.query.into,
            "reads": dependencies.reads[name],
            **asdict(explain_plan(plan)),
        }
        for name, plan in plans.items()
    ]
    content = {"version": VERSION, "order": dependencies.order, "queries": queries}
    return json.dumps(content, ensure_ascii=False, indent=2)
