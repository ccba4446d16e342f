"""The jars that `make jars` brings, and why they are not there."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
DIRECTORY = Path(os.environ.get("CEPHEID_JARS_DIRECTORY", REPOSITORY / ".jars"))


def why_missing(part: str) -> str | None:
    """Why a part (a profile of tools/jars/pom.xml) is not there; None if it is."""
    if (DIRECTORY / f"{part}.done").exists():
        return None
    reason = DIRECTORY / f"{part}.missing"
    said = reason.read_text(encoding="utf-8").strip() if reason.exists() else "run `make jars`"
    return f"no jars of {part}: {said}"


def class_path(folder: str) -> str:
    return os.pathsep.join(map(str, sorted((DIRECTORY / folder).glob("*.jar"))))
