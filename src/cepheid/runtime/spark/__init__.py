"""Spark runners: the same program on a DataFrame.

Takes: a plan and a Spark DataFrame.
Gives: a Spark DataFrame, lazily.
May import: errors, language, analysis, plan, program, kernels, runtime, pyspark.
"""
