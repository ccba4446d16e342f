"""A-Seq section 1: logins, purchases and attacks."""

from collections import defaultdict

import numpy as np
import pytest

from cepheid.generate import generate
from cepheid.generate.clicks import JOURNEYS, LOGIN


def sessions_of(**parameters: float) -> list[list[dict[str, object]]]:
    """Return the rows of each user's only session, where users are many and sessions few."""
    table = generate("clicks", events=4_000, users=100_000, **parameters)
    by_user = defaultdict(list)
    for row in table.to_pylist():
        by_user[row["userId"]].append(row)
    return list(by_user.values())[:200]  # begun well before the end of the table


def test_sessions_are_the_papers_patterns():
    whole = {*JOURNEYS, *((*LOGIN, *journey) for journey in JOURNEYS)}
    prefixes = {journey[:length] for journey in whole for length in range(1, len(journey) + 1)}
    seen = [tuple(row["type"] for row in rows) for rows in sessions_of(attack=0.0)]
    # A user drawn twice makes the few exceptions.
    assert np.mean([each in prefixes for each in seen]) > 0.97
    assert np.mean([each in whole for each in sessions_as_types(leave=0.0)]) > 0.97


def sessions_as_types(**parameters: float) -> list[tuple[object, ...]]:
    sessions = sessions_of(attack=0.0, **parameters)
    return [tuple(row["type"] for row in rows) for rows in sessions]


def test_attackers_type_wrong_passwords_five_times():
    sessions = sessions_of(attack=1.0)
    assert np.mean([len(rows) == 15 for rows in sessions]) > 0.97
    for rows in sessions:
        assert all(row["ip"].startswith("203.0.113.") for row in rows)
        right = {row["password"] for row in rows if row["type"] == "TypeUsername"}
        assert not right & {row["value"] for row in rows}


@pytest.mark.parametrize("wrong", [0.0, 0.3, 1.0])
def test_share_of_wrong_passwords(wrong: float):
    table = generate("clicks", events=30_000, attack=0.0, wrong=wrong)
    typed = [row for row in table.to_pylist() if row["type"] == "TypePassword"]
    mistakes = np.mean([row["value"] != f"secret-{row['userId']}" for row in typed])
    assert mistakes == pytest.approx(wrong, abs=0.03)


def test_password_is_the_users():
    for row in generate("clicks", events=5_000).to_pylist():
        if row["type"] == "TypeUsername":
            assert row["password"] == f"secret-{row['userId']}"


def test_users_have_one_address_and_domain_sizes_hold():
    table = generate("clicks", events=50_000, users=200, attack=0.0)
    assert sorted(table["userId"].unique().to_pylist()) == list(range(1, 201))
    assert table.group_by(["userId", "ip"]).aggregate([]).num_rows == 200


def test_attacks_come_from_few_addresses():
    table = generate("clicks", events=50_000, attackers=4)
    addresses = [each for each in table["ip"].unique().to_pylist() if each.startswith("203.")]
    assert len(addresses) == 4


def test_a_login_takes_seconds():
    seconds = []
    for rows in sessions_of(attack=0.0, leave=0.0):
        if [row["type"] for row in rows[:3]] == list(LOGIN):
            seconds.append((rows[2]["time"] - rows[0]["time"]).total_seconds())
    assert np.mean(np.array(seconds) < 10) > 0.7
