"""`cepheid.plot`: run a query and draw what it found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cepheid.drawn_runs import Drawing
from cepheid.plan.run_options import Batch
from cepheid.plot.picture import Plot
from cepheid.query import ON_SPARK, Query, query
from cepheid.workload import Workload, workload


def plot(
    queries: Query | str | Workload | Iterable[Query | str] | Mapping[str, Query | str],
    events: object,
    options: Batch | None = None,
    *,
    title: str | None = None,
    begin: Any = None,
    end: Any = None,
    value: str | None = None,
    **keywords: Any,
) -> Plot:
    """Run a query, or several, and return pictures of the results.

    Matches become a timeline with a row for every partition, aggregates a series of windows or
    bars. The events are read into this process, those of a batch DataFrame of Spark too.

    Args:
        queries: a query or its text; or a workload, or what `cepheid.workload` takes.
        events: as for `Query.run`, with the roles of columns as keywords.
        options: a `cepheid.Batch`; or its options as keywords.
        title: what stands above the picture; by default the query's name or pattern.
        begin: where the picture begins, as a time of the events or a text in ISO format; by
            default with the first event.
        end: where it ends.
        value: an attribute with numbers, drawn as a line above the events of each row.
        keywords: roles of columns and options of a run, as for `Query.run`.

    >>> import pyarrow as pa
    >>> events = pa.table({"ts": [1, 2, 3], "kind": ["A", "A", "B"]})
    >>> plot("PATTERN SEQ(A a, B b)", events, time="ts", type="kind")
    Plot(SEQ(A a, B b). 3 events, 2 matches. all events: 2 matches)
    """
    from cepheid.run_keywords import read_run

    given, chosen = read_run(events, options, keywords, method="plot", without=ON_SPARK)
    drawn: Query | Workload
    if isinstance(queries, Query | Workload):
        drawn = queries
    else:
        drawn = query(queries) if isinstance(queries, str) else workload(queries)
    return Drawing(drawn, given, chosen).plot(title=title, begin=begin, end=end, value=value)
