"""Events from files, results to files, and the Spark session that reads them.

Takes: paths and formats.
Gives: `pyarrow.Table` or Spark DataFrames of events; files with results.
May import: errors, language, analysis, pyarrow, pyspark.
"""
