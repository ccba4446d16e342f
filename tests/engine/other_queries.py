"""Queries in no sharing set, as tests run them."""

import pyarrow as pa

import cepheid
from cepheid.engine.catalogue import RankedFolds
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.engine.shared.shared_folds import Alone
from cepheid.plan.run_options import RunOptions
from cepheid.program.sharing.merged_sets import MergedSets
from cepheid.testing import events

ROLES = {"time": "time", "type": "type"}


def table_of(stream):
    rows = events(stream) if isinstance(stream, str) else stream
    blank = {name: 0 for row in rows for name in row}
    return pa.Table.from_pylist([blank | row for row in rows])


def others_of(texts, table):
    """What the queries have in common, and their programs."""
    schema = event_schema(table.schema, ColumnRoles(**ROLES))
    programs = [cepheid.query(each).program(RunOptions(), schema) for each in texts]
    return MergedSets().others(programs)


def run(runner, task, program, table):
    """Return the tables of queries that are folded together; None if each is to be by itself."""
    columns = dict(zip(table.column_names, table.columns, strict=True))
    found = runner(task(program, columns, table.num_rows, table.schema, RankedFolds(), 2))
    return None if isinstance(found, Alone) else found


def rows_alone(texts, table):
    return [cepheid.query(each).run(table, **ROLES).to_pylist() for each in texts]
