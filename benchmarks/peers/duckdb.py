"""DuckDB, by SQL.

`plain` is the query one writes first. `buckets` adds an equality on blocks of time as long as the
window, so that the join hashes on id and time and not on id alone. `prefix sums` and `closed form`
need an idea about the question, not only about the engine.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.contender import Contender
from benchmarks.peers.packages import needs
from benchmarks.references import Answer

W1_PLAIN = """
SELECT a.id, a.ts AS a_ts, b.ts AS b_ts, c.ts AS c_ts
FROM events a
JOIN events b ON b.id = a.id AND b.ts > a.ts AND b.ts <= a.ts + 1000
JOIN events c ON c.id = a.id AND c.ts > b.ts AND c.ts <= a.ts + 1000
WHERE a.etype = 'A' AND b.etype = 'B' AND c.etype = 'C'
"""

# An A reaches into its own block and the next one; so does an A with its B.
W1_BUCKETS = """
WITH a AS (SELECT id, ts, unnest([ts // 1000, ts // 1000 + 1]) AS block
           FROM events WHERE etype = 'A'),
     b AS (SELECT id, ts, ts // 1000 AS block FROM events WHERE etype = 'B'),
     c AS (SELECT id, ts, ts // 1000 AS block FROM events WHERE etype = 'C'),
     ab AS (SELECT id, a.ts AS a_ts, b.ts AS b_ts,
                   unnest([a.ts // 1000, a.ts // 1000 + 1]) AS block
            FROM a JOIN b USING (id, block)
            WHERE b.ts > a.ts AND b.ts <= a.ts + 1000)
SELECT id, a_ts, b_ts, c.ts AS c_ts
FROM ab JOIN c USING (id, block)
WHERE c.ts > b_ts AND c.ts <= a_ts + 1000
"""

W2_PLAIN = """
WITH matches AS (
       SELECT a.id, a.ts AS first, c.ts AS last
       FROM events a
       JOIN events b ON b.id = a.id AND b.ts > a.ts AND b.ts < a.ts + 1000
       JOIN events c ON c.id = a.id AND c.ts > b.ts AND c.ts < a.ts + 1000
       WHERE a.etype = 'A' AND b.etype = 'B' AND c.etype = 'C'),
     placed AS (
       SELECT id, unnest(generate_series((last // 100) * 100 - 900, (first // 100) * 100, 100))
                AS window_start
       FROM matches)
SELECT window_start, id, count(*) AS count FROM placed GROUP BY window_start, id
"""

# Every B contributes the As before it times the Cs after it, in each of its ten windows.
W2_PREFIX_SUMS = """
WITH placed AS (
       SELECT id, ts, etype, (ts // 100) * 100 - 100 * shift AS window_start
       FROM events, (SELECT unnest(range(10)) AS shift) WHERE etype IN ('A', 'B', 'C')),
     summed AS (
       SELECT window_start, id, etype,
              count(*) FILTER (etype = 'A') OVER before AS a_before,
              count(*) FILTER (etype = 'C') OVER whole
                - count(*) FILTER (etype = 'C') OVER before AS c_after
       FROM placed
       WINDOW before AS (PARTITION BY window_start, id ORDER BY ts ROWS UNBOUNDED PRECEDING),
              whole AS (PARTITION BY window_start, id))
SELECT window_start, id, sum(a_before * c_after)::BIGINT AS count
FROM summed WHERE etype = 'B' GROUP BY window_start, id HAVING sum(a_before * c_after) > 0
"""

W3_RECURSIVE = """
WITH RECURSIVE trends AS (
  SELECT company, ts, price FROM events
  UNION ALL
  SELECT e.company, e.ts, e.price
  FROM trends t JOIN events e ON e.company = t.company AND e.ts > t.ts AND e.price < t.price)
SELECT log2(count(*)) FROM trends
"""

# Gaps and islands: a new island begins where an event does not continue a run.
_ISLANDS = """
WITH neighbours AS (
       SELECT *, lag(etype) OVER mapper AS type_before, lag(cpu) OVER mapper AS cpu_before
       FROM events WINDOW mapper AS (PARTITION BY mapper ORDER BY ts)),
     islands AS (
       SELECT mapper, ts, etype, cpu,
              count(*) FILTER (NOT coalesce(
                etype = 'L' AND (type_before = 'S' OR (type_before = 'L' AND cpu > cpu_before))
                OR etype = 'E' AND type_before = 'L', false))
              OVER (PARTITION BY mapper ORDER BY ts) AS island
       FROM neighbours)
"""

W4_ISLANDS = f"""
{_ISLANDS},
     runs AS (
       SELECT sum(cpu) FILTER (etype = 'L') AS cpu FROM islands
       GROUP BY mapper, island
       HAVING bool_or(etype = 'S') AND bool_or(etype = 'E'))
SELECT count(*), sum(cpu)::BIGINT FROM runs
"""

W4_MATCHES = f"""
{_ISLANDS}
SELECT mapper, min(ts) FILTER (etype = 'S') AS start,
       list(ts ORDER BY ts) FILTER (etype = 'L') AS loads,
       list(cpu ORDER BY ts) FILTER (etype = 'L') AS cpu,
       max(ts) FILTER (etype = 'E') AS end
FROM islands GROUP BY mapper, island
HAVING bool_or(etype = 'S') AND bool_or(etype = 'E')
"""

# With n Ts between an X and a Y there are 2^n - 1 trends. Sums of 2^-n over the Xs so far give
# all pairs in one pass.
W5_CLOSED_FORM = """
WITH counted AS (
       SELECT ts, ts // 1000 AS block, grp, etype,
              count(*) FILTER (etype = 'T') OVER (PARTITION BY ts // 1000, grp ORDER BY ts) AS n
       FROM events),
     paired AS (
       SELECT etype, n,
              sum(CASE WHEN etype[1] = 'X' THEN pow(2.0, -n) END) OVER pair AS scaled,
              count(*) FILTER (etype[1] = 'X') OVER pair AS starts
       FROM counted WHERE etype <> 'T'
       WINDOW pair AS (PARTITION BY block, grp, etype[2:] ORDER BY ts))
SELECT sum(pow(2.0, n) * scaled - starts) FROM paired WHERE etype[1] = 'Y'
"""


def duckdb(
    variant: str,
    sql: str,
    answer: Callable[[pa.Table], Answer],
    *,
    most_events: int | None = None,
) -> Contender:
    """Return a contender that gives the result of a query over `events` as an Arrow table."""
    return Contender(
        f"DuckDB, {variant}",
        lambda path: _ask(path, sql),
        answer,
        needs("duckdb"),
        most_events,
        ("duckdb",),
    )


def _ask(path: Path, sql: str) -> pa.Table:
    connection = _connection()
    connection.sql(f"CREATE OR REPLACE VIEW events AS SELECT * FROM '{path}'")
    return connection.sql(sql).to_arrow_table()


@functools.cache
def _connection() -> Any:
    """Keep one database in memory for the process: opening one takes longer than small queries."""
    import duckdb

    return duckdb.connect()
