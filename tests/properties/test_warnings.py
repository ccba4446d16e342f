"""Queries that can find nothing are told of, wherever the mistake stands.

A misspelt event type and a comparison with NULL are no errors: they give no rows.
"""

import logging
import random as chance

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.process.log import LOG
from cepheid.language.printer import print_pattern
from tests.properties.drawn_patterns import name_events, negated_patterns, patterns

NAMES = {"A": "Failure", "B": "Login", "C": "Purchase"}
EVENTS = pa.table({"time": [1, 2, 3, 4], "type": [*NAMES.values(), "Order"], "x": [1, 2, None, 3]})
CONNECTIVES = ("{} AND {}", "{} OR {}", "NOT {}", "({})", "NOT ({} OR {})")
VALUES = (
    "coalesce({}, 1)",
    "abs({} - 2)",
    "CASE WHEN {condition} THEN {} ELSE 0 END",
    "CASE {} WHEN 1 THEN 2 ELSE 3 END",
    "CAST({} AS DOUBLE)",
)


class _Heard(logging.Handler):
    """Collects what is logged; pytest's own fixture lasts longer than one example."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def said_of(text: str) -> list[str]:
    """Run a query, and return what was logged."""
    heard, level = _Heard(), LOG.level
    LOG.addHandler(heard)
    LOG.setLevel(logging.WARNING)
    try:
        cepheid.query(text).run(EVENTS, time="time", type="type", limit=1)
    finally:
        LOG.removeHandler(heard)
        LOG.setLevel(level)
    return heard.messages


def misspelt(name: str, random: chance.Random) -> str:
    """Drop, double, exchange or replace a letter, or change its case."""
    at = random.randrange(len(name) - 1)
    before, letter, after = name[:at], name[at], name[at + 1 :]
    forms = [
        before + after,
        before + letter * 2 + after,
        before + after[0] + letter + after[1:],
        before + "q" + after,
        before + letter.swapcase() + after,
    ]
    return random.choice([each for each in forms if each != name and len(each) > 3])


@settings(max_examples=200)
@given(patterns() | negated_patterns(), st.randoms(use_true_random=False))
def test_a_misspelt_type_is_told_of(pattern, random: chance.Random) -> None:
    names: dict[str, bool] = {}
    text = print_pattern(name_events(pattern, names, negated={}))
    for short, name in NAMES.items():
        text = text.replace(f"{short} ", f"{name} ").replace(f"{short},", f"{name},")
        text = text.replace(f"{short})", f"{name})")
    used = [name for name in NAMES.values() if name in text]
    meant = random.choice(used)
    wrong = misspelt(meant, random)
    query = f"PATTERN {text.replace(meant, wrong)} WITHIN 5 OUTPUT SHORTEST"
    found = [each for each in said_of(query) if f"'{wrong}'" in each]
    assert len(found) == 1
    assert f"no event is of type '{wrong}'" in found[0]
    assert f"did you mean '{meant}'?" in found[0]


@st.composite
def values(draw: st.DrawFn, depth: int) -> str:
    """An expression of one event, which may have conditions inside."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(("a.x", "b.x", "a.x + 1", "2")))
    form = draw(st.sampled_from(VALUES))
    inner = draw(values(depth - 1))
    condition = draw(conditions(depth - 1)) if "condition" in form else ""
    return form.format(inner, condition=condition)


@st.composite
def conditions(draw: st.DrawFn, depth: int) -> str:
    """A condition in which an operand of a comparison is often NULL."""
    if depth and draw(st.booleans()):
        form = draw(st.sampled_from(CONNECTIVES))
        return form.format(*(draw(conditions(depth - 1)) for _ in range(2)))
    operator = draw(st.sampled_from(("=", "!=", "<", ">=")))
    sides = [draw(values(depth)), draw(values(depth) | st.just("NULL"))]
    left, right = draw(st.permutations(sides))
    return f"{left} {operator} {right}"


CLAUSES = (
    "WHERE {}",
    "WHERE a.x > 0 AND ({})",
    "WHERE contiguous {{ {} }}",
    "RETURN CASE WHEN {} THEN 1 END AS c",
)


@settings(max_examples=300)
@given(conditions(2), st.sampled_from(CLAUSES))
def test_every_comparison_with_null_is_told_of(condition: str, clause: str) -> None:
    query = cepheid.query(f"PATTERN SEQ(Failure a, Login b) {clause.format(condition)}")
    found = [each for each in query.bind().warnings if each.code == "never-holds"]
    assert len(found) == condition.count("NULL")
    for each in found:
        assert "NULL" in each.location.line_text[each.location.column - 1 :]
        assert "IS NULL" in str(each.hint) or "IS NOT NULL" in str(each.hint)
