import pytest

from cepheid.errors import ConfigError
from cepheid.explain.explain import FORMATS, explain
from tests.explain.plans import CASES, QUERIES, plan_of


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", QUERIES)
def test_every_query_has_every_format(name, format):
    assert explain(plan_of(QUERIES[name]), format=format)


def test_an_unknown_format_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match="did you mean 'mermaid'"):
        explain(plan_of("PATTERN A"), format="mermaids")


@pytest.mark.parametrize(
    ("name", "granularity", "reason"),
    [
        ("cogra_q1", "pattern", "under contiguous a partial match is known by its last event"),
        (
            "cogra_q2",
            "pattern",
            "under skip-till-next-match a partial match is known by its last event",
        ),
        ("cogra_q3", "mixed", "the adjacent predicate 'S.price > NEXT(S).price' needs the last"),
    ],
)
def test_cogra_queries_name_their_granularity_and_why(name, granularity, reason):
    text = explain(plan_of((CASES / f"{name}.cep").read_text()))
    section = text[text.index("  granularity ") :].split()
    assert section[1:3] == [granularity, "because"]
    assert " ".join(section[3:]).startswith(reason)
