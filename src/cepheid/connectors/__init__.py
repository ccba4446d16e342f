"""Events from files and Kafka, results to files, Kafka and PostgreSQL, and the Spark session.

Takes: paths, formats and options.
Gives: `pyarrow.Table` or Spark DataFrames of events; files, records and tables with results.
May import: errors, language, analysis, pyarrow, pyspark, psycopg.
"""
