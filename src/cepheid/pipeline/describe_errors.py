"""Mistakes that the model finds, in words, with the place in the file and what to write."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from cepheid.errors import Diagnostic, nearest
from cepheid.pipeline.model import Pipeline
from cepheid.pipeline.pipeline_document import Document, Path

# What a value has to be, by the kind of error.
WANTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "list_type": "a list",
}


def describe_errors(error: ValidationError, document: Document) -> list[Diagnostic]:
    """Return a diagnostic for each mistake, in the order of the file."""
    by_place: dict[tuple[Path, str], Diagnostic] = {}
    for each in error.errors(include_url=False, include_input=False):
        path = _existing(document.content, each["loc"])
        union = each["type"] in WANTED and len(path) < len(each["loc"])
        kind = "union" if union else f"{each['type']} {each['loc'][-1:]}"
        by_place.setdefault((path, kind), _describe(dict(each), path, document))
    return in_order(by_place.values())


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics by their place; those without one come first."""

    def place(each: Diagnostic) -> tuple[int, int]:
        return (0, 0) if each.location is None else (each.location.line, each.location.column)

    return sorted(diagnostics, key=place)


def spelled(path: Sequence[str | int]) -> str:
    """Return a path as messages spell it.

    >>> spelled(("source", "kafka", "topics", 0))
    'source.kafka.topics[0]'
    """
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


def _describe(error: Mapping[str, Any], path: Path, document: Document) -> Diagnostic:
    kind, context = error["type"], error.get("ctx", {})
    name = spelled(path)
    key, value = document.place_of_key(path), document.place_of_value(path)
    match kind:
        case "missing":
            missing = str(error["loc"][-1])
            hint = f"add {missing}: {_description(error['loc'])}".rstrip(": ")
            message = f"'{name or document.name}' needs the key '{missing}'"
            return Diagnostic("missing-key", message, key if name else None, hint)
        case "extra_forbidden":
            return Diagnostic(
                "unknown-key", f"there is no key '{name}'", key, _known_keys(path[:-1], path[-1])
            )
        case "literal_error":
            choices = str(context["expected"]).replace("'", "")
            return Diagnostic(
                "bad-value", f"'{name}' cannot have this value", value, f"use {choices}"
            )
        case "several-kinds":
            return Diagnostic("bad-value", f"{name}: {error['msg']}", key, context["hint"])
        case "plain-secret":
            if "key" in context:
                key = document.place_of_key((*path, context["key"]))
            return Diagnostic("plain-secret", f"{name}: {error['msg']}", key, context["hint"])
        case "bad-value":
            return Diagnostic("bad-value", f"{name}: {error['msg']}", value, context["hint"])
        case "string_pattern_mismatch":
            hint = "use letters, digits, _ and -, a letter first"
            return Diagnostic("bad-value", f"'{path[-1]}' is no name for a query", key, hint)
        case "greater_than_equal" | "less_than_equal":
            bound = f"at least {context['ge']}" if "ge" in context else f"at most {context['le']}"
            return Diagnostic("bad-value", f"'{name}' must be {bound}", value)
        case "too_short" | "string_too_short":
            return Diagnostic("bad-value", f"'{name}' must not be empty", value)
    is_setting = kind in WANTED and len(path) < len(error["loc"])
    wanted = "a text, a number, true or false" if is_setting else WANTED.get(kind)
    message = f"'{name}' must be {wanted}" if wanted else f"'{name}': {_lowered(error['msg'])}"
    return Diagnostic("bad-value", message, value, _description(error["loc"]) or None)


def _existing(content: Any, location: Sequence[str | int]) -> Path:
    """Return the part of a location that the file has; the rest names alternatives."""
    path: list[str | int] = []
    for step in location:
        is_there = (isinstance(content, dict) and step in content) or (
            isinstance(content, list) and isinstance(step, int) and step < len(content)
        )
        if not is_there:
            break
        content = content[step]
        path.append(step)
    return tuple(path)


def _known_keys(owner: Path, word: str | int) -> str:
    model = _model_at(owner)
    known = [] if model is None else list(_keys(model))
    near = nearest(str(word), known)
    listing = f"{spelled(owner) or 'a pipeline'} has: {', '.join(known)}"
    return listing if near is None else f"did you mean '{near}'? {listing}"


def _description(location: Sequence[str | int]) -> str:
    model = _model_at(location[:-1])
    if model is None:
        return ""
    for name, field in model.model_fields.items():
        if (field.alias or name) == location[-1]:
            return field.description or ""
    return ""


def _keys(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield field.alias or name


def _model_at(path: Sequence[str | int]) -> type[BaseModel] | None:
    """Return the class that a path leads to."""
    found: Any = Pipeline
    for step in path:
        if isinstance(found, type) and issubclass(found, BaseModel):
            fields = found.model_fields
            matching = [each for name, each in fields.items() if (each.alias or name) == step]
            found = _inner(matching[0].annotation) if matching else None
        elif get_origin(found) is dict:
            found = _inner(get_args(found)[1])
        else:
            return None
    return found if isinstance(found, type) and issubclass(found, BaseModel) else None


def _inner(annotation: Any) -> Any:
    """Return the class or dict inside of Optional and Annotated."""
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        inner = [_inner(each) for each in get_args(annotation) if each is not type(None)]
        return inner[0] if inner else None
    if hasattr(annotation, "__metadata__"):
        return _inner(get_args(annotation)[0])
    return annotation


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
