"""Streams: what is kept between micro-batches, and what one of them makes final.

Takes: programs, what was kept, and the events that arrived.
Gives: what is kept now, and the results that became final.
May import: engine and what is below it; no Spark.
"""
