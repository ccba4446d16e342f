"""YAML text to plain data, and the place of every value in the text.

Only YAML's plain types are made (safe loading), keys must be different texts, and aliases are
refused: a few lines of them can stand for gigabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from cepheid.errors import Diagnostic, Location, PipelineError
from cepheid.pipeline.secrets import hide_plain_secrets

Path = tuple[str | int, ...]


class _Loader(yaml.SafeLoader):
    """Safe loading without aliases."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Return the next node; an alias is an error."""
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            mark = event.start_mark
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not allowed", mark)
        return super().compose_node(parent, index)


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file: its name for messages, its lines, its content and its tree of nodes."""

    name: str
    lines: tuple[str, ...]
    content: Any
    root: yaml.Node

    def place_of_key(self, path: Sequence[str | int]) -> Location:
        """Return where a key stands, or the last one before it that is there."""
        return self._place(self._walk(path)[0])

    def place_of_value(self, path: Sequence[str | int]) -> Location:
        """Return where a value stands: the key if the value goes over several lines."""
        key, value = self._walk(path)
        is_short = value.start_mark.line == value.end_mark.line
        return self._place(value if is_short else key)

    def node_of_value(self, path: Sequence[str | int]) -> yaml.Node:
        """Return the node of a value."""
        return self._walk(path)[1]

    def place(self, line: int, column: int, length: int) -> Location:
        """Return a place by line and column from 0, with the line as it may be shown."""
        text = self.lines[line] if line < len(self.lines) else ""
        return Location(self.name, line + 1, column + 1, length, hide_plain_secrets(text))

    def _walk(self, path: Sequence[str | int]) -> tuple[yaml.Node, yaml.Node]:
        key = node = self.root
        for step in path:
            found = _child(node, step)
            if found is None:
                break
            key, node = found
        return key, node

    def _place(self, node: yaml.Node) -> Location:
        start, end = node.start_mark, node.end_mark
        length = end.column - start.column if end.line == start.line else 1
        return self.place(start.line, start.column, length)


def read_document(text: str, name: str) -> Document:
    """Read YAML.

    Raises:
        PipelineError: it is not YAML, or not a mapping with different keys.
    """
    lines = tuple(text.splitlines())
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        if not isinstance(root, yaml.MappingNode):
            raise PipelineError([_not_a_mapping(name)])
        document = Document(name, lines, None, root)
        repeated = list(_repeated_keys(document, root))
        if repeated:
            raise PipelineError(repeated)
        return Document(name, lines, loader.construct_document(root), root)
    except yaml.MarkedYAMLError as error:
        raise PipelineError([_no_yaml(error, name, lines)]) from None
    except yaml.YAMLError as error:
        raise PipelineError([Diagnostic("bad-yaml", f"'{name}' is not YAML: {error}")]) from None
    except (ValueError, RecursionError) as error:  # a date such as 2026-13-01, endless brackets
        raise PipelineError([Diagnostic("bad-yaml", f"'{name}' is not YAML: {error}")]) from None
    finally:
        loader.dispose()


def _not_a_mapping(name: str) -> Diagnostic:
    hint = "begin with source:, events:, queries:, sinks: and checkpoint:"
    return Diagnostic("bad-yaml", f"'{name}' does not describe a pipeline", hint=hint)


def _no_yaml(error: yaml.MarkedYAMLError, name: str, lines: tuple[str, ...]) -> Diagnostic:
    problem = error.problem or "it cannot be read"
    mark = error.problem_mark
    if mark is None:
        return Diagnostic("bad-yaml", f"not YAML: {problem}")
    document = Document(name, lines, None, yaml.MappingNode("", []))
    place = document.place(mark.line, mark.column, 1)
    if isinstance(error, yaml.composer.ComposerError | yaml.constructor.ConstructorError):
        hint = "use texts, numbers, lists and keys with values only"
        return Diagnostic("bad-yaml", f"not for pipelines: {problem}", place, hint)
    hint = "quote texts with colons, brackets or a %; indent with spaces"
    return Diagnostic("bad-yaml", f"not YAML: {problem}", place, hint)


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return key, value
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None


def _repeated_keys(document: Document, node: yaml.Node) -> Iterator[Diagnostic]:
    if isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from _repeated_keys(document, each)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in node.value:
        start = key.start_mark
        is_text = isinstance(key, yaml.ScalarNode)
        word = key.value if is_text else ""
        place = document.place(start.line, start.column, max(1, len(word)))
        if not is_text or key.tag != "tag:yaml.org,2002:str":
            yield Diagnostic("bad-yaml", "this key is not a text", place, "put it in quotes")
        elif word in seen:
            yield Diagnostic("repeated-key", f"'{word}' is given twice", place, "keep one of them")
        seen.add(word)
        yield from _repeated_keys(document, value)
