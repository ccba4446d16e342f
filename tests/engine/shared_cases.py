"""Queries of one bundle that share in every way or nothing; events with NULL in the partition."""

import random

import pyarrow as pa

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.plan.run_options import RunOptions
from cepheid.program.program import Program

ROLES = {"time": "time", "type": "type"}
RISING = "b.x < NEXT(b).x"
SETS = [
    "PATTERN SEQ(A, B+) WHERE [k] WITHIN 40 SLIDE 20 RETURN k, COUNT(*) AS n GROUP BY k",
    "PATTERN SEQ(C, B+ b) WHERE [k] WITHIN 60 SLIDE 20 RETURN SUM(b.x) AS total",
    "PATTERN SEQ(A, B+ b) WHERE [k] AND b.x > 3 WITHIN 40 SLIDE 20 RETURN MAX(b.x) AS most",
]
LANES = [
    f"PATTERN SEQ(A, B b+) WHERE [k] AND {RISING} WITHIN 40 SLIDE 20 RETURN COUNT(*) AS n",
    f"PATTERN SEQ(C, B b+) WHERE [k] AND {RISING} WITHIN 30 SLIDE 10 "
    "RETURN k, AVG(b.x) AS mean GROUP BY k",
    f"PATTERN SEQ(A, B b+) WHERE [k] AND {RISING} WITHIN 40 SLIDE 20 "
    "RETURN COUNT(*) AS n HAVING COUNT(*) > 2",
]
RECENT = [
    "PATTERN SEQ(A, B, C) WHERE [k] WITHIN 9 RETURN k, COUNT(B) AS n GROUP BY k",
    "PATTERN SEQ(A, B, A) WHERE [k] WITHIN 9 RETURN k, COUNT(B) AS n GROUP BY k",
]
CHAINS = [
    "PATTERN SEQ(A, B, C) WHERE [k] WITHIN 9 RETURN k, COUNT(*) AS n GROUP BY k",
    "PATTERN SEQ(A, B, A) WHERE [k] WITHIN 9 RETURN k, COUNT(*) AS n GROUP BY k",
    *RECENT,
]
MATCHES = [
    "PATTERN SEQ(A a, B b, C c) WHERE [k] WITHIN 12 RETURN a.time, c.time",
    "PATTERN SEQ(A a, B b, A c) WHERE [k] WITHIN 12 RETURN a.time, b.time, c.time",
]
ALONE = [
    *MATCHES,
    "PATTERN SEQ(A a, B b, C c) WHERE [k] SEMANTICS contiguous WITHIN 20 RETURN a.time, c.time",
    "PATTERN SEQ(A, B+) WHERE [k] WITHIN 12 SLIDE 6 RETURN k, EXACT COUNT(*) AS n GROUP BY k",
    "PATTERN SEQ(A, B+) WHERE [k] SEMANTICS contiguous WITHIN 12 SLIDE 6 RETURN COUNT(*) AS n",
]
TEXTS = [*SETS, *LANES, *CHAINS, *ALONE]
FOLDS = 3 + len(ALONE)  # a set, lanes, segments


def events_of(count: int = 300, seed: int = 5) -> pa.Table:
    dice = random.Random(seed)
    return pa.table(
        {
            "time": list(range(count)),
            "type": dice.choices("AABBBC", k=count),
            "k": [None if each % 50 == 0 else dice.randrange(4) for each in range(count)],
            "x": [dice.randrange(11) for _ in range(count)],
        }
    )


def programs_of(texts: list[str], events: pa.Table, order: tuple[str, ...] = ()) -> list[Program]:
    schema = event_schema(events.schema, ColumnRoles(**ROLES, order=order))
    return [cepheid.query(each).program(RunOptions(), schema) for each in texts]
