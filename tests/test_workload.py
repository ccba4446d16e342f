"""Workloads are made of lists, mappings, and other workloads; what is no query is told."""

from collections.abc import Callable
from typing import Any, ClassVar

import pyarrow as pa
import pytest

import cepheid

TEXTS = [f"PATTERN {each}" for each in "ABC"]
EVENTS = pa.table({"t": [1, 2], "type": ["A", "B"]})


def names(workload: cepheid.Workload) -> list[str]:
    return list(workload.queries)


class TestNames:
    def test_another_query_takes_the_first_free_name(self) -> None:
        """No query is replaced because others have gone."""
        rest = cepheid.workload(TEXTS).without("q1")
        more = rest.with_query("PATTERN D")
        assert names(more) == ["q2", "q3", "q1"]
        assert more.queries["q3"].text == "PATTERN C"
        assert names(more.with_query(cepheid.query("PATTERN E"))) == ["q2", "q3", "q1", "q4"]

    @pytest.mark.parametrize(
        ("added", "name"), [("PATTERN D", "q2"), (cepheid.query("PATTERN D", name="q2"), None)]
    )
    def test_a_name_that_exists_is_refused(self, added: Any, name: str | None) -> None:
        with pytest.raises(cepheid.ConfigError, match=r"'q2' already\n.*without\('q2'\)"):
            cepheid.workload(TEXTS).with_query(added, name=name)

    def test_a_mapping_has_the_names(self) -> None:
        given = {"one": "PATTERN A", "two": cepheid.query("PATTERN B", name="other")}
        workload = cepheid.workload(given)
        assert names(workload) == ["one", "two"]
        assert workload.run(EVENTS, time="t", type="type")["two"].num_rows == 1

    def test_any_iterable(self) -> None:
        assert names(cepheid.workload(each for each in TEXTS)) == ["q1", "q2", "q3"]


REFUSED: dict[str, tuple[Callable[[cepheid.Workload], object], str]] = {
    "no query in a list": (lambda _: cepheid.workload([3]), "is 3, of type int\n"),  # type: ignore[list-item]
    "no query added": (lambda each: each.with_query(3), "is 3, of type int\n"),  # type: ignore[arg-type]
    "no name": (lambda _: cepheid.workload({3: "PATTERN A"}), "name of a query is 3"),  # type: ignore[dict-item]
    "no query of the name": (lambda each: each.without(3), "no query 3\n.*has: q1"),  # type: ignore[arg-type]
    "no list": (lambda _: cepheid.workload(3), "needs a list"),  # type: ignore[arg-type]
    "a text": (lambda _: cepheid.workload("PATTERN A"), "needs a list"),
    "nothing": (lambda _: cepheid.workload([]), "needs a list"),
    "no policy": (
        lambda each: each.run(EVENTS, time="t", type="type", sharing=None),  # type: ignore[arg-type]
        "called None\n.*sharing has: always, dynamic, never",
    ),
    "a number as a policy": (
        lambda each: each.run(EVENTS, time="t", type="type", sharing=1),  # type: ignore[arg-type]
        "called 1\n",
    ),
}


@pytest.mark.parametrize(("attempt", "words"), REFUSED.values(), ids=REFUSED)
def test_refused(attempt: Callable[[cepheid.Workload], object], words: str) -> None:
    with pytest.raises(cepheid.ConfigError, match=words):
        attempt(cepheid.workload(TEXTS))


class TestErrors:
    """Events that one query cannot take are an error of that query."""

    EVENTS = pa.table({"t": [1, 2, 3], "type": ["A", "B", "B"], "x": [0, 2**62, 2**62]})
    ROLES: ClassVar = {"time": "t", "type": "type"}
    SUM = "PATTERN SEQ(A, B b) RETURN SUM(b.x) AS s"
    COUNT = "PATTERN SEQ(A, B b) RETURN COUNT(*) AS n, MAX(b.x) AS m"
    MATCHES = "PATTERN SEQ(A, B b) RETURN b.t"

    def test_others_have_their_results(self) -> None:
        """Be they folded together with the query, or after it."""
        texts = {"large": self.SUM, "n": self.COUNT, "rows": self.MATCHES}
        found = cepheid.workload(texts).run(self.EVENTS, **self.ROLES)
        assert list(found) == ["large", "n", "rows"]
        assert found["n"].to_pylist() == [{"n": 2.0, "m": 2**62}]
        assert found["rows"]["b_t"].to_pylist() == [2, 3]
        for read in (
            lambda: found["large"],
            lambda: found.get("large"),
            lambda: list(found.values()),
            lambda: dict(found),
            lambda: {**found},
        ):
            with pytest.raises(cepheid.DataError, match="query 'large': 's' exceeds BIGINT"):
                read()

    def test_a_query_that_reads_such_results(self) -> None:
        texts = {
            "large": f"{self.SUM.replace('RETURN', 'WITHIN 9 SLIDE 9 RETURN')} INTO Large",
            "reader": "PATTERN Large",
            "rows": self.MATCHES,
        }
        found = cepheid.workload(texts).run(self.EVENTS, **self.ROLES)
        assert found["rows"].num_rows == 2
        with pytest.raises(cepheid.DataError, match="query 'large'"):
            found["reader"]

    def test_if_no_query_has_a_result(self) -> None:
        with pytest.raises(cepheid.DataError, match="query 'q1'"):
            cepheid.workload([self.SUM, self.SUM]).run(self.EVENTS, **self.ROLES)
