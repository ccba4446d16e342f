"""Chromium without a screen: what a page is after its scripts have run, and how it looks."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.services.jars import REPOSITORY

SECONDS = 120  # until a browser on a busy machine is given up
PAGE_TIME = "--virtual-time-budget=2000"  # of the page's own clock, in milliseconds


def chromium_program() -> str | None:
    """The path of the program, or None if there is none; installs nothing."""
    done = subprocess.run(
        ["sh", str(REPOSITORY / "tools" / "ensure_chromium.sh")],
        env={**os.environ, "CEPHEID_SYSTEM_INSTALL": "no"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() if done.returncode == 0 else None


@dataclass(frozen=True, slots=True)
class Chromium:
    program: str
    folder: Path

    def after(self, page: str, script: str) -> str:
        """What a script, the body of a function, gives when the page is ready, or its error."""
        told = (
            "<script>window.onerror=(error)=>{document.body.dataset.told='error: '+error};"
            "window.addEventListener('load',()=>{try{"
            f"const told=(()=>{{{script}}})();document.body.dataset.told=told;"
            "}catch(error){document.body.dataset.told='error: '+error}});</script>"
        )
        file = self.folder / "page.html"
        file.write_text(page.replace("<head>", f"<head>{told}", 1), encoding="utf-8")
        dom = self._run("--dump-dom", file.as_uri())
        return dom.partition('data-told="')[2].partition('"')[0]

    def dom(self, address: str) -> str:
        """What a page of a server is after its scripts have run."""
        return self._run("--dump-dom", address)

    def screenshot(
        self, page: Path | str, picture: Path, *, width: int, height: int, dark: bool
    ) -> None:
        look = ["--blink-settings=preferredColorScheme=0"] if dark else []
        size = f"--window-size={width},{height}"
        address = page if isinstance(page, str) else page.as_uri()
        self._run(f"--screenshot={picture}", "--hide-scrollbars", size, *look, address)

    def _run(self, *arguments: str) -> str:
        profile = f"--user-data-dir={self.folder / 'profile'}"
        done = subprocess.run(
            [self.program, "--headless", "--no-sandbox", "--disable-gpu", profile, PAGE_TIME,
             *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=SECONDS,
        )  # fmt: skip
        return done.stdout
