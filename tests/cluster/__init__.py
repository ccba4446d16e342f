"""A standalone cluster on loopback, whose executor and worker are killed: `make cluster`."""
