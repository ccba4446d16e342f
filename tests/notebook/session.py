"""An IPython session of this process, without a kernel, a terminal or a history."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


@dataclass
class Session:
    shell: InteractiveShell
    shown: CapturingDisplayPublisher
    printed: io.StringIO = field(default_factory=io.StringIO)

    def run(self, cell: str) -> Any:
        """The value of the last line, or the error that was raised; forgets what was shown."""
        self.shown.outputs.clear()
        self.printed = io.StringIO()
        with redirect_stdout(self.printed):
            done = self.shell.run_cell(cell)
        return done.error_in_exec or done.result

    @property
    def html(self) -> list[str]:
        return [each["data"]["text/html"] for each in self.shown.outputs]


@contextmanager
def ipython_session(**names: Any) -> Iterator[Session]:
    config = Config()
    config.HistoryManager.enabled = False
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=config, user_ns=dict(names))
    shell.display_pub = CapturingDisplayPublisher()
    shell.run_line_magic("load_ext", "cepheid")
    try:
        yield Session(shell, shell.display_pub)
    finally:
        InteractiveShell.clear_instance()
