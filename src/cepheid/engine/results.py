"""The schema of a result: final rows, rows of groups that others add to, or graphs of matches.

What knows each form is imported when it is needed: a schema needs no fold.
"""

from __future__ import annotations

import pyarrow as pa

from cepheid.program.aggregate_output import AggregateOutput
from cepheid.program.compute_columns import computed_schema
from cepheid.program.program import MatchOutput, Program


def result_schema(program: Program, events: pa.Schema) -> pa.Schema:
    """Return the schema of the result for events of a schema."""
    output, events = program.output, computed_schema(events, program.computed)
    if isinstance(output, AggregateOutput):
        from cepheid.engine.trends.result_table import aggregate_schema

        return aggregate_schema(program, output, events)
    if program.pair is not None:
        from cepheid.engine.matches.match_pairs import pair_schema

        return pair_schema(program, program.pair, events)
    from cepheid.engine.matches.match_rows import match_schema

    return match_schema(program, output, events)


def rows_schema(program: Program, events: pa.Schema, *, partially: bool) -> pa.Schema:
    """Return the schema of what one of several tasks gives: graphs, rows to add up, or results."""
    output, events = program.output, computed_schema(events, program.computed)
    if isinstance(output, MatchOutput) and output.is_compressed:
        from cepheid.engine.matches.forms.compressed import GRAPHS

        return GRAPHS
    if isinstance(output, AggregateOutput) and partially:
        from cepheid.engine.trends.partial_table import partial_schema

        return partial_schema(program, output, events)
    return result_schema(program, events)
