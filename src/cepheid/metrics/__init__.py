"""What running streams report of themselves, as plain data and as Prometheus text.

Takes: the progress that Spark reports of a micro-batch.
Gives: `StreamMetrics`, and their text in a file or at a port of this machine.
May import: errors.
"""
