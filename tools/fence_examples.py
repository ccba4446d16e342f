"""Examples in docstrings as blocks of code on the site; mkdocs.yml names this file to Griffe."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


class FenceExamples(griffe.Extension):
    """Puts fences around what begins with `>>>`, up to the next empty line."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Mend the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = EXAMPLE.sub(lambda one: f"```pycon\n{one[0]}\n```", text)
