"""Streams: what is kept between micro-batches, and what one of them makes final.

Takes: a program, what was kept, and the events that arrived.
Gives: what is kept now, and the results that became final.
May import: like runtime; no Spark.
"""
