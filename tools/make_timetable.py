"""Make examples/data/buses.csv: the buses that reach and leave the pier of a made-up town in a day.

    python tools/make_timetable.py

For real timetables that packages have, we could not show that they may be passed on. So this one is
made up. `LINES` is all of it: in the evening there are fewer buses, and none to the Hills after
21:15.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

FILE = Path(__file__).parent.parent / "examples" / "data" / "buses.csv"
DAY = date(2024, 6, 3)


@dataclass(frozen=True, slots=True)
class Line:
    """The buses of a line, each from the first to the last time, so many minutes apart."""

    route: int
    name: str
    leaves: tuple[tuple[str, str, int], ...]
    arrives: tuple[tuple[str, str, int], ...]


LINES = (
    Line(
        10, "Beach",
        leaves=(("05:40", "18:40", 30), ("19:10", "23:10", 60)),
        arrives=(("06:20", "18:50", 30), ("19:05", "23:05", 60)),
    ),
    Line(
        20, "Airport",
        leaves=(("05:25", "22:25", 60),),
        arrives=(("06:50", "23:50", 60),),
    ),
    Line(
        30, "Hospital",
        leaves=(("06:05", "19:45", 20), ("20:35", "22:35", 60)),
        arrives=(("06:35", "20:15", 20), ("21:00", "23:00", 60)),
    ),
    Line(
        40, "University",
        leaves=(("07:02", "20:32", 15), ("21:32", "23:32", 60)),
        arrives=(("07:57", "21:27", 15), ("22:27", "23:27", 60)),
    ),
    Line(
        50, "Hills",
        leaves=(("06:23", "17:53", 30), ("18:15", "21:15", 60)),
        arrives=(("07:13", "18:43", 30), ("19:30", "22:30", 60)),
    ),
)  # fmt: skip
Bus = tuple[datetime, str, int, str]  # the columns of the file


def buses() -> list[Bus]:
    """Return the buses of the day, in the order of time."""
    found: list[Bus] = []
    for line in LINES:
        for kind, stretches in (("Leaves", line.leaves), ("Arrives", line.arrives)):
            for stretch in stretches:
                found += [(each, kind, line.route, line.name) for each in _times(*stretch)]
    return sorted(found)


def _times(first: str, last: str, minutes: int) -> Iterator[datetime]:
    now, end = (datetime.combine(DAY, time.fromisoformat(each)) for each in (first, last))
    while now <= end:
        yield now
        now += timedelta(minutes=minutes)


def write(file: Path) -> None:
    """Write the buses as CSV."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(["time", "kind", "route", "name"])
        writer.writerows(buses())


if __name__ == "__main__":
    write(FILE)
