"""Every `${NAME}` has a value in the environment, and stands where one is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cepheid.errors import Diagnostic, nearest
from cepheid.pipeline.fill_settings import PARTS_WITH_VARIABLES
from cepheid.pipeline.model import Pipeline
from cepheid.pipeline.pipeline_document import Document, Path
from cepheid.pipeline.secrets import VARIABLE, Secrets, variables_in


def check_variables(
    settings: Pipeline,
    document: Document,
    environment: Mapping[str, str],
    problems: list[Diagnostic],
) -> Secrets:
    """Return the values that the pipeline needs; a missing one stands for itself."""
    values: dict[str, str] = {}
    for path, text in _texts(document.content, ()):
        for name in variables_in(text):
            place = document.place_of_value(path)
            if path[0] not in PARTS_WITH_VARIABLES:
                hint = f"variables can be used in: {', '.join(PARTS_WITH_VARIABLES)}"
                message = f"'{path[0]}' cannot have variables of the environment"
                problems.append(Diagnostic("variable-not-allowed", message, place, hint))
            elif not VARIABLE.fullmatch(name):
                hint = "write ${NAME} with letters, digits and _; $${ stands for ${ itself"
                message = f"'${{{name}}}' is no variable"
                problems.append(Diagnostic("bad-value", message, place, hint))
            elif name not in environment:
                message = f"the environment variable '{name}' is not set"
                hint = _hint(name, environment)
                problems.append(Diagnostic("missing-variable", message, place, hint))
            values[name] = environment.get(name, f"${{{name}}}")
    return Secrets(values)


def _hint(name: str, environment: Mapping[str, str]) -> str:
    near = nearest(name, environment)
    guess = "" if near is None else f"did you mean '{near}'? "
    return f"{guess}set it where the pipeline is started: export {name}=…"


def _texts(content: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(content, str):
        yield path, content
    elif isinstance(content, dict):
        for key, value in content.items():
            yield from _texts(value, (*path, key))
    elif isinstance(content, list):
        for index, value in enumerate(content):
            yield from _texts(value, (*path, index))
