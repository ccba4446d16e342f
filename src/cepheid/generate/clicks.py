"""Web clicks for the applications of A-Seq (SIGMOD 2014, section 1, section 3.3 and example 6).

A session is a user's journey through the shop, with or without logging in first, left early with
probability `leave` after each click; or an attacker's five logins with wrong passwords. The
journeys are the paper's patterns; its V and B are spelt View and Buy, its REC Recommendation.
`password` is the account's password (the paper's TypeUsername.Password), `value` what was typed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.generate.clock import MINUTE_US, SECOND_US, START_US, arrivals, session_times
from cepheid.generate.interleave import Rows, interleave
from cepheid.generate.labels import label
from cepheid.generate.segments import positions
from cepheid.generate.stream import BLOCK_EVENTS, TIMESTAMP, Block, Column, Ints, Stream, option

LOGIN = ("TypeUsername", "TypePassword", "ClickSubmit")
_KINDLE_CASE = ("ViewKindle", "BuyKindle", "ViewCase", "BuyCase")
JOURNEYS = (
    ("Kindle", "KindleCase", "Stylus"),  # application II
    _KINDLE_CASE,  # Q1 .. Q5 of example 6
    ("ViewKindle", "BuyKindle", "ViewKindleFire"),
    (*_KINDLE_CASE, "ViewEBook", "BuyEBook"),
    (*_KINDLE_CASE, "ViewLight", "BuyLight"),
    ("ViewIPad", "ViewKindleFire", "ViewKindle", "BuyKindle"),
    ("ViewKindle", "BuyKindle", "Recommendation", "ViewCase", "BuyCase"),  # section 3.3
)
ATTACK = 5 * LOGIN
TYPES = tuple(dict.fromkeys(LOGIN + sum(JOURNEYS, ())))
MODELS = ("touch", "paperwhite", "basic")
WITH_MODEL = ("Kindle", "ViewKindle", "BuyKindle")
PRICES = {
    "Kindle": 120.0, "KindleCase": 30.0, "Stylus": 15.0, "BuyKindle": 120.0, "BuyCase": 30.0,
    "BuyEBook": 9.0, "BuyLight": 20.0,
}  # fmt: skip
GUESSES = ("123456", "password", "qwerty", "letmein", "admin")
_SCRIPTS = (ATTACK, *JOURNEYS, *((*LOGIN, *journey) for journey in JOURNEYS))


@dataclass(frozen=True, slots=True)
class ClicksSettings:
    """Parameters of the web shop."""

    users: int = option(1000, "number of users, each with one address", minimum=1, maximum=100_000)
    attackers: int = option(3, "number of attacking addresses", minimum=1, maximum=254)
    attack: float = option(0.02, "share of sessions that are attacks", minimum=0, maximum=1)
    wrong: float = option(0.1, "probability of a wrong password", minimum=0, maximum=1)
    leave: float = option(0.1, "probability to leave after a click", minimum=0, maximum=0.99)
    gap_seconds: float = option(
        3.0, "mean seconds between clicks of a session", minimum=0.001, maximum=86_400
    )
    sessions_per_minute: float = option(
        60.0, "mean session starts", minimum=0.001, maximum=1_000_000
    )


def clicks(seed: int, settings: ClicksSettings) -> Iterator[Block]:
    """Yield blocks of clicks in time order; sessions overlap."""
    rng = np.random.default_rng(seed)
    users = range(1, settings.users + 1)
    addresses = [f"10.{user >> 16}.{user >> 8 & 255}.{user & 255}" for user in users]
    addresses += [f"203.0.113.{number}" for number in range(1, settings.attackers + 1)]
    secrets = [*(f"secret-{user}" for user in users), *GUESSES]
    price_by_type = np.array([PRICES.get(name, np.nan) for name in TYPES])
    for rows in interleave(_sessions(rng, settings)):
        kind, user = rows["type"], rows["user"]
        guess = settings.users + rng.integers(0, len(GUESSES), kind.size)
        typed = np.where(rows["wrong"], guess, user)
        model = rng.integers(0, len(MODELS), kind.size)
        yield {
            "time": rows["time"],
            "type": label(kind, TYPES),
            "userId": user + 1,
            "ip": label(rows["address"], addresses),
            "password": label(np.where(_among(kind, "TypeUsername"), user, -1), secrets),
            "value": label(np.where(_among(kind, "TypePassword"), typed, -1), secrets),
            "model": label(np.where(_among(kind, *WITH_MODEL), model, -1), MODELS),
            "price": price_by_type[kind],
        }


def _sessions(rng: np.random.Generator, settings: ClicksSettings) -> Iterator[tuple[Rows, int]]:
    length_by_script = np.array([len(script) for script in _SCRIPTS])
    types_by_script = np.zeros((len(_SCRIPTS), length_by_script.max()), np.int64)
    for script_id, names in enumerate(_SCRIPTS):
        types_by_script[script_id, : len(names)] = [TYPES.index(name) for name in names]
    sessions = BLOCK_EVENTS // 5
    last_start = START_US - 1
    while True:
        starts = arrivals(rng, sessions, MINUTE_US / settings.sessions_per_minute, last_start)
        last_start = int(starts[-1])
        attack = rng.random(sessions) < settings.attack
        script = np.where(attack, 0, rng.integers(1, len(_SCRIPTS), sessions))
        lengths = length_by_script[script]
        if settings.leave > 0:
            stay = rng.geometric(settings.leave, sessions)
            lengths = np.where(attack, lengths, np.minimum(lengths, stay))
        user = rng.integers(0, settings.users, sessions)
        attacker = settings.users + rng.integers(0, settings.attackers, sessions)
        session = np.repeat(np.arange(sessions), lengths)
        rows = {
            "time": session_times(rng, starts, lengths, settings.gap_seconds * SECOND_US),
            "type": types_by_script[script[session], positions(lengths)],
            "user": user[session],
            "address": np.where(attack, attacker, user)[session],
            "wrong": attack[session] | (rng.random(session.size) < settings.wrong),
        }
        yield rows, last_start


def _among(kind: Ints, *names: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([name in names for name in TYPES])[kind]


CLICKS = Stream(
    name="clicks",
    description="Clicks in a web shop: logins, views, purchases, attacks (A-Seq, section 1)",
    columns=(
        Column("time", TIMESTAMP, "time of the click"),
        Column("type", pa.string(), "event type, one of " + ", ".join(TYPES)),
        Column("userId", pa.int64(), "user, 1 .. users; in an attack the account attacked"),
        Column("ip", pa.string(), "address: one per user, 203.0.113.x for attackers"),
        Column("password", pa.string(), "password of the account", ("TypeUsername",)),
        Column("value", pa.string(), "password typed", ("TypePassword",)),
        Column("model", pa.string(), "model: " + ", ".join(MODELS), WITH_MODEL),
        Column("price", pa.float64(), "price of a purchase", tuple(PRICES)),
    ),
    time_column="time",
    type_column="type",
    event_types=TYPES,
    settings=ClicksSettings,
    function=clicks,
)
