"""Several programs as one: what queries of a workload have in common.

Takes the programs of a workload. Gives sets of programs that are folded together, each as a merged
program, and the reason why others are not. May import what program may.
"""
