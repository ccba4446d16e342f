"""Spark runners: the same programs on a DataFrame.

Takes: programs and a Spark DataFrame.
Gives: a Spark DataFrame, lazily.
May import: stream, tables, engine, metrics and what is below them, pyspark. `frames` <
    `push_down` < `shuffle` < `batch` < `stream` < the files of this folder.
"""
