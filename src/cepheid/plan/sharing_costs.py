"""What sharing costs, in nanoseconds of one core: rough figures, see docs/decisions/0019.

The order is that of kernels/shared/share_bursts.py: a step of one lane; a step that is not
written down, whatever the lanes; an entry or block of the log that a lane applies; a block that is
computed; a snapshot of one lane. Numbers of trends alone have a formula, so that they need no
blocks.
"""

COUNTING_COSTS = (60.0, 150.0, 100.0, 0.0, 100.0)
VALUE_COSTS = (80.0, 150.0, 250.0, 2500.0, 1000.0)


def sharing_costs(*, is_counted: bool) -> tuple[float, ...]:
    """Return the costs of queries that only count, or of others."""
    return COUNTING_COSTS if is_counted else VALUE_COSTS
