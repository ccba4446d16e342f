"""Make examples/data/payments.csv: payments with cards, some of them by thieves.

    python tools/make_payments.py

Real payments with cards and countries are not for everybody, so these come from a model. It is
written down here and in examples/data/README.md. The same seed gives the same file.

1. A card has a country, and pays there. The time to its next payment is exponential, nine hours on
   average. Amounts are log-normal with a median of 24.
2. One payment in twelve is in a shop abroad.
3. One card in eight travels: for three days all of its payments are abroad.
4. One card in eight is stolen. The thief is abroad, pays less than 2 to see whether the card works,
   and then two to four times 250 to 900, a few minutes apart. Its owner goes on paying meanwhile.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

FILE = Path(__file__).parent.parent / "examples" / "data" / "payments.csv"
START, DAYS, CARDS, SEED = datetime(2024, 3, 4), 10, 64, 7
COUNTRIES = ("AT", "BE", "CZ", "DE", "ES", "FR", "IT", "NL", "PL", "PT")
MEAN_HOURS, MEDIAN_AMOUNT, SPREAD = 9.0, 24.0, 1.1
ABROAD, TRAVELS, STOLEN = 1 / 12, 1 / 8, 1 / 8
DAYS_OF_TRAVEL = 3.0
Payment = tuple[datetime, str, str, str, str, str]  # the columns of the file


def payments(seed: int = SEED) -> list[Payment]:
    """Return the payments of all cards, in the order of time."""
    random = Random(seed)
    found: list[Payment] = []
    for number in range(1, CARDS + 1):
        card, home = f"c{number:02}", random.choice(COUNTRIES)
        found += _of_the_owner(random, card, home)
        if random.random() < STOLEN:
            found += _of_a_thief(random, card, home)
    return sorted(found)


def _of_the_owner(random: Random, card: str, home: str) -> Iterator[Payment]:
    leaves = random.uniform(0, DAYS - DAYS_OF_TRAVEL) if random.random() < TRAVELS else DAYS
    visited = _other(random, home)
    day = 0.0
    while (day := day + random.expovariate(24 / MEAN_HOURS)) < DAYS:
        country = visited if leaves <= day < leaves + DAYS_OF_TRAVEL else home
        if random.random() < ABROAD:
            country = _other(random, country)
        amount = MEDIAN_AMOUNT * random.lognormvariate(0, SPREAD)
        yield _payment(day, card, country, amount, is_stolen=False)


def _of_a_thief(random: Random, card: str, home: str) -> Iterator[Payment]:
    country, day = _other(random, home), random.uniform(0, DAYS - 1)
    yield _payment(day, card, country, random.uniform(0.5, 2), is_stolen=True)
    for _ in range(random.randint(2, 4)):
        day += random.uniform(1, 5) / (24 * 60)
        yield _payment(day, card, country, random.uniform(250, 900), is_stolen=True)


def _payment(day: float, card: str, country: str, amount: float, *, is_stolen: bool) -> Payment:
    time = START + timedelta(seconds=int(day * 24 * 3600))
    return time, "Pay", card, country, f"{amount:.2f}", str(is_stolen).lower()


def _other(random: Random, country: str) -> str:
    return random.choice([each for each in COUNTRIES if each != country])


def write(file: Path) -> None:
    """Write the payments as CSV."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(["time", "kind", "card", "country", "amount", "stolen"])
        writer.writerows(payments())


if __name__ == "__main__":
    write(FILE)
