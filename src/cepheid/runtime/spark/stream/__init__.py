"""Spark Structured Streaming: a step of the engine per bucket of partitions and micro-batch.

Takes: a plan and a streaming DataFrame.
Gives: a streaming DataFrame.
May import: what `runtime/spark` may.
"""
