"""Queries in Spark SQL: as a view of their results, and as a function of any table."""
