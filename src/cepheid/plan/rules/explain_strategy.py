"""The reading of the strategy in use."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery, Strategy
from cepheid.plan.physical import Choice

READINGS = {
    Strategy.SKIP_TILL_ANY: "a run always survives an event, so every combination is found",
    Strategy.SKIP_TILL_NEXT: "a partial match leaves out an event only if it cannot take it "
    "(COGRA Def. 2.6)",
    Strategy.SKIP_TILL_NEXT_KLEENE: "in a repetition a partial match leaves out what the "
    "repetition cannot take, elsewhere what it cannot take at all (SASE+ 3.2: leaving a repetition "
    "is optional)",
    Strategy.CONTIGUOUS: "a run survives only events of other partitions",
    Strategy.LATEST_WINS: "a partial match leaves out an event only if it cannot take it, and as "
    "long as none that starts later waits at the same place",
    Strategy.STRICT: "no run survives an event that it does not use",
}


def explain_strategy(query: BoundQuery) -> Choice[Strategy]:
    """Return the strategy with what it means for a run."""
    tree = query.tree
    written = tree.semantics is not None or query.strategy is not Strategy.SKIP_TILL_ANY
    origin = "" if written else "default: "
    return Choice(query.strategy, origin + READINGS[query.strategy])
