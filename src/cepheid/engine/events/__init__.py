"""Events: from the columns of a table to arrays in the order of the fold.

Takes: a program and the columns of events.
Gives: ordered events: steps, partitions, the positions that each event fits, what predicates read.
May import: engine/process, kernels, program and what is below it.
"""
