"""chDB (ClickHouse in the process): SQL with folds over arrays.

The folds are the algorithm of incremental aggregation written by hand, one event after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from benchmarks.contender import Contender
from benchmarks.peers.packages import needs
from benchmarks.references import Answer

W1_BUCKETS = """
WITH ab AS (
  SELECT a.id AS id, a.ts AS a_ts, b.ts AS b_ts
  FROM (SELECT id, ts, arrayJoin([intDiv(ts, 1000), intDiv(ts, 1000) + 1]) AS block
        FROM {events} WHERE etype = 'A') AS a
  JOIN (SELECT id, ts, intDiv(ts, 1000) AS block FROM {events} WHERE etype = 'B') AS b
    ON a.id = b.id AND a.block = b.block
  WHERE b_ts > a_ts AND b_ts <= a_ts + 1000)
SELECT ab.id AS id, ab.a_ts AS a_ts, ab.b_ts AS b_ts, c.ts AS c_ts
FROM (SELECT *, arrayJoin([intDiv(a_ts, 1000), intDiv(a_ts, 1000) + 1]) AS block FROM ab) AS ab
JOIN (SELECT id, ts, intDiv(ts, 1000) AS block FROM {events} WHERE etype = 'C') AS c
  ON ab.id = c.id AND ab.block = c.block
WHERE c_ts > b_ts AND c_ts <= a_ts + 1000
"""

# State: As, As then Bs, whole sequences.
W2_FOLD = """
SELECT window_start, id,
       arrayFold(
         (s, e) -> (s.1 + toInt64(e = 'A'), s.2 + if(e = 'B', s.1, toInt64(0)),
                    s.3 + if(e = 'C', s.2, toInt64(0))),
         types, (toInt64(0), toInt64(0), toInt64(0))).3 AS count
FROM (
  SELECT window_start, id,
         arrayMap(e -> e.2, arraySort(groupArray((assumeNotNull(ts), assumeNotNull(etype)))))
           AS types
  FROM (SELECT id, ts, etype,
               intDiv(ts, 100) * 100 - 100 * toInt64(arrayJoin(range(10))) AS window_start
        FROM {events} WHERE etype IN ('A', 'B', 'C'))
  GROUP BY window_start, id)
WHERE count > 0
"""

# State: for every event so far its price and how many trends end at it.
W3_FOLD = """
SELECT log2(sum(trends)) FROM (
  SELECT arraySum(e -> e.2, arrayFold(
           (s, p) -> arrayPushBack(s, (p, 1.0 + arraySum(e -> if(e.1 > p, e.2, 0.0), s))),
           arrayMap(e -> e.2, arraySort(groupArray((assumeNotNull(ts), assumeNotNull(price))))),
           CAST([], 'Array(Tuple(Int64, Float64))'))) AS trends
  FROM {events} GROUP BY company)
"""

# State: 0 nothing, 1 a Start, 2 Loads; the last cpu; its sum; results.
W4_FOLD = """
SELECT sum(r.4), sum(r.5) FROM (
  SELECT arrayFold(
    (s, e) -> multiIf(
      e.2 = 'S', (toInt64(1), toInt64(-1), toInt64(0), s.4, s.5),
      e.2 = 'L' AND s.1 > 0 AND e.3 > s.2, (toInt64(2), e.3, s.3 + e.3, s.4, s.5),
      e.2 = 'E' AND s.1 = 2, (toInt64(0), toInt64(0), toInt64(0), s.4 + 1, s.5 + s.3),
      (toInt64(0), toInt64(0), toInt64(0), s.4, s.5)),
    arraySort(groupArray((assumeNotNull(ts), assumeNotNull(etype), assumeNotNull(cpu)))),
    (toInt64(0), toInt64(0), toInt64(0), toInt64(0), toInt64(0))) AS r
  FROM {events} GROUP BY mapper)
"""

# Every T goes to all 50 queries. State: Xs, trends that end in a T, trends that end in a Y.
W5_FOLD = """
SELECT toFloat64(sum(arrayFold(
  (s, e) -> (s.1 + toUInt256(e = 'X'), if(e = 'T', s.2 * 2 + s.1, s.2),
             s.3 + if(e = 'Y', s.2, toUInt256(0))),
  types, (toUInt256(0), toUInt256(0), toUInt256(0))).3))
FROM (
  SELECT arrayMap(e -> e.2, arraySort(groupArray((assumeNotNull(ts), kind)))) AS types
  FROM (SELECT ts, grp, substring(assumeNotNull(etype), 1, 1) AS kind,
               arrayJoin(if(kind = 'T', range(toUInt64(50)),
                            [toUInt64OrZero(substring(assumeNotNull(etype), 2))])) AS query
        FROM {events})
  GROUP BY intDiv(ts, 1000), grp, query)
"""


def chdb(
    variant: str,
    sql: str,
    answer: Callable[[pa.Table], Answer],
    *,
    most_events: int | None = None,
) -> Contender:
    """Return a contender that gives the result of a query as an Arrow table."""
    return Contender(
        f"chDB, {variant}",
        lambda path: _ask(path, sql),
        answer,
        needs("chdb"),
        most_events,
        ("chdb",),
    )


def _ask(path: Path, sql: str) -> pa.Table:
    import chdb

    result = chdb.query(sql.format(events=f"file('{path}', 'Parquet')"), "Arrow")
    with pa.ipc.open_file(pa.py_buffer(result.bytes())) as reader:
        return reader.read_all()
