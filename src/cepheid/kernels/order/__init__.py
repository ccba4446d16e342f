"""Events in order, and places in the order of their values."""
