"""Random sequences in a window that moves with every event, counted together, equal the oracle."""

from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.program.sharing import chain_program
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import bound, expected_rows, table_of
from tests.properties.workloads import WorkloadCase, chain_workloads


@settings(max_examples=150)
@given(chain_workloads())
def test_chains_equal_oracle(case: WorkloadCase) -> None:
    queries = [cepheid.query(text, name=name) for name, text in case.texts.items()]
    found = cepheid.workload(queries).run(
        table_of(case.case("q1")), time="time", type="type", order=case.order
    )
    for name, table in found.items():
        alone = case.case(name)
        assert_same_rows(bound(alone), table.to_pylist(), expected_rows(alone))


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_segments_are_all_stretches(elements: list[tuple[int, bool]]) -> None:
    chain = tuple(chain_program.Element(*each) for each in elements)
    found = list(chain_program.segments_of(chain))
    size = len(chain)
    assert len(found) == size * (size + 1) // 2
    assert all(chain[at : at + len(each)] == each for each in found for at in [_at(chain, each)])


def _at(chain: chain_program.Segment, segment: chain_program.Segment) -> int:
    places = range(len(chain) - len(segment) + 1)
    return next(each for each in places if chain[each : each + len(segment)] == segment)
