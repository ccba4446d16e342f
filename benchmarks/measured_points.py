"""The points of a grid that were measured so far, in a file: an interrupt loses none of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

OWN = "dynamic"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a point took: by way the seconds of the processor."""

    point: str
    seconds: dict[str, float]

    @property
    def best(self) -> float:
        """What the best of all ways took."""
        return min(self.seconds.values())

    @property
    def ratio(self) -> float:
        """How many times as long as the best of the other ways `dynamic` takes."""
        others = (seconds for way, seconds in self.seconds.items() if way != OWN)
        return self.seconds[OWN] / min(others)


class MeasuredPoints:
    """A file with a line for every point; the first one says how they are measured.

    Points that were measured in another way, or of another commit, are forgotten.
    """

    def __init__(self, path: Path, how: Mapping[str, object]) -> None:
        self.path, head = path, json.dumps(how)
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        kept = lines[1:] if lines[:1] == [head] else []
        found = (Measured(**json.loads(each)) for each in kept)
        self.known = {each.point: each for each in found}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{each}\n" for each in (head, *kept)), encoding="utf-8")

    def add(self, measured: Measured) -> None:
        """Write a point down."""
        self.known[measured.point] = measured
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(measured)) + "\n")

    def remove(self) -> None:
        """Remove the file, when all points are written elsewhere."""
        self.path.unlink()
