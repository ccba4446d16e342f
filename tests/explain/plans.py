"""Plans of query texts, and the queries that pictures must be able to show."""

from dataclasses import replace
from pathlib import Path

from cepheid.analysis.analyze import analyze
from cepheid.explain.document import Explanation
from cepheid.explain.explain_plan import explain_plan
from cepheid.language.parser import parse
from cepheid.language.source import Source
from cepheid.plan.physical import PhysicalPlan
from cepheid.plan.planner import make_plan

CASES = Path(__file__).parent.parent / "cases" / "explain"
CASE_NAMES = sorted(path.stem for path in CASES.glob("*.cep"))

PATTERNS = {
    "nested Kleene": "PATTERN (SEQ(A+, B))+",
    "counted": "PATTERN A{2,4}",
    "ten events": f"PATTERN SEQ({', '.join(f'E{n} e{n}' for n in range(1, 11))}) "
    "WHERE e1.x < e2.x AND e3.y = e9.y AND e5.z > 10 WITHIN 1 hour",
    "many options": "PATTERN SEQ(A? a, B? b, C? c, D d) WHERE a.x < d.x WITHIN 10",
    "repeated alternatives": "PATTERN (SEQ(A OR B, C))+",
    "three rows": "PATTERN SEQ(A OR B OR SEQ(C, D), (E OR F)?, G) WHERE E.x < NEXT(G).x",
    "labels on every loop": "PATTERN (SEQ((SEQ(A+ a, B b))+, C? c))+ WHERE a.x < NEXT(a).x "
    "AND b.x < NEXT(c).x AND b.x < NEXT(a).x AND c.y < NEXT(a).y",
    "negation everywhere": "PATTERN SEQ(!X x, A a, !Y y, !Z z, B+ b, !W w) "
    "WHERE x.id = a.id AND y.v > a.v AND w.q = 1 WITHIN 10 minutes",
    "negation and option": "PATTERN SEQ(!X x, A a, !Y y, (B OR C)?, !Z z, D d) WITHIN 10",
    "four labelled edges": "PATTERN SEQ(A a OR B b, C c OR D d) WHERE a.x < NEXT(c).x "
    "AND a.x < NEXT(d).x AND b.x < NEXT(c).x AND b.x < NEXT(d).x",
    "long words": "PATTERN SEQ(VeryLongEventTypeNameOfSomeSystem+ first_reading_of_sensor[], B b) "
    "WHERE first_reading_of_sensor[i].temperature_in_celsius > "
    "1.05 * first_reading_of_sensor[i-1].temperature_in_celsius",
    "signs": """PATTERN SEQ(`a<b>&c` a, B b) WHERE a.x < 3 AND b.n = '<&">' AND a.q = '`#\\'""",
}
QUERIES = {name: (CASES / f"{name}.cep").read_text() for name in CASE_NAMES} | PATTERNS


def plan_of(text: str) -> PhysicalPlan:
    return make_plan(analyze(parse(text), Source(text)))


def lasting_plan_of(text: str) -> PhysicalPlan:
    """The plan without what cannot run yet: that list shrinks while the explanation stays."""
    return replace(plan_of(text), unsupported=())


def explanation_of(text: str) -> Explanation:
    return explain_plan(plan_of(text))
