"""What sharing costs, in nanoseconds of one core: rough figures, see docs/decisions/0019.

The order is that of kernels/share_bursts.py: one step of one lane, catching up of one lane, an
entry of the log for every place of a part.
"""

SHARING_COSTS = (30.0, 150.0, 40.0)
