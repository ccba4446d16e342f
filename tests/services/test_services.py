"""The servers that other tests rely on start, answer and end."""

import pytest

from tests.services.kafka_broker import answers
from tests.services.processes import free_ports


@pytest.mark.spark  # not Spark itself, but Java
@pytest.mark.slow
def test_a_topic_gives_back_what_was_put_into_it(kafka):
    kafka.create_topic("there-and-back", partitions=2)
    records = [("k1", "one"), ("k2", "two"), ("k1", "three")]
    kafka.produce("there-and-back", records)
    assert sorted(kafka.consume("there-and-back", 3)) == sorted(records)


def test_nobody_answers_at_a_free_port():
    assert not answers(free_ports(1)[0])


@pytest.mark.slow
def test_postgresql_answers(postgresql):
    assert postgresql.rows("SELECT current_user, inet_server_addr()::text") == [
        ("cepheid", "127.0.0.1/32")
    ]


@pytest.mark.slow
def test_the_password_of_postgresql_is_not_shown(postgresql):
    assert postgresql.password not in repr(postgresql)
