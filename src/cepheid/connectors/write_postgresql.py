"""Results of a stream into a table of PostgreSQL, each micro-batch once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from cepheid.connectors.redact_secrets import redact
from cepheid.errors import ConfigError, DataError

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Identifier

CONNECTION_DEFAULTS: dict[str, Any] = {"connect_timeout": "30"}  # libpq would wait for ever

# The last batch of every query and table. Their numbers rise, so one row each is enough.
BATCHES = "cepheid_batches"
CREATE_BATCHES = """
CREATE TABLE {} (
    query text, result_table text, batch_id bigint NOT NULL, written_at timestamptz NOT NULL,
    PRIMARY KEY (query, result_table)
)"""
# Gives no row if the batch is there already. It also locks the row until the transaction ends.
RECORD_BATCH = """
INSERT INTO {} AS last (query, result_table, batch_id, written_at) VALUES (%s, %s, %s, now())
ON CONFLICT (query, result_table)
DO UPDATE SET batch_id = EXCLUDED.batch_id, written_at = EXCLUDED.written_at
WHERE last.batch_id < EXCLUDED.batch_id
RETURNING batch_id"""
# Two that create the same table at the same time would fail; any number will do, if all use it.
LOCK_TABLES = "SELECT pg_advisory_xact_lock(7126354123)"

COLUMN_TYPES: dict[type[T.DataType], str] = {
    T.BooleanType: "boolean",
    T.ByteType: "smallint",
    T.ShortType: "smallint",
    T.IntegerType: "integer",
    T.LongType: "bigint",
    T.FloatType: "real",
    T.DoubleType: "double precision",
    T.StringType: "text",
    T.BinaryType: "bytea",
    T.DateType: "date",
    T.TimestampType: "timestamptz",
    T.TimestampNTZType: "timestamp",
}


@dataclass(frozen=True, slots=True)
class PostgresqlTarget:
    """Where the results of a query go.

    Attributes:
        connection: parameters of libpq: host, port, dbname, user, password, sslmode and so on.
        table: the table, with its schema before a dot if need be; created if it is not there.
        query: the name under which batches are recorded. A stream that starts again without its
            checkpoint counts its batches from 0 and needs a new name.
    """

    connection: Mapping[str, str] = field(repr=False)
    table: str
    query: str


def write_postgresql(batch: DataFrame, batch_id: int, target: PostgresqlTarget) -> None:
    """Append a micro-batch unless it was written before; for `foreachBatch`.

    The rows and the number of the batch are one transaction, through one connection of the driver.

    Raises:
        ConfigError: psycopg is missing, the server is out of reach, or a type has no counterpart.
        DataError: the server refuses the rows. No message has a password in it.
    """
    columns = {each.name: column_type(each.dataType) for each in batch.schema}
    converters = [converter(each.dataType) for each in batch.schema]
    batch = batch.persist()
    try:
        # Computes all partitions, side by side. A repeated batch must be computed as well: tasks
        # commit the state of a stateful query.
        batch.count()
        with _transaction(target) as connection:
            _create_tables(connection, target, columns)
            if _record(connection, target, batch_id):
                _copy(connection, target, batch, converters)
    finally:
        batch.unpersist()


def column_type(kind: T.DataType) -> str:
    """Return the type of PostgreSQL for a type of Spark.

    >>> column_type(T.ArrayType(T.DecimalType(10, 2)))
    'numeric(10, 2)[]'
    """
    match kind:
        case T.ArrayType():
            element = column_type(kind.elementType)
            return element if element.endswith("[]") else f"{element}[]"
        case T.DecimalType():
            return f"numeric({kind.precision}, {kind.scale})"
    for spark_type, name in COLUMN_TYPES.items():
        if isinstance(kind, spark_type):
            return name
    raise ConfigError(
        f"PostgreSQL has no type for {kind.simpleString()}", hint="cast it, or use to_json"
    )


def converter(kind: T.DataType) -> Callable[[Any], Any] | None:
    """Return what makes a Python value of Spark one for PostgreSQL; None if it is one already."""
    match kind:
        case T.TimestampType():
            # Spark gives instants as local times without a zone.
            return lambda value: None if value is None else value.astimezone(UTC)
        case T.ArrayType():
            inner = converter(kind.elementType)
            if inner is None:
                return None
            return lambda values: None if values is None else [inner(each) for each in values]
    return None


@contextmanager
def _transaction(target: PostgresqlTarget) -> Iterator[Connection[Any]]:
    try:
        import psycopg
    except ImportError:
        raise ConfigError(
            "writing to PostgreSQL needs psycopg", hint="pip install 'cepheid[postgresql]'"
        ) from None
    parameters = _parameters(target)
    try:
        connection = psycopg.connect(**parameters)
    except psycopg.Error as error:
        raise ConfigError(
            f"PostgreSQL cannot be reached: {redact(_message(error), parameters)}"
        ) from None
    try:
        with connection:
            yield connection
    except psycopg.Error as error:
        said = f"PostgreSQL refuses results for '{target.table}': {_message(error)}"
        raise DataError(redact(said, parameters)) from None


def _parameters(target: PostgresqlTarget) -> dict[str, Any]:
    """Return what to connect with, one by one: in an address nobody can tell what is secret."""
    import psycopg

    given: dict[str, Any] = dict(target.connection)
    address = given.pop("conninfo", "")
    try:
        return CONNECTION_DEFAULTS | psycopg.conninfo.conninfo_to_dict(address) | given
    except psycopg.Error:
        raise ConfigError(
            "the address of PostgreSQL is not one that its library can read",
            hint="write postgresql://user@host:port/database, special characters as %40 and so on",
        ) from None


def _create_tables(
    connection: Connection[Any], target: PostgresqlTarget, columns: Mapping[str, str]
) -> None:
    from psycopg import sql

    results, batches = _tables(target)
    typed = [sql.Identifier(name) + sql.SQL(f" {kind}") for name, kind in columns.items()]
    create_results = sql.SQL("CREATE TABLE {} ({})").format(results, sql.SQL(", ").join(typed))
    wanted = [(results, create_results), (batches, sql.SQL(CREATE_BATCHES).format(batches))]
    # CREATE TABLE IF NOT EXISTS needs the right to create even where there is nothing to create.
    if all(_exists(connection, table) for table, _ in wanted):
        return
    connection.execute(LOCK_TABLES)
    for table, statement in wanted:
        if not _exists(connection, table):
            connection.execute(statement)


def _exists(connection: Connection[Any], table: Identifier) -> bool:
    found = connection.execute("SELECT to_regclass(%s)", [table.as_string(connection)]).fetchone()
    return found is not None and found[0] is not None


def _record(connection: Connection[Any], target: PostgresqlTarget, batch_id: int) -> bool:
    """Record a batch; return whether it is new."""
    from psycopg import sql

    statement = sql.SQL(RECORD_BATCH).format(_tables(target)[1])
    values = (target.query, target.table, batch_id)
    return connection.execute(statement, values).fetchone() is not None


def _copy(
    connection: Connection[Any],
    target: PostgresqlTarget,
    batch: DataFrame,
    converters: Sequence[Callable[[Any], Any] | None],
) -> None:
    from psycopg import sql

    names = sql.SQL(", ").join(map(sql.Identifier, batch.columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(_tables(target)[0], names)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        # Partition by partition, so that the driver need not hold them all.
        for row in batch.toLocalIterator():
            values = zip(row, converters, strict=True)
            copy.write_row([value if apply is None else apply(value) for value, apply in values])


def _tables(target: PostgresqlTarget) -> tuple[Identifier, Identifier]:
    """Return the table of results, and that of batches, which is in the same schema."""
    from psycopg import sql

    *schema, table = target.table.split(".", 1)
    return sql.Identifier(*schema, table), sql.Identifier(*schema, BATCHES)


def _message(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
