"""Run queries by folds of one's choice, and see which ones ran."""

from typing import Any

from cepheid import Query, Workload
from cepheid.engine.catalogue import RankedFolds
from cepheid.events import Events, source_of
from cepheid.plan.run_options import Batch
from cepheid.runners.run_queries import run_queries


def run_by_folds(
    queries: Query | Workload, events: Events[Any], folds: RankedFolds, policy: str = "dynamic"
) -> dict[str, Any]:
    """Return the results by name; `folds` prefers some, and writes down what ran."""
    if isinstance(queries, Query):
        members, sharing = [queries.member(Batch())], None
    else:
        members, sharing = queries._members(Batch()), queries._sharing(policy)
    return run_queries(members, source_of(events), events.roles, Batch(), sharing, folds)
