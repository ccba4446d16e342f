"""What holds for every stream, and the errors of the registry."""

import itertools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from cepheid.errors import ConfigError
from cepheid.generate import STREAMS, Stream, generate, generate_chunks

EVENTS = 3_000
SEVERAL_BLOCKS = 150_000
every_stream = pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)


def test_streams_are_the_documented_ones():
    assert set(STREAMS) == {
        "stock", "typed", "ridesharing", "clicks", "cluster", "activity", "rfid", "trading",
        "purchases",
    }  # fmt: skip


def test_registry_is_read_only():
    with pytest.raises(TypeError):
        STREAMS["other"] = STREAMS["stock"]


@every_stream
def test_same_seed_same_events(stream: Stream):
    assert generate(stream.name, events=EVENTS).equals(generate(stream.name, events=EVENTS))


@every_stream
def test_other_seed_other_events(stream: Stream):
    assert not generate(stream.name, events=EVENTS).equals(
        generate(stream.name, events=EVENTS, seed=8)
    )


@every_stream
def test_fewer_events_are_a_prefix_across_blocks(stream: Stream):
    whole = generate(stream.name, events=SEVERAL_BLOCKS)
    assert whole.num_rows == SEVERAL_BLOCKS
    for events in (0, 1, 70_001):
        assert whole.slice(0, events).equals(generate(stream.name, events=events))


@every_stream
def test_chunks_concatenate_to_the_whole(stream: Stream):
    chunks = list(generate_chunks(stream.name, events=SEVERAL_BLOCKS, chunk_events=40_000))
    assert [chunk.num_rows for chunk in chunks] == [40_000, 40_000, 40_000, 30_000]
    assert pa.concat_tables(chunks).equals(generate(stream.name, events=SEVERAL_BLOCKS))


@every_stream
def test_time_increases_strictly_across_blocks(stream: Stream):
    time = generate(stream.name, events=SEVERAL_BLOCKS)[stream.time_column]
    assert np.diff(time.cast(pa.int64()).to_numpy()).min() > 0


@every_stream
def test_time_begins_at_the_start(stream: Stream):
    time = generate(stream.name, events=1)[stream.time_column]
    if time.type == pa.int64():
        assert time[0].as_py() == 0
    else:
        assert time.type == pa.timestamp("us")
        assert str(time[0].as_py()).startswith("2024-01-01 09:3")


@every_stream
def test_table_has_the_declared_columns(stream: Stream):
    assert generate(stream.name, events=EVENTS).schema == stream.schema
    assert generate(stream.name, events=0).schema == stream.schema
    assert all(column.meaning for column in stream.columns)


@every_stream
def test_event_types_are_the_declared_ones(stream: Stream):
    if stream.type_column is None:
        assert len(stream.event_types) == 1
    else:
        seen = generate(stream.name, events=20_000)[stream.type_column].unique().to_pylist()
        assert set(seen) == set(stream.event_types)


@every_stream
def test_a_column_is_null_exactly_where_its_type_lacks_it(stream: Stream):
    table = generate(stream.name, events=EVENTS)
    for column in stream.columns:
        values = table[column.name]
        if not column.event_types:
            assert values.null_count == 0
            continue
        has_it = pc.is_in(table[stream.type_column], pa.array(column.event_types))
        assert values.is_valid().equals(has_it)


@every_stream
def test_parameters_are_documented_and_their_bounds_work(stream: Stream):
    for parameter in stream.parameters:
        assert parameter.help
        assert parameter.minimum <= parameter.default <= parameter.maximum
        for bound in (parameter.minimum, parameter.maximum):
            value = {parameter.name: type(parameter.default)(bound)}
            assert generate(stream.name, events=50, **value).num_rows == 50


@every_stream
def test_no_parameter_hides_an_argument_of_generate(stream: Stream):
    names = {parameter.name for parameter in stream.parameters}
    assert not names & {"name", "events", "chunk_events", "seed"}


def test_settings_do_not_share_state():
    one, two = (generate_chunks("stock", events=200, chunk_events=100) for _ in range(2))
    interleaved = list(itertools.chain.from_iterable(zip(one, two, strict=True)))
    assert interleaved[0].equals(interleaved[1])
    assert interleaved[2].equals(interleaved[3])


def test_unknown_stream_names_the_nearest():
    with pytest.raises(ConfigError, match="no stream 'ridesharin'") as caught:
        generate("ridesharin")
    assert "did you mean 'ridesharing'?" in caught.value.hint


def test_unknown_parameter_names_the_nearest():
    with pytest.raises(ConfigError, match="stream 'stock' has no parameter 'symbol'") as caught:
        generate("stock", symbol=3)
    assert "did you mean 'symbols'?" in caught.value.hint


def test_generate_does_not_take_the_chunk_size():
    with pytest.raises(ConfigError, match="no parameter 'chunk_events'"):
        generate("stock", chunk_events=5)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_value_out_of_range(value: float):
    with pytest.raises(ConfigError, match=r"'increase' is .*, outside \[0, 1\]"):
        generate("stock", increase=value)


@pytest.mark.parametrize("value", [2.5, 2.0, "2", True, None])
def test_value_that_is_not_whole(value: object):
    with pytest.raises(ConfigError, match="'symbols' must be a whole number"):
        generate("stock", symbols=value)


@pytest.mark.parametrize("value", [np.int64(3), 3])
def test_numpy_numbers_are_numbers(value: int):
    assert len(generate("stock", symbols=value)["symbol"].unique()) == 3


@pytest.mark.parametrize("wrong", [{"events": -1}, {"events": 1.5}, {"seed": -1}, {"seed": None}])
def test_wrong_argument(wrong: dict[str, object]):
    with pytest.raises(ConfigError, match=f"'{next(iter(wrong))}'"):
        generate("stock", **wrong)


def test_chunks_are_checked_at_the_call():
    with pytest.raises(ConfigError, match="chunk_events"):
        generate_chunks("stock", chunk_events=0)
