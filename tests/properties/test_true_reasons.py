"""For random workloads, the reason that EXPLAIN gives why a query is alone is true."""

import re
from itertools import pairwise

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.plan.run_options import RunOptions
from cepheid.program.sharing import chain_program, lane_program, share_work
from cepheid.program.sharing.chain_program import OTHER_KEYS
from cepheid.program.sharing.share_work import SharedWork
from cepheid.program.sharing.sharing_sets import why_alone

COLUMNS = pa.schema(
    [("time", pa.int64()), ("type", pa.string()), ("k", pa.string()), ("x", pa.int64())]
)
SCHEMA = event_schema(COLUMNS, ColumnRoles(time="time", type="type"))
PATTERNS = ("SEQ(A, B b+)", "SEQ(C, B b+)", "SEQ(A, B b)", "SEQ(B b, C)", "SEQ(D, E b)", "B b+")
RETURNS = ("COUNT(*) AS n", "COUNT(*) AS n", "SUM(b.x) AS s", "EXACT COUNT(*) AS n", "b.x")
WINDOWS = ("", "WITHIN 5", "WITHIN 5", "WITHIN 6", "WITHIN 10 SLIDE 5", "WITHIN 99 SLIDE 1")
COMPARED = ("b.x < NEXT(b).x", "b.x > NEXT(b).x", "b.x < NEXT(b).x + 1")
TOO_MANY = (share_work.COUNTS_APART, share_work.TOO_MANY)


@st.composite
def texts(draw: st.DrawFn) -> str:
    pattern, returned = draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(RETURNS))
    tests = [draw(st.sampled_from(COMPARED))] if "b+" in pattern and draw(st.booleans()) else []
    tests += draw(st.sampled_from(((), (), ("[k]",), ("contiguous",))))
    group = " GROUP BY k" if "[k]" in tests and "AS" in returned and draw(st.booleans()) else ""
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    window = draw(st.sampled_from(WINDOWS))
    if returned == "b.x":
        window = window.partition(" SLIDE")[0]
    return f"PATTERN {pattern}{where} {window} RETURN {returned}{group}"


class Work:
    """Who is alone in a workload, and what the texts say of that."""

    def __init__(self, workload: dict[str, str]) -> None:
        self.texts = workload
        self.programs = {
            name: cepheid.query(text, name=name).program(RunOptions(), SCHEMA)
            for name, text in workload.items()
        }
        self.shared: SharedWork = share_work.share_work(self.programs)

    def others(self, name: str) -> list[str]:
        """Return the other queries on the same events: all have the same columns but for [k]."""
        mine = "[k]" in self.texts[name]
        return [e for e, text in self.texts.items() if e != name and ("[k]" in text) == mine]

    def is_together(self, one: str, other: str) -> bool:
        """Return whether two queries would be folded together if there were no others."""
        pair = {each: self.programs[each] for each in (one, other)}
        return not share_work.share_work(pair).alone

    def check(self, name: str, reason: str) -> None:
        """Fail if a reason is not true."""
        text, others = self.texts[name], self.others(name)
        mates = [each for each in self.texts if each != name and self.is_together(name, each)]
        assert not mates or reason in TOO_MANY
        own, of_chain = reason, ""
        if chain_program.is_chain(self.programs[name]):
            own, _, of_chain = reason.partition(", and ")
        if own == share_work.NOBODY:
            assert not others
        elif own == share_work.COUNTS_APART:
            assert "SUM" in text
            assert all("SUM" not in self.texts[each] for each in mates)
            assert len(mates) > 1
        elif found := re.match(r"those that read the same events .*: of (\w+), (.*?)( \(|$)", own):
            assert found[1] in others
            assert found[2] == why_alone(self.programs[found[1]])
            assert all(why_alone(self.programs[each]) is not None for each in others)
        elif own == lane_program.NOBODY_COMPARES:
            (compared,) = [each for each in COMPARED if re.search(re.escape(each) + "( |$)", text)]
            asking = [e for e in self.texts.values() if compared in e and "AS" in e]
            assert all(_pattern(each) != _pattern(text) for each in asking if each != text)
            assert asking.count(text) == 1
        elif own == "its window moves with every event":
            assert re.search(r"WITHIN \d+ RETURN", text)
        elif own == "it returns matches":
            assert text.endswith("RETURN b.x")
        if of_chain:
            self._check_chain(name, of_chain)

    def _check_chain(self, name: str, reason: str) -> None:
        counting = [each for each in self.texts if chain_program.is_chain(self.programs[each])]
        own = _events(self.texts[name])
        alike = [e for e in counting if e != name and own & _events(self.texts[e])]
        if reason == chain_program.NO_EVENTS:
            assert not alike
            return
        assert alike
        on_same = [each for each in alike if each in self.others(name)]
        windows = [e for e in on_same if _window(self.texts[e]) == _window(self.texts[name])]
        assert reason == OTHER_KEYS[sum(map(bool, (on_same, windows)))]


def _pattern(text: str) -> str:
    return text.removeprefix("PATTERN ").partition(" WHERE")[0]


def _events(text: str) -> set[str]:
    """Return the events of a sequence, with their signs of repetition."""
    pattern = _pattern(text).partition(" WITHIN")[0]
    return set(re.findall(r"\b[A-E]\b(?: b)?\+?", pattern))


def _window(text: str) -> str:
    return text.partition("WITHIN ")[2].split()[0]


@settings(max_examples=100)
@given(st.lists(texts(), min_size=2, max_size=6))
def test_reasons_are_true(drawn: list[str]) -> None:
    work = Work({f"q{number}": text for number, text in enumerate(drawn, start=1)})
    for name, reason in work.shared.alone.items():
        work.check(name, reason)


def test_reasons_name_the_refusal() -> None:
    """The one query that could be in a set reads the same columns as others: they refuse."""
    aggregate = "PATTERN SEQ(A, B b+) RETURN COUNT(*) AS n"
    work = Work({"q1": aggregate, "q2": "PATTERN SEQ(A, B b+) RETURN b.x"})
    assert work.shared.alone["q1"] == (
        "those that read the same events cannot be in a set: of q2, it returns matches"
    )
    moving = [f"PATTERN SEQ(A, B) WITHIN {each} RETURN COUNT(*) AS n" for each in (5, 6)]
    for one, other in pairwise(moving):
        work = Work({"q1": one, "q2": other})
        assert work.shared.alone["q1"].endswith("those with the same events have another window")
