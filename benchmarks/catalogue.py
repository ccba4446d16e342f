"""All benchmarks by name."""

from __future__ import annotations

from benchmarks.a_seq_window import A_SEQ_WINDOW
from benchmarks.cold_start import COLD_START
from benchmarks.contender import Benchmark
from benchmarks.count_type_grained import COUNT_TYPE_GRAINED
from benchmarks.join_keys import KEYS_OF_SEVERAL_NAMES
from benchmarks.next_falling import NEXT_FALLING
from benchmarks.non_overlapping import NON_OVERLAPPING
from benchmarks.slide_overlap import SLIDE_OVERLAP
from benchmarks.spark_one_key import SPARK_ONE_KEY
from benchmarks.spark_push_down import SPARK_PUSH_DOWN
from benchmarks.spark_sql import SPARK_SQL
from benchmarks.spark_stream import SPARK_STREAM
from benchmarks.spark_type_grained import SPARK_TYPE_GRAINED
from benchmarks.spark_w1 import SPARK_W1
from benchmarks.spark_w4 import SPARK_W4
from benchmarks.w1 import W1
from benchmarks.w2 import W2
from benchmarks.w3 import W3, W3_ONE_KEY, W3_SCALING
from benchmarks.w4 import W4, W4_MATCHES
from benchmarks.w5 import W5

BENCHMARKS: dict[str, Benchmark] = {
    each.name: each
    for each in (
        *W1,
        W2,
        W3,
        W3_ONE_KEY,
        W3_SCALING,
        W4,
        W4_MATCHES,
        W5,
        COUNT_TYPE_GRAINED,
        A_SEQ_WINDOW,
        SLIDE_OVERLAP,
        NEXT_FALLING,
        NON_OVERLAPPING,
        *SPARK_W1,
        SPARK_W4,
        SPARK_TYPE_GRAINED,
        SPARK_ONE_KEY,
        *SPARK_PUSH_DOWN,
        *SPARK_SQL,
        *SPARK_STREAM,
        *KEYS_OF_SEVERAL_NAMES,
        COLD_START,
    )
}
