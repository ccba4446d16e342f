"""A folder of query files `NAME.cep`: what is there now."""

from __future__ import annotations

import os
from pathlib import Path

from cepheid.errors import ConfigError

SUFFIX = ".cep"
Found = dict[str, tuple[str | None, str | None]]


def read_folder(path: Path) -> Found:
    """Return by name the text of every query file, or why there is none.

    Raises:
        ConfigError: the folder cannot be read, so that nobody knows which queries there are.
    """
    try:
        names = sorted(each for each in os.listdir(path) if each.endswith(SUFFIX))
    except FileNotFoundError:
        raise ConfigError(
            f"the folder of queries {path} does not exist",
            hint="make it, or check the path and whether it is mounted",
        ) from None
    except OSError as error:
        raise ConfigError(
            f"the folder of queries {path} cannot be read: {error.strerror}",
            hint=f"give a folder with files NAME{SUFFIX} that this process may read",
        ) from None
    found: Found = {}
    for name in names:
        stem = name.removesuffix(SUFFIX)
        try:
            found[stem] = (path / name).read_text("utf-8"), None
        except FileNotFoundError:  # it has gone in the meantime
            continue
        except (OSError, UnicodeDecodeError) as error:
            found[stem] = None, f"{name} cannot be read: {error}"
    return found
