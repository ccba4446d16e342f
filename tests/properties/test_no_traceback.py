"""No text and no table ends in a traceback: there is a result, or an error that says what to do.

`CEPHEID_TEST_PROFILE=long` draws many more examples.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import event, given, note, settings
from hypothesis import strategies as st

import cepheid
from cepheid.engine.events.event_schema import ColumnRoles, event_schema
from cepheid.plan.run_options import RunOptions
from cepheid.stream.stream_state import StreamState
from tests.analysis.test_error_messages import ALL
from tests.properties.any_tables import CLASSES, ON_SPARK, ROLES, any_table
from tests.properties.any_texts import PARAMETERS, any_text, misspelt
from tests.stream.script import step_alone

FORMATS = ("text", "json", "mermaid", "svg")
WRONG = [case.query for _, case in ALL]
OPTIONS: tuple[dict[str, Any], ...] = (
    *({}, {}, {}, {"on_expiry": True}, {"order": "y"}, {"order": ["y", "z"]}, {"time_unit": "ms"}),
    *({"live_limit": 5}, {"schemas": {"A": ["x"], "B": ["x", "y"], "C": ["x", "z"]}}),
)
seeds = st.integers(0, 2**40)


def examples(count: int) -> settings:
    """So many, or those of the profile if it has more."""
    return settings(max_examples=max(count, settings.default.max_examples))


def make(text: str) -> cepheid.Query:
    used = {name: value for name, value in PARAMETERS.items() if re.search(rf":{name}\b", text)}
    return cepheid.query(text, parameters=used)


def drawn_table(random: Random, classes: Any = CLASSES) -> pa.Table:
    table = any_table(random, classes)
    note(f"{table.schema.to_string()}\n{table.to_pylist()}")
    return table


def drawn_text(random: Random, table: pa.Table) -> str:
    text = any_text(random, table)
    note(text)
    return text


def outcome(attempt: Callable[[], Any]) -> Any:
    """Return what an attempt gives, or None after an error that users can do something about."""
    try:
        return attempt()
    except cepheid.InternalError:
        raise
    except cepheid.CepheidError as error:
        event(type(error).__name__)
        return None


@given(seeds)
@examples(300)
def test_any_query_on_any_table(seed: int) -> None:
    random = Random(seed)
    table = drawn_table(random)
    text, options = drawn_text(random, table), random.choice(OPTIONS)
    note(str(options))

    def run() -> Any:
        if seed % 2:
            chosen = {name: each for name, each in options.items() if name in OPTION_NAMES}
            roles = {name: each for name, each in options.items() if name not in chosen}
            events = cepheid.events(table, **ROLES, **roles)
            result = make(text).run(events, cepheid.Batch(**chosen))
        else:
            result = make(text).run(table, **ROLES, **options)
        return result.expand() if "COMPRESSED" in text else result

    result = outcome(run)
    if result is not None:
        event("a result")
        result.validate(full=True)


@given(seeds)
@examples(100)
def test_any_query_on_any_file(seed: int) -> None:
    """Columns come out of a file as they went in, so they are of as many types as in memory."""
    random = Random(seed)
    table = drawn_table(random)
    text = drawn_text(random, table)
    with TemporaryDirectory() as folder:
        path = Path(folder, "events.parquet")
        try:
            pq.write_table(table, path)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # Parquet has fewer types than Arrow
            return
        stored = outcome(lambda: make(text).run(path, **ROLES))
        in_memory = outcome(lambda: make(text).run(pq.read_table(path), **ROLES))
    assert (stored is None) == (in_memory is None)
    if isinstance(stored, pa.Table):
        event("a result")
        stored.validate(full=True)
        assert stored.schema.equals(in_memory.schema)
        assert stored.num_rows == in_memory.num_rows


@given(seeds)
@examples(100)
def test_explain_of_any_query(seed: int) -> None:
    random = Random(seed)
    table = drawn_table(random)
    text, format = drawn_text(random, table), random.choice(FORMATS)
    events = cepheid.events(table, **ROLES)
    outcome(lambda: make(text).explain(format=format))
    outcome(lambda: make(text).explain(events, format=format))


@given(seeds)
@examples(300)
def test_any_text(seed: int) -> None:
    random = Random(seed)
    table = drawn_table(random)
    text = misspelt(random, random.choice((any_text(random, table), random.choice(WRONG))))
    note(text)
    outcome(lambda: make(text).run(table, **ROLES))


@given(seeds)
@examples(100)
def test_any_workload(seed: int) -> None:
    """Queries together, some of which read what another one gives."""
    random = Random(seed)
    table = drawn_table(random)
    texts = [drawn_text(random, table) for _ in range(random.choice((2, 3, 4)))]
    if random.randrange(2):
        texts[0] += "\nINTO C"
    policy = random.choice(("always", "dynamic", "never"))

    def run() -> Any:
        return cepheid.workload([make(each) for each in texts]).run(table, **ROLES, sharing=policy)

    outcome(run)


@given(seeds)
@examples(100)
def test_any_stream(seed: int) -> None:
    """Micro-batches of events as Spark gives them; what is kept goes through bytes in between."""
    random = Random(seed)
    table = drawn_table(random, ON_SPARK)
    text, ordered = drawn_text(random, table), random.random() < 0.3
    schema = event_schema(table.schema, ColumnRoles("ts", "kind"))
    program = outcome(lambda: make(text).program(RunOptions(), schema))
    state, place = StreamState(), 0
    while program is not None and place <= table.num_rows:
        size = random.randint(1, 3)
        # Late events, a watermark that stands still, and one past everything.
        until = random.choice((None, place, 2**62)) if place + size > table.num_rows else place
        arrived = table.slice(place, size) if size > 1 or place else None
        step_of = partial(step_alone, program, state, arrived, until, ordered=ordered)
        done = outcome(step_of)
        if done is None:
            return
        state, place = StreamState.from_bytes(done.state.to_bytes()), place + size


@given(seeds)
@examples(60)
def test_any_roles(seed: int) -> None:
    """Whatever column is said to be the time, the type or a tie-break."""
    table = drawn_table(Random(seed))
    pair, single = cepheid.query("PATTERN SEQ(A a, B b)"), cepheid.query("PATTERN A a WITHIN 2 s")
    outcome(lambda: single.run(table, time="x"))
    outcome(lambda: pair.run(table, time="ts", type="x"))
    outcome(lambda: pair.run(table, **ROLES, order="x"))


def test_many_of_them_run() -> None:
    """A property says nothing of what is refused anyway."""
    outcomes: Counter[str] = Counter()
    for seed in range(150):
        random = Random(seed)
        table = any_table(random)
        try:
            make(any_text(random, table)).run(table, **ROLES)
            outcomes["a result"] += 1
        except cepheid.CepheidError as error:
            outcomes[type(error).__name__] += 1
    assert outcomes["a result"] > 50


# Columns and values of options, of which most are wrong.
ANYTHING: tuple[Any, ...] = (
    *("ts", "kind", "x", "nope", "", "10 minutes", "deliver", None, 5, 0, -1, 2.5, True, False),
    *(["x"], ["x", None], ("ts",), {}, b"ts", 10**30),
)
FRAME = pd.DataFrame({"ts": [1, 2], "kind": ["A", "B"], "x": [1.5, None]})
OPTION_NAMES = sorted({each.name for each in (*fields(cepheid.Batch), *fields(cepheid.Streaming))})


@given(seeds)
@examples(300)
def test_any_roles_and_options_in_both_forms(seed: int) -> None:
    """Objects and keywords give the same result, or the same error."""
    random = Random(seed)
    table = random.choice((drawn_table(random), FRAME, {"A": FRAME}, {}, None, [1]))
    roles = {"time": "ts", "type": "kind"} | {
        name: random.choice(ANYTHING)
        for name in ("time", "type", "order", "time_unit", "schemas")
        if random.random() < 0.2
    }
    names = random.sample(OPTION_NAMES, random.choice((0, 0, 1, 2)))
    options = {name: random.choice(ANYTHING) for name in names}
    note(f"{roles} {options}")
    query = cepheid.query("PATTERN SEQ(A a, B b)")

    def as_objects() -> Any:
        events = cepheid.events(table, **roles)
        kind = cepheid.Batch if all(hasattr(cepheid.Batch, each) for each in names) else None
        return query.run(events, **options) if kind is None else query.run(events, kind(**options))

    as_keywords = outcome(lambda: query.run(table, **roles, **options))
    found = outcome(as_objects)
    assert (found is None) == (as_keywords is None)
    if found is not None:
        event("a result")
        assert len(found) == len(as_keywords)
