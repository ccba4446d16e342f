"""What names and equalities constrain: types beside variables, chains, one name in BETWEEN."""

from tests.semantics.examples import (
    CONTIGUOUS,
    Example,
    counted,
    matched,
    rows,
    trends,
)

BLOCKED = "a1(id=1) n2(id=2) c3(id=1)"
CHAIN = "SEQ(A a, !N n, C c, D d)"
LONGER = "a1(id=1) n2(id=2) c3(id=1) d4(id=1)"
LACKING = {"A": ["x"], "B": [], "C": ["x"]}

NAME_EXAMPLES: list[Example] = [
    # A type name and a variable of that type
    *trends("a type and its second event", "SEQ(A a, A v, B b) WHERE A.x <= v.x",
        "a1(x=3) a2(x=2) b3(x=9)", 0),
    *trends("a type and its second event, smaller first", "SEQ(A a, A v, B b) WHERE A.x <= v.x",
        "a1(x=1) a2(x=2) b3(x=9)", 1),
    *trends("a type and its first event", "SEQ(A v, A a, B b) WHERE A.x <= v.x",
        "a1(x=2) a2(x=3) b3(x=9)", 0),
    *trends("two types of one event", "SEQ(A a, ANY(A, B) v, B b) WHERE A.x <= B.x",
        "a1(x=3) a2(x=2) b3(x=9) a4(x=3) b5(x=3)", 2),
    *trends("a type and a repetition", "SEQ(A a, A+ v, B b) WHERE A.x <= v[i].x",
        "a1(x=3) a2(x=4) a3(x=2) b4(x=9)", 3),
    # A type name beside an event of the type that has no name
    *trends("a type, one event of it named", "SEQ(A, A v, B b) WHERE A.x > v.x",
        "a1(x=3) a2(x=2) b3(x=9)", 0),
    *trends("a type, one event of it negated without a name", "SEQ(A a, !A, B b) WHERE A.x > 2",
        "a1(x=3) a2(x=2) b3(x=9)", 0),
    *trends("a type, one event of it among others", "SEQ(A, ANY(A, B) v) WHERE A.x > 2",
        "a1(x=3) a2(x=2) b3(x=9)", 1),
    rows("a type, one event of it named: sums", "SEQ(A a, A) RETURN COUNT(A) AS n, SUM(A.x) AS s",
        "a1(x=3) a2(x=2)", (2, 5)),
    # An equality constrains the variables that it names
    matched("an equality leaves a negated event alone", "SEQ(A a, !N n, C c) WHERE a.id = c.id",
        BLOCKED, 0),
    matched("an equality of a negated event", "SEQ(A a, !N n, C c) WHERE a.id = c.id = n.id",
        BLOCKED, 1),
    matched("[id] concerns negated events", "SEQ(A a, !N n, C c) WHERE [id]", BLOCKED, 1),
    counted("an equality leaves a negated event alone", "SEQ(A a, !N n, C c) WHERE a.id = c.id",
        BLOCKED, 0),
    *trends("part of a chain", f"{CHAIN} WHERE a.id = c.id", LONGER, 0),
    *trends("a chain without the negated event", f"{CHAIN} WHERE a.id = c.id AND c.id = d.id",
        LONGER, 0),
    *trends("a whole chain", f"{CHAIN} WHERE a.id = c.id AND c.id = d.id AND d.id = n.id",
        LONGER, 1),
    *trends("a chain without the negated event is no partition of contiguity",
        f"SEQ(A a, !N n, C c) {CONTIGUOUS} WHERE a.id = c.id", "a1(id=1) b2(id=2) c3(id=1)", 0),
    *trends("a whole chain is a partition of contiguity",
        f"SEQ(A a, !N n, C c) {CONTIGUOUS} WHERE a.id = c.id = n.id",
        "a1(id=1) b2(id=2) c3(id=1)", 1),
    *trends("an equality on each side of AND", "SEQ(A a, B b) AND SEQ(C c, D d) "
        "WHERE a.id = b.id AND c.id = d.id", "a1(id=1) b2(id=1) c3(id=2) d4(id=2)", 1),
    *trends("equal names of other attributes", "SEQ(A a, !N n, C c) WHERE a.pid = c.ppid",
        "a1(pid=1,ppid=0) c2(pid=2,ppid=1) a3(pid=3,ppid=0) n4(pid=9,ppid=9) c5(pid=0,ppid=3)", 1),
    # Keys with different names
    *trends("keys of two names", "SEQ(O o, P p) WHERE o.id = p.order",
        "o1(id=1,order=2) p2(id=2,order=1) p3(id=9,order=2) o4(id=2,order=0) p5(id=1,order=2)", 2),
    *trends("a chain of keys, one of them repeated", "SEQ(O o, P+ p, S s) WHERE o.id = p.order "
        "AND s.order = p.order", "o1(id=1,order=9) p2(id=9,order=1) p3(id=9,order=1) "
        "s4(id=9,order=1) p5(id=1,order=2) s6(id=1,order=2)", 3),
    *trends("a negated event with a key of its own", "SEQ(O o, !N n, P p) WHERE o.id = p.order "
        "AND n.id = o.id", "o1(id=1,order=7) n2(id=2,order=1) p3(id=7,order=1) o4(id=3,order=0) "
        "n5(id=3,order=0) p6(id=0,order=3)", 1),
    *trends("keys of other names partition contiguity", f"SEQ(O o, P p) {CONTIGUOUS} "
        "WHERE o.id = p.order", "o1(id=1,order=2) p2(id=1,order=2) x3(id=1,order=1) "
        "p4(id=2,order=1)", 1),
    *trends("keys that are computed", "SEQ(O o, P p) WHERE abs(o.id) = coalesce(p.order, 0)",
        "o1(id=-1,order=2) p2(id=2,order=1) o3(id=0,order=0) p4(id=9)", 2),
    *trends("one type with two keys", "SEQ(P a, P b) WHERE a.id = b.order",
        "p1(id=1,order=0) p2(id=2,order=1) p3(id=3,order=1) p4(id=4,order=2)", 3),
    *trends("one type with two keys, contiguous in the partition of each",
        f"SEQ(P a, P b) {CONTIGUOUS} WHERE a.id = b.order",
        "p1(id=1,order=0) p2(id=1,order=5) p3(id=7,order=8) p4(id=2,order=1)", 1),
    *trends("an event with the same value in both keys", "SEQ(P a, P b) WHERE a.id = b.order",
        "p1(id=1,order=1) p2(id=2,order=1) p3(id=1,order=1)", 2),
    *trends("one type with two keys, and a negated event of it", "SEQ(P a, !P n, P b) "
        "WHERE a.id = b.order AND n.id = a.id",
        "p1(id=1,order=0) p2(id=1,order=0) p3(id=5,order=1)", 1),
    *trends("a key of any event", "SEQ(P a, ANY x) WHERE a.id = x.order",
        "p1(id=1,order=0) q2(id=3,order=1) p3(id=4,order=1) q4(id=1,order=3)", 2),
    matched("one type with two keys, and a window of events", "SEQ(P a, P b) "
        "WHERE a.id = b.order WITHIN 2 EVENTS",
        "p1(id=1,order=0) p2(id=9,order=9) p3(id=2,order=1) p4(id=3,order=1)", 1),
    *trends("two pairs of keys of one type", "SEQ(P a, P b) WHERE a.id = b.order AND a.x = b.y",
        "p1(id=1,order=0,x=1,y=0) p2(id=2,order=1,x=0,y=1) p3(id=2,order=1,x=0,y=2)", 1),
    *trends("two joins are no key", "SEQ(P a, P b, P c) WHERE a.id = b.order AND b.id = c.order",
        "p1(id=1,order=0) p2(id=2,order=1) p3(id=3,order=2) p4(id=4,order=1)", 1),
    *trends("an equality of an optional event", "SEQ(A a, B? b, !N n, C c) "
        "WHERE a.id = b.id AND b.id = c.id", "a1(id=1) c2(id=2)", 1),
    *trends("an equality is true of a type without the attribute",
        "SEQ(ANY(A, B) a, C c) WHERE a.x = c.x", "a1(x=1) b2 c3(x=1) a4(x=2) c5(x=3)", 3,
        schemas=LACKING),
    # WITHIN … BETWEEN of one name
    rows("BETWEEN neighbours of a repetition", "A+ f WITHIN 3 BETWEEN f, f RETURN f.time",
        "a1 a2 a4 a9", ([1],), ([2],), ([4],), ([9],), ([1, 2],), ([2, 4],), ([1, 2, 4],)),
    counted("BETWEEN neighbours of a repetition", "A+ f WITHIN 3 BETWEEN f, f", "a1 a2 a4 a9", 7),
    *trends("BETWEEN neighbours of a group", "(SEQ(A f, B g))+ WITHIN 3 BETWEEN f, f",
        "a1 b2 a4 b5 a6 b7", 7),
    *trends("BETWEEN events of a type", "SEQ(A a, B b, A c) WITHIN 3 BETWEEN A, A",
        "a1 b2 a3 a4", 1),
    # AND
    rows("AND, SUM of a variable", "SEQ(A a, A b) AND A w RETURN COUNT(*), SUM(w.x), SUM(A.x)",
        "a1(x=1) a2(x=10) a3(x=100)", (9, 333, 999)),
    rows("AND, SUM of the variable of a side that both could be",
        "A a AND A w RETURN SUM(a.x), SUM(w.x), MIN(w.x), COUNT(A)",
        "a1(x=1) a2(x=10) a3(x=100)", (12, 210, 10, 6)),
]  # fmt: skip
