"""The local runner: Arrow in, Arrow out, one process."""

from __future__ import annotations

import logging

import pyarrow as pa

from cepheid.program.program import MatchOutput, Program
from cepheid.runtime.count_rows import count_schema, count_trends
from cepheid.runtime.match_pairs import find_pairs, pair_schema
from cepheid.runtime.match_rows import find_matches, match_schema

LOG = logging.getLogger("cepheid")


def result_schema(program: Program, events: pa.Schema) -> pa.Schema:
    """Return the schema of the result for events of a schema."""
    output = program.output
    if program.pair is not None:
        return pair_schema(program, program.pair, events)
    if isinstance(output, MatchOutput):
        return match_schema(program, output, events)
    return count_schema(program, output, events)


def run_local(program: Program, table: pa.Table) -> pa.Table:
    """Run a program on one table of events, in any order."""
    output = program.output
    if program.pair is not None:
        result, dropped = find_pairs(program, program.pair, table)
    elif isinstance(output, MatchOutput):
        result, dropped = find_matches(program, output, table)
    else:
        result, dropped = count_trends(program, output, table)
    if dropped:
        names = ", ".join(program.partition_by)
        LOG.warning("%d events have NULL in %s and belong to no partition", dropped, names)
    return result
