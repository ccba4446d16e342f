"""Spark Structured Streaming: a step of the engine per bucket of partitions and micro-batch."""
