"""Ask for every address that the documentation links to: `make links`.

It needs the network, so it is no part of `make test`. `tests/test_readme.py` and `make docs` check
the links between the pages, without a network.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

REPOSITORY = Path(__file__).parent.parent
ADDRESS = re.compile(r"https?://[^\s)\]>\"'`]+")
SECONDS = 20.0
AT_ONCE = 8
NAME = "cepheid-link-checker"
NOT_ASKED = {
    "http://127.0.0.1": "the reader's own machine",
    "http://localhost": "the reader's own machine",
    "https://…": "stands for an address of the reader",
}


def pages(folder: Path) -> list[Path]:
    """Return the pages beside `docs` and those in `docs` and `examples`, with notebooks."""
    found = list(folder.glob("*.md"))
    for name in ("docs", "examples"):
        found += [*(folder / name).rglob("*.md"), *(folder / name).rglob("*.ipynb")]
    return sorted(found)


def addresses(files: Iterable[Path]) -> dict[str, list[Path]]:
    """Return every address with the files that name it."""
    found: dict[str, list[Path]] = {}
    for file in files:
        for each in ADDRESS.findall(file.read_text(encoding="utf-8")):
            named = found.setdefault(each.rstrip(".,;:").partition("#")[0], [])
            if file not in named:
                named.append(file)
    return found


def fault(address: str, seconds: float = SECONDS) -> str | None:
    """Return what is wrong with an address; servers that refuse HEAD are asked with GET."""
    said = _answer(address, "HEAD", seconds)
    return said if said is None else _answer(address, "GET", seconds)


def _answer(address: str, method: str, seconds: float) -> str | None:
    request = Request(address, method=method, headers={"User-Agent": NAME})
    try:
        with urlopen(request, timeout=seconds):
            return None
    except HTTPError as error:
        with error:
            return f"{error.code} {HTTPStatus(error.code).phrase}"
    except (HTTPException, OSError, ValueError) as error:
        return str(getattr(error, "reason", error)) or type(error).__name__


def broken(found: Mapping[str, list[Path]], seconds: float = SECONDS) -> dict[str, str]:
    """Return the addresses that do not answer, and what is wrong with each."""
    asked = [each for each in found if not each.startswith(tuple(NOT_ASKED))]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        said = pool.map(lambda each: fault(each, seconds), asked)
        return {each: words for each, words in zip(asked, said, strict=True) if words is not None}


def main(folder: Path) -> int:
    """Print the addresses that lead nowhere, with their pages; return how many there are."""
    found = addresses(pages(folder))
    faults = broken(found)
    for address, words in faults.items():
        named = ", ".join(str(each.relative_to(folder)) for each in found[address])
        print(f"{address}: {words}\n  in {named}")
    left = sum(each.startswith(tuple(NOT_ASKED)) for each in found)
    print(f"addresses asked: {len(found) - left}, faults: {len(faults)}, not asked: {left}")
    for start, reason in NOT_ASKED.items():
        print(f"  {start}: {reason}")
    return len(faults)


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY), 1))
