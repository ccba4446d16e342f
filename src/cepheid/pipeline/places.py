"""Paths of a pipeline: relative ones begin in the folder of its file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cepheid.connectors.event_files import is_remote
from cepheid.pipeline.secrets import Secrets


@dataclass(frozen=True, slots=True)
class Places:
    """Where paths lead."""

    folder: Path
    secrets: Secrets

    def absolute(self, path: str) -> str:
        """Return a path as Spark gets it; its variables must have been replaced."""
        return path if is_remote(path) else str((self.folder / path).absolute())

    def local(self, path: str) -> Path | None:
        """Return a path of this machine with its variables replaced, None for addresses."""
        filled = self.secrets.fill(path)
        return None if is_remote(filled) else Path(self.absolute(filled))
