"""The queries of section 6: a predicate for a[i], an event selection strategy, a window."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.papers.sase_plus.rules import FIRST_PRICE_DIVISOR, P1, P2, P3, VOLUME_LIMIT, Rule

CLAUSES = {
    P1: "",
    P2: " AND a[i].price > a[i-1].price",
    P3: " AND a[i].price > min(a[..i-1].price)",
}
STRATEGIES = {"s2": "partition_contiguity", "s3": "skip_till_next_match"}
ALL, NON_OVERLAPPING, COMPRESSED = "ALL", "NON OVERLAPPING", "COMPRESSED"


@dataclass(frozen=True, slots=True)
class Template:
    """One query type; `has_third` adds the component c of experiment 4 (p3*)."""

    predicate: int
    strategy: str
    has_third: bool = False

    @property
    def name(self) -> str:
        """As the paper's figures call it."""
        return f"p{self.predicate}{'*' if self.has_third else ''} {self.strategy}"

    def rule(self, window: int) -> Rule:
        """Return the query for the baselines."""
        return Rule(self.predicate, self.strategy == "s2", self.has_third, window)

    def text(self, window: int, output: str = ALL) -> str:
        """Return the query for Cepheid; it returns the events of a match by their times."""
        variables = ["a[]", "b", "c"] if self.has_third else ["a[]", "b"]
        pattern = ", ".join(
            "Stock+ a[]" if each == "a[]" else f"Stock {each}" for each in variables
        )
        third = " AND c.price > a[1].price AND c.price < a[a.LEN].price" if self.has_third else ""
        returned = ", ".join(each.removesuffix("[]") + ".time" for each in variables)
        return (
            f"PATTERN SEQ({pattern})\n"
            f"WHERE {STRATEGIES[self.strategy]}({', '.join(variables)}) {{\n"
            f"  [symbol] AND a[1].price % {FIRST_PRICE_DIVISOR} = 0{CLAUSES[self.predicate]}\n"
            f"  AND b.volume < {VOLUME_LIMIT}{third} }}\n"
            f"WITHIN {window} EVENTS\n"
            f"RETURN {returned}\n"
            f"OUTPUT {output}"
        )


P1_S2, P1_S3 = Template(P1, "s2"), Template(P1, "s3")
P2_S2, P2_S3 = Template(P2, "s2"), Template(P2, "s3")
P3_S2, P3_S3 = Template(P3, "s2"), Template(P3, "s3")
STARRED_S2, STARRED_S3 = Template(P3, "s2", has_third=True), Template(P3, "s3", has_third=True)
SIX = (P1_S2, P1_S3, P2_S2, P2_S3, P3_S2, P3_S3)
