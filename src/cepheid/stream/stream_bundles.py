"""Which queries of a workload are run together on one stream."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from cepheid.engine.shared.policy import Policy, Sharing
from cepheid.program.program import Program
from cepheid.program.shuffle_keys import shuffle_keys
from cepheid.stream.step_rules import keeps_apart
from cepheid.stream.stream_bundle import StreamBundle, StreamedQuery, stream_bundle


def stream_bundles(
    queries: Sequence[StreamedQuery], has_panes: Callable[[Program], bool], policy: Policy
) -> list[StreamBundle]:
    """Return the bundles of two or more queries.

    Queries whose settled events carry what happened to them have a state of their own; so have
    those that keep matrices of panes instead of events, unless they share work.
    """
    by_keys: dict[Hashable, list[StreamedQuery]] = {}
    for each in queries:
        if not keeps_apart(each.program):
            keys = shuffle_keys(each.program), each.program.copies
            by_keys.setdefault(keys, []).append(each)
    bundles = []
    for group in by_keys.values():
        found = stream_bundle(group, Sharing(policy))
        own = {each.name for each in found.alone if has_panes(each.program)}
        if own:
            others = [each for each in group if each.name not in own]
            found = stream_bundle(others, Sharing(policy))
        if len(found.queries) > 1:
            bundles.append(found)
    return bundles
