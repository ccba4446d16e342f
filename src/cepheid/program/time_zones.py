"""Times without a zone, read in one.

Where clocks go forward, a time that does not exist is as long after the change as it was meant to
be: 02:30 is 03:30. Where they go back, a time that exists twice is the earlier one. Spark and Java
read times in the same way.
"""

from __future__ import annotations

import datetime
import re
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cepheid.errors import ConfigError

EPOCH = datetime.datetime(1970, 1, 1)
MICROSECOND = datetime.timedelta(microseconds=1)
NOTHING = datetime.timedelta()
FINER_THAN_MICROSECONDS = re.compile(r"[.,]\d{6}(\d+)")
OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")


def nanoseconds(text: str, zone: str | None) -> int:
    """Return a time since the epoch in UTC; a text without a zone is in `zone`, or in UTC.

    >>> nanoseconds("1970-01-01 00:00:00.0000005", None)
    500
    >>> zone = "America/New_York"  # clocks go forward at 02:00
    >>> nanoseconds("2024-03-10 02:30", zone) == nanoseconds("2024-03-10 03:30", zone)
    True
    """
    moment = datetime.datetime.fromisoformat(text)
    if moment.tzinfo is None and zone is not None:
        moment = moment.replace(tzinfo=time_zone(zone))
    since = moment.replace(tzinfo=None) - EPOCH - (moment.utcoffset() or NOTHING)
    finer = FINER_THAN_MICROSECONDS.search(text)
    rest = 0 if finer is None else int(finer[1][:3].ljust(3, "0"))
    return since // MICROSECOND * 1_000 + rest


@cache
def time_zone(name: str) -> datetime.tzinfo:
    """Return the zone of a name as Arrow and Spark write it: a region, or an offset from UTC.

    >>> time_zone("GMT+8")
    datetime.timezone(datetime.timedelta(seconds=28800))

    Raises:
        ConfigError: no zone has this name.
    """
    found = OFFSET.fullmatch(name)
    if found is not None:
        hours, minutes, seconds = (int(each or 0) for each in found.groups()[1:])
        offset = datetime.timedelta(hours=hours, minutes=minutes, seconds=seconds)
        return datetime.timezone(-offset if found[1] == "-" else offset)
    try:
        return ZoneInfo("UTC" if name == "Z" else name)
    except (ZoneInfoNotFoundError, ValueError):
        raise ConfigError(
            f"the time zone '{name}' is not known, so that a time without a zone cannot be read",
            hint="write the time with its offset, as in '2024-01-31T09:30:00+01:00', or name the "
            "zone by its region, as in Europe/Paris",
        ) from None
