"""Compile kernels ahead: when an image is built, or before the first query of a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cepheid.errors import ConfigError, suggest
from cepheid.query import query
from cepheid.workload import workload

if TYPE_CHECKING:
    import pyarrow as pa

    from cepheid.kernels.compiling import Compiled

# Kernels belong to kinds of queries, not to queries: a few small ones stand for all of a kind.
KINDS: dict[str, tuple[str, ...]] = {
    "matches": (
        "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 60 RETURN a.ts, b.ts",
        "PATTERN SEQ(A a, B+ b) WHERE [k] WITHIN 20 SEMANTICS skip-till-next-match",
        "PATTERN SEQ(A a, B b) WHERE [k] SEMANTICS contiguous",
    ),
    "matches-with-predicates": (
        "PATTERN SEQ(A a, B b) WHERE [k] AND b.x > a.x WITHIN 60",
        "PATTERN SEQ(A+ a, B b) WHERE [k] AND a[i].x > a[i-1].x WITHIN 20",
        "PATTERN SEQ(A+ a, B b) WHERE [k] AND avg(a[].x) < b.x WITHIN 20",
    ),
    "negation": (
        "PATTERN SEQ(A a, !(C c), B b) WHERE [k] WITHIN 60",
        "PATTERN SEQ(A a, !(C c), B b) WHERE [k] AND c.x > a.x WITHIN 60",
        "PATTERN SEQ(A a, !(C c), B b) WHERE [k] WITHIN 60 SLIDE 20 RETURN COUNT(*) AS n",
    ),
    "counts": (
        "PATTERN SEQ(A+ a, B b) WHERE [k] RETURN COUNT(*) AS n",
        "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 60 RETURN COUNT(*) AS n",
        "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 60 SLIDE 20 RETURN COUNT(*) AS n",
    ),
    "sums": (
        "PATTERN SEQ(A+ a, B b) WHERE [k] RETURN SUM(a.x) AS s, MIN(a.x) AS m",
        "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 60 RETURN SUM(a.x) AS s, MIN(a.x) AS m",
        "PATTERN SEQ(A+ a, B b) WHERE [k] WITHIN 60 SLIDE 20 RETURN SUM(a.x) AS s, AVG(a.x) AS m",
    ),
    "adjacent-predicates": (
        "PATTERN A{2,} a WHERE [k] AND a[i].ts - a[i-1].ts < 10 WITHIN 60 RETURN COUNT(*) AS n",
        "PATTERN A+ a WHERE [k] AND a[i].x > a[i-1].x WITHIN 60 SLIDE 20 RETURN COUNT(*) AS n",
        "PATTERN ANY(A, B, C)+ a WHERE a[i].ts - a[i-1].ts < 60 RETURN EXACT COUNT(*) AS n",
        "PATTERN A+ a WHERE [k] AND a[i].x > a[i-1].x RETURN SUM(a.x) AS s",
        "PATTERN A+ a WHERE [k] AND a[i].x > a[i-1].x SEMANTICS skip-till-next-match "
        "WITHIN 60 SLIDE 20 RETURN COUNT(*) AS n",
        "PATTERN A+ a WHERE [k] AND a[i].x > a[i-1].x SEMANTICS contiguous "
        "WITHIN 60 SLIDE 20 RETURN COUNT(*) AS n",
    ),
}
WORKLOADS = "workloads"
SHARED = {
    "first": "PATTERN SEQ(A a, B+ b) WHERE [k] WITHIN 60 SLIDE 20 RETURN COUNT(*) AS n",
    "second": "PATTERN SEQ(C c, B+ b) WHERE [k] WITHIN 60 SLIDE 20 RETURN COUNT(*) AS n",
}


@dataclass(frozen=True, slots=True)
class Warmed:
    """A kind of queries, and the kernels that were compiled for it; none that were there before."""

    kind: str
    kernels: tuple[Compiled, ...]


def warmup(*kinds: str) -> tuple[Warmed, ...]:
    """Compile the kernels of some kinds of queries, or of all, and keep them on disk.

    Small queries of every kind run over made-up events. What is there already is not compiled
    again; the log `cepheid.kernels` names what is.

    Args:
        kinds: Some of `cepheid.warmup_kinds()`; all if none is named.

    Raises:
        ConfigError: there is no such kind.

    >>> import cepheid
    >>> [each.kind for each in cepheid.warmup("matches")]
    ['matches']
    """
    for kind in kinds:
        if kind not in warmup_kinds():
            raise ConfigError(
                f"there is no kind of queries called '{kind}'",
                hint=suggest(kind, warmup_kinds(), owner="warmup"),
            )
    return tuple(_warm(kind) for kind in kinds or warmup_kinds())


def warmup_kinds() -> tuple[str, ...]:
    """Return the kinds of queries whose kernels can be compiled ahead."""
    return (*KINDS, WORKLOADS)


def _warm(kind: str) -> Warmed:
    from cepheid.engine.events.is_few import as_if_many
    from cepheid.kernels.compiling import watching_compilations

    with watching_compilations() as compiled:
        _run(kind)
        with as_if_many():
            _run(kind)
    return Warmed(kind, tuple(compiled))


def _run(kind: str) -> None:
    events = _events()
    if kind == WORKLOADS:
        workload(SHARED).run(events, time="ts", type="kind")
    for text in KINDS.get(kind, ()):
        query(text).run(events, time="ts", type="kind")


def _events() -> pa.Table:
    import pyarrow as pa

    rows = range(60)
    return pa.table(
        {
            "ts": list(rows),
            "kind": ["AABC"[row % 4] for row in rows],
            "k": [row // 4 % 3 for row in rows],
            "x": [row * 7 % 100 for row in rows],
        }
    )
