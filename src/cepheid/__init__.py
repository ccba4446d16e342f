"""Cepheid: complex event processing for PySpark.

>>> import cepheid
>>> import pyarrow as pa
>>> events = pa.table({"ts": [1, 2, 5], "kind": ["A", "B", "B"]})
>>> query = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 3 RETURN a.ts, b.ts")
>>> query.run(events, time="ts", type="kind").to_pylist()
[{'a_ts': 1, 'b_ts': 2}]
"""

from typing import Any

from cepheid.analyzed_run import AnalyzedRun
from cepheid.connectors.cause_of import cause_of
from cepheid.drawn_runs import WorkloadResults
from cepheid.errors import (
    BindingError,
    CepheidError,
    ConfigError,
    DataError,
    InternalError,
    LiveStateError,
    MatchLimitError,
    OutOfMemoryError,
    PipelineError,
    QueryError,
    QuerySyntaxError,
    StateError,
    StateLimitError,
    UnsupportedQueryError,
)
from cepheid.events import Events, events
from cepheid.funnels.funnel import Funnel, funnel, funnel_queries
from cepheid.on_spark import declared, register
from cepheid.plan.run_options import Batch
from cepheid.plan.stream_options import Streaming
from cepheid.plot.picture import Plot
from cepheid.plotting import plot
from cepheid.query import Query, query
from cepheid.spark.streaming_metrics import StreamingMetrics, streaming_metrics
from cepheid.tables.result_types import Compressed, ResultsWithLate
from cepheid.warmup import Warmed, warmup, warmup_kinds
from cepheid.workload import QueryFolder, Workload, query_folder, workload

__version__ = "0.1.0"

__all__ = [
    "AnalyzedRun", "Batch", "BindingError", "CepheidError", "Compressed", "ConfigError",
    "DataError", "Events", "Funnel", "InternalError", "LiveStateError", "MatchLimitError",
    "OutOfMemoryError", "PipelineError", "Plot", "Query", "QueryError", "QueryFolder",
    "QuerySyntaxError", "ResultsWithLate", "StateError", "StateLimitError", "Streaming",
    "StreamingMetrics", "UnsupportedQueryError", "Warmed", "Workload", "WorkloadResults",
    "__version__", "cause_of", "declared", "events", "funnel", "funnel_queries", "plot", "query",
    "query_folder", "register", "streaming_metrics", "warmup", "warmup_kinds", "workload",
]  # fmt: skip


def load_ipython_extension(shell: Any) -> None:
    """Do what `%load_ext cepheid` asks for: the magic `%%cepheid`, tables and errors as HTML."""
    from cepheid.notebook.extension import load

    load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Undo it."""
    from cepheid.notebook.extension import unload

    unload(shell)
