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
from cepheid.program.sharing.chain_program import OTHER_KEYS, why_not_chain
from cepheid.program.sharing.share_work import SharedWork
from cepheid.program.sharing.sharing_sets import (
    HAS_ALL_DIGITS,
    KEEPS_MORE,
    MOVES,
    RETURNS_MATCHES,
    TAKES_AWAY,
    why_alone,
)

COLUMNS = pa.schema(
    [("time", pa.int64()), ("type", pa.string()), ("k", pa.string()), ("x", pa.int64())]
)
SCHEMA = event_schema(COLUMNS, ColumnRoles(time="time", type="type"))
PATTERNS = (
    "SEQ(A, B b+)", "SEQ(C, B b+)", "SEQ(A, B b)", "SEQ(B b, C)", "SEQ(D, E b)", "B b+",
    "SEQ(!E, A, B b)", "SEQ(A, !E, B b)", "SEQ(A, B b, !E)", "SEQ(C, B b+, !E, A)",
)  # fmt: skip
RETURNS = ("COUNT(*) AS n", "COUNT(*) AS n", "SUM(b.x) AS s", "EXACT COUNT(*) AS n", "b.x")
WINDOWS = ("", "WITHIN 5", "WITHIN 5", "WITHIN 6", "WITHIN 10 SLIDE 5", "WITHIN 99 SLIDE 1")
COMPARED = ("b.x < NEXT(b).x", "b.x > NEXT(b).x", "b.x < NEXT(b).x + 1")
GROUPED = " GROUP BY k"
MOVING = re.compile(r"WITHIN \d+ RETURN")
# By reason what is written of it, and what may be instead.
MENDED = {
    KEEPS_MORE: [],
    TAKES_AWAY: [(" WHERE contiguous", "")],
    HAS_ALL_DIGITS: [("EXACT ", "")],
    chain_program.OTHER_GAPS: [("!E, ", ""), (", !E", "")],
}
TOO_MANY = (share_work.COUNTS_APART, share_work.TOO_MANY)


@st.composite
def texts(draw: st.DrawFn) -> str:
    pattern, returned = draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(RETURNS))
    tests = [draw(st.sampled_from(COMPARED))] if "b+" in pattern and draw(st.booleans()) else []
    tests += draw(st.sampled_from(((), (), ("[k]",), ("contiguous",))))
    group = GROUPED if "[k]" in tests and "AS" in returned and draw(st.booleans()) else ""
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    has_bound = "(!E" not in pattern and "!E)" not in pattern
    window = draw(st.sampled_from(WINDOWS if has_bound else WINDOWS[1:]))
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
        own, _, of_chain = reason.partition(", and ") if _moves(text) else (reason, "", "")
        assert not mates or (of_chain or own) in TOO_MANY
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
            (compared,) = [each for each in COMPARED if _compares(text, each)]
            asking = [e for e in self.texts.values() if _compares(e, compared) and "AS" in e]
            assert all(_pattern(each) != _pattern(text) for each in asking if each != text)
            assert asking.count(text) == 1
        elif own == MOVES:
            assert of_chain
            self._check_chain(name, of_chain)
        elif own == RETURNS_MATCHES:
            assert text.endswith("RETURN b.x")

    def _check_chain(self, name: str, reason: str) -> None:
        text, own = self.texts[name], _events(self.texts[name])
        others = {e: each for e, each in self.texts.items() if e != name and MOVING.search(each)}
        alike = [e for e, each in others.items() if own & _events(each)]
        chains = [each for each in alike if why_not_chain(self.programs[each]) is None]
        if (refused := why_not_chain(self.programs[name])) is not None:
            assert reason == refused
            _check_refusal(text, refused)
        elif reason == chain_program.NO_EVENTS:
            assert not alike
        elif found := re.match(
            r"those with the same events share .*: of (\w+), (.*?)( \(|$)", reason
        ):
            assert found[1] in alike
            assert found[2] == why_not_chain(self.programs[found[1]])
            assert not chains
        elif reason in OTHER_KEYS:
            on_same = [self.texts[each] for each in chains if each in self.others(name)]
            in_window = [each for each in on_same if _window(each) == _window(text)]
            assert reason == OTHER_KEYS[bool(on_same) + bool(in_window)]
            assert all((GROUPED in each) != (GROUPED in text) for each in in_window)
            for each in chains:
                assert not Work({"q1": text, "q2": _on_same(self.texts[each], text)}).shared.alone
        else:
            assert reason in TOO_MANY


def _check_refusal(text: str, reason: str) -> None:
    """Fail if a query is still refused for a reason when it is none any more, or shares nothing."""
    for written, instead in MENDED[reason]:
        text = text.replace(written, instead)
    work = Work({"q1": text, "q2": text})
    left = why_not_chain(work.programs["q1"])
    assert left != reason
    assert left is not None or not work.shared.alone


def _on_same(text: str, other: str) -> str:
    """Return a query with the window, the partitions and the groups of another one."""
    before, _, after = text.partition(" WITHIN ")
    pattern, test = before.replace(" WHERE [k]", ""), " WHERE [k]" * ("[k]" in other)
    returned = after.partition(" ")[2].removesuffix(GROUPED)
    return f"{pattern}{test} WITHIN {_window(other)} {returned}{GROUPED * (GROUPED in other)}"


def _compares(text: str, compared: str) -> bool:
    return bool(re.search(re.escape(compared) + r"(?! \+)(?!\S)", text))


def _moves(text: str) -> bool:
    """Whether the window of an aggregate moves with every event, and nothing is compared."""
    return bool(MOVING.search(text)) and "NEXT" not in text


def _pattern(text: str) -> str:
    return text.removeprefix("PATTERN ").partition(" WHERE")[0]


def _events(text: str) -> set[str]:
    """Return the events of a sequence, with their signs of repetition."""
    pattern = _pattern(text).partition(" WITHIN")[0].replace("!E", "")
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
        assert work.shared.alone["q1"].endswith(OTHER_KEYS[1])


def test_sequences_are_told_who_shares_no_segments() -> None:
    """Negation before a sequence keeps it from having segments, not from having the same events."""
    returned = "WITHIN 10 RETURN COUNT(*) AS n"
    work = Work(
        {"q1": f"PATTERN SEQ(!E, A, B) {returned}", "q2": f"PATTERN SEQ(A, B, C) {returned}"}
    )
    assert work.shared.alone == {
        "q1": f"{MOVES}, and {chain_program.OTHER_GAPS}",
        "q2": f"{MOVES}, and those with the same events share no segments: "
        f"of q1, {chain_program.OTHER_GAPS}",
    }
    matches = "PATTERN SEQ(A, B b) WITHIN 10 RETURN b.x"
    work = Work({"q1": matches, "q2": f"PATTERN SEQ(A, B, C) {returned}", "q3": matches})
    assert work.shared.alone["q2"] == (
        f"{MOVES}, and those with the same events share no segments: "
        f"of q1, {RETURNS_MATCHES} (1 other cannot, either)"
    )


def test_sequences_that_add_up_are_told_that_others_count() -> None:
    counts = [f"PATTERN SEQ(A, B, {last}) WITHIN 10 RETURN COUNT(*) AS n" for last in "CD"]
    work = Work(
        {
            "q1": counts[0],
            "q2": counts[1],
            "q3": "PATTERN SEQ(A, B b) WITHIN 10 RETURN SUM(b.x) AS s",
        }
    )
    assert work.shared.alone == {"q3": f"{MOVES}, and {share_work.COUNTS_APART}"}
