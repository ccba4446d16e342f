"""One program on one table, by the way that every run takes."""

from typing import Any

import pyarrow as pa

from cepheid.engine.bundle import bundle_of_one
from cepheid.engine.run import EventColumns, LocalResult, RunMode, run
from cepheid.program.program import Program


def run_one(program: Program, table: pa.Table, **mode: Any) -> LocalResult:
    """Return the result; `mode` has what a `RunMode` has."""
    ((_, result),) = run(bundle_of_one(program), EventColumns.of(table), RunMode(**mode))
    return result


def run_partially(program: Program, table: pa.Table) -> pa.Table:
    """Return rows of groups that others add to."""
    return run_one(program, table, partially=(0,))
