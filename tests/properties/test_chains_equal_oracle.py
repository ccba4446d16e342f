"""Random sequences in a window that moves with every event, counted together, equal the oracle."""

from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.program.sharing import chain_program
from tests.properties.aggregate_comparison import assert_same_rows
from tests.properties.aggregate_streams import (
    aggregate_streams,
    bound,
    expected_rows,
    table_of,
)
from tests.properties.workloads import WorkloadCase

ELEMENT = st.tuples(st.sampled_from("ABC"), st.sampled_from(("", "", "+", "{2,}")))
CONDITIONS = ("", "", "x > 0", "x != 1")


@st.composite
def chain_workloads(draw: st.DrawFn) -> WorkloadCase:
    """Two to five sequences over few types, so that they have segments in common."""
    group, window = draw(st.sampled_from(("", "k"))), draw(st.integers(1, 7))
    texts = {}
    for number in range(1, draw(st.integers(2, 5)) + 1):
        elements = draw(st.lists(ELEMENT, min_size=1, max_size=4))
        words = [f"{kind} v{place}{more}" for place, (kind, more) in enumerate(elements)]
        tests = ["skip_till_any_match", *(["[k]"] if group else [])]
        condition = draw(st.sampled_from(CONDITIONS))
        if condition:
            tests.append(f"v{draw(st.integers(0, len(elements) - 1))}.{condition}")
        texts[f"q{number}"] = (
            f"PATTERN SEQ({', '.join(words)}) WHERE {' AND '.join(tests)} WITHIN {window} "
            f"RETURN COUNT(*) AS n{' GROUP BY k' if group else ''}"
        )
    order = draw(st.sampled_from(((), ("seq",))))
    return WorkloadCase(texts, draw(aggregate_streams(longest=12)), order)


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
