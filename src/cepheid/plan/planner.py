"""Bound query to physical plan."""

from __future__ import annotations

from cepheid.analysis.bound import BoundQuery
from cepheid.plan.logical import make_logical_plan
from cepheid.plan.physical import PhysicalPlan
from cepheid.plan.rules.choose_granularity import choose_granularity
from cepheid.plan.rules.choose_method import choose_method, dearest_method
from cepheid.plan.rules.choose_numbers import choose_numbers
from cepheid.plan.rules.choose_overlaps import choose_overlaps
from cepheid.plan.rules.choose_parallelism import choose_parallelism
from cepheid.plan.rules.choose_scan import choose_scan
from cepheid.plan.rules.choose_semiring import choose_semiring
from cepheid.plan.rules.choose_structure import explain_structures
from cepheid.plan.rules.choose_window import choose_window
from cepheid.plan.rules.explain_partitioning import explain_partitioning
from cepheid.plan.rules.explain_push_down import explain_push_down
from cepheid.plan.rules.explain_strategy import explain_strategy
from cepheid.plan.rules.find_unsupported import find_unsupported
from cepheid.plan.rules.find_warnings import find_warnings
from cepheid.plan.worst_values import with_worst_values


def make_plan(query: BoundQuery) -> PhysicalPlan:
    """Choose a method for every part of a query.

    Queries that cannot run yet get a plan too, so that EXPLAIN can show it; `require_executable`
    refuses them.
    """
    query = with_worst_values(query)
    scan, method = choose_scan(query), choose_method(query)
    dearest = dearest_method(query, method)
    return PhysicalPlan(
        query=query,
        logical=make_logical_plan(query),
        strategy=explain_strategy(query),
        scan=scan,
        push_down=explain_push_down(query, scan.value),
        partitioning=explain_partitioning(query),
        method=method,
        structures=explain_structures(query, method.value),
        semiring=choose_semiring(query, method),
        granularity=choose_granularity(query, dearest),
        window=choose_window(query, dearest),
        numbers=choose_numbers(query),
        parallelism=choose_parallelism(query, method.value),
        overlaps=choose_overlaps(query),
        unsupported=find_unsupported(query),
        warnings=find_warnings(query),
    )
