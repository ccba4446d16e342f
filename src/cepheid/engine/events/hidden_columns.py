"""Columns that events carry while a stream keeps them, beside their own."""

INDEX = "cepheid.index"  # how many events of the partition have a smaller order key; int64
TAKEN = "cepheid.taken"  # whether a match ends there that NON OVERLAPPING took; NULL is no
