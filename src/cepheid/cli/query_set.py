"""The query of a command, or several of which some read the results of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

from cepheid import Query, Workload, query, workload
from cepheid.cli.arguments import QUERY_SUFFIX, load_query, parse_values
from cepheid.errors import ConfigError

if TYPE_CHECKING:
    from cepheid.analysis.schema import EventSchema
    from cepheid.plan.physical import PhysicalPlan


@dataclass(frozen=True, slots=True)
class QuerySet:
    """One query by itself, or a workload."""

    queries: Query | Workload

    @property
    def all(self) -> list[Query]:
        """Every query."""
        if isinstance(self.queries, Query):
            return [self.queries]
        return list(self.queries.queries.values())

    def plans(self, schema: EventSchema) -> dict[str, PhysicalPlan]:
        """Return the plan of every query, by name."""
        if isinstance(self.queries, Query):
            return {self.queries.name: self.queries.plan(schema)}
        return self.queries.plans(schema)

    def explain(self, *, format: str, schema: EventSchema) -> str:
        """Say how the queries will be run."""
        return self.queries.explain(format=format, schema=schema)

    def batches(self, events: Any, **roles: Any) -> Any:
        """Return a reader of the result of a single query, which is found while it is read."""
        assert isinstance(self.queries, Query)
        return self.queries.batches(events, **roles)

    def run(self, events: Any, **roles: Any) -> dict[str, Any]:
        """Return the result of every query, by name."""
        if isinstance(self.queries, Query):
            return {self.queries.name: self.queries.run(events, **roles)}
        return self.queries.run(events, **roles)


def split_queries(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the query files with which arguments begin, and the paths of events after them.

    >>> split_queries(["b.cep", "events.csv", "more.csv"])
    (['b.cep'], ['events.csv', 'more.csv'])

    Raises:
        ConfigError: no events follow, or a query file comes after them.
    """
    paths = list(dropwhile(lambda each: each.endswith(QUERY_SUFFIX), arguments))
    queries = list(arguments[: len(arguments) - len(paths)])
    if not paths:
        raise ConfigError("there are only query files", hint="name files of events after them")
    late = next((each for each in paths if each.endswith(QUERY_SUFFIX)), None)
    if late is not None:
        raise ConfigError(
            f"the query file '{late}' comes after files of events",
            hint=f"name it before them, or write --with {late}",
        )
    return queries, paths


def load_queries(
    first: str, others: Sequence[str], parameters: Sequence[str] | None = None
) -> QuerySet:
    """Return queries from files or texts; of several, each gets the parameters that it has.

    Raises:
        ConfigError: a file cannot be read, no query has a parameter, or two have one name.
        QueryError: a query does not parse, or they read each other in a circle.
    """
    if not others:
        return QuerySet(load_query(first, parameters))
    from cepheid.analysis.fill_parameters import parameter_names

    loaded = [load_query(each) for each in (first, *others)]
    wanted = [parameter_names(each.tree) for each in loaded]
    values = parse_values(parameters or (), option="--param")
    unknown = next((name for name in values if not any(name in each for each in wanted)), None)
    if unknown is not None:
        raise ConfigError(f"no query has a parameter ':{unknown}'")
    filled = [
        query(
            each.text,
            name=each.name if each.is_named else None,
            parameters={name: value for name, value in values.items() if name in names},
        )
        for each, names in zip(loaded, wanted, strict=True)
    ]
    return QuerySet(workload(filled))
