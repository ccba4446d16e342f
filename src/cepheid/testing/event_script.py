"""Events from a short string."""

from __future__ import annotations

import re
from typing import TypeAlias

AttributeValue: TypeAlias = int | float | str | bool | None

_EVENT = re.compile(
    r"(?P<type>[^\W\d](?:[\w-]*[^\W\d])?)\d*@(?P<at>-?\d+)(?:\((?P<values>[^()]*)\))?"
    r"|(?P<name>[^\W\d](?:[\w-]*[^\W\d])?)(?P<time>\d+)(?:\((?P<plain>[^()]*)\))?"
)
_WORDS: dict[str, AttributeValue] = {"null": None, "true": True, "false": False}


def events(text: str) -> list[dict[str, AttributeValue]]:
    """Return one dict per word: its type, its time, and its attributes if any.

    `a1` is an event of type A at time 1. `a@1`, or `a1@1` where the number tells events apart for
    the reader only, gives the time explicitly. A type of more than one letter keeps its spelling.
    Attributes are integers, decimals, true, false, null, or else strings; one that an event does
    not mention is not in its dict.

    >>> events("a1 b2")
    [{'type': 'A', 'time': 1}, {'type': 'B', 'time': 2}]
    >>> events("a1@5(x=1, note=late) Exit@-7")
    [{'type': 'A', 'time': 5, 'x': 1, 'note': 'late'}, {'type': 'Exit', 'time': -7}]
    """
    found = []
    end = 0
    for match in _EVENT.finditer(text):
        if text[end : match.start()].strip():
            break
        end = match.end()
        name = match["type"] or match["name"]
        event: dict[str, AttributeValue] = {
            "type": name.upper() if len(name) == 1 else name,
            "time": int(match["at"] or match["time"]),
        }
        event |= _attributes(match["values"] or match["plain"] or "")
        found.append(event)
    if rest := text[end:].strip():
        raise ValueError(f"not an event: {rest!r}; write a1, a@1 or a@1(x=2, y=text)")
    return found


def _attributes(text: str) -> dict[str, AttributeValue]:
    pairs = [each.split("=", 1) for each in text.split(",") if each.strip()]
    return {name.strip(): _value(value.strip()) for name, value in pairs}


def _value(text: str) -> AttributeValue:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
