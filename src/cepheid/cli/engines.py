"""The two engines as the commands see them: read files, run, collect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from cepheid.cli.arguments import Engine
from cepheid.cli.console import show_warning, working

if TYPE_CHECKING:
    import pyarrow as pa


class EngineRun(Protocol):
    """Reads events into the engine's own kind of table and collects results of that kind."""

    def read(self, paths: Sequence[str]) -> Any:
        """Return the events of files as one table."""

    def columns(self, table: Any) -> dict[str, bool]:
        """Return the columns, and whether they are text."""

    def fit_empty(self, tables: Mapping[str, Any], time: str, type: str | None) -> dict[str, Any]:
        """Return tables in which columns without values fit their role and the other tables."""

    def from_arrow(self, table: pa.Table) -> Any:
        """Return an Arrow table as the engine's kind of table."""

    def collect(self, result: Any, name: str) -> pa.Table:
        """Return the result of a query as an Arrow table."""


@contextmanager
def open_engine(engine: Engine, *, quiet: bool) -> Iterator[EngineRun]:
    """Start an engine; what Spark had to say is printed at the end."""
    if engine is Engine.LOCAL:
        yield _LocalRun()
        return
    with ExitStack() as stack:
        with working("Starting Spark", quiet=quiet):
            from cepheid.connectors.spark_session import spark_session

            run = stack.enter_context(spark_session())
        try:
            yield _SparkRun(run.session)
        finally:
            for message in () if quiet else run.messages():
                show_warning(message)


class _LocalRun:
    def read(self, paths: Sequence[str]) -> Any:
        from cepheid.connectors.read_local import read_local

        return read_local(paths)

    def columns(self, table: Any) -> dict[str, bool]:
        import pyarrow as pa

        return {
            each.name: pa.types.is_string(each.type) or pa.types.is_dictionary(each.type)
            for each in table.schema
        }

    def fit_empty(self, tables: Mapping[str, Any], time: str, type: str | None) -> dict[str, Any]:
        from cepheid.connectors.read_local import fit_empty

        return fit_empty(tables, time, type)

    def from_arrow(self, table: pa.Table) -> Any:
        return table

    def collect(self, result: Any, name: str) -> pa.Table:
        return result


class _SparkRun:
    def __init__(self, session: Any) -> None:
        self.session = session

    def read(self, paths: Sequence[str]) -> Any:
        from cepheid.connectors.read_spark import read_spark

        return read_spark(self.session, paths)

    def columns(self, table: Any) -> dict[str, bool]:
        return {name: kind == "string" for name, kind in table.dtypes}

    def fit_empty(self, tables: Mapping[str, Any], time: str, type: str | None) -> dict[str, Any]:
        from cepheid.connectors.read_spark import fit_empty

        return fit_empty(tables, time, type)

    def from_arrow(self, table: pa.Table) -> Any:
        return self.session.createDataFrame(table)

    def collect(self, result: Any, name: str) -> pa.Table:
        from cepheid.connectors.collect_spark import collect, described_jobs

        with described_jobs(self.session, f"cepheid: {name}"):
            return collect(result)
