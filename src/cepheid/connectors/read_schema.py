"""A declaration of event types, from YAML or JSON.

Request: [driver, rider, district]          # names of attributes
Travel: {driver: int, speed: double}        # or names with types
"""

from __future__ import annotations

import json
from pathlib import Path

from cepheid.analysis.attribute_types import AttributeType, attribute_type
from cepheid.errors import ConfigError, suggest

Declared = dict[str, dict[str, AttributeType]]


def read_schema(path: str) -> Declared:
    """Return the attributes of every event type, of unknown type where only their name is given.

    Raises:
        ConfigError: the file does not exist or does not declare event types.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read '{path}': {error.strerror}") from None
    content = _load(path, text)
    if not isinstance(content, dict) or not content:
        raise ConfigError(f"'{path}' declares no event types", hint=_EXAMPLE)
    return {str(name): _attributes(path, str(name), given) for name, given in content.items()}


_EXAMPLE = "write one entry per event type, such as Trade: [symbol, price]"


def _load(path: str, text: str) -> object:
    try:
        if path.endswith(".json"):
            return json.loads(text)
        import yaml
    except ImportError:
        raise ConfigError(
            f"'{path}' is YAML, which needs a package", hint="pip install pyyaml, or write JSON"
        ) from None
    except ValueError as error:
        raise ConfigError(f"'{path}' is not JSON: {error}") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"'{path}' is not YAML: {error}") from None


def _attributes(path: str, event_type: str, given: object) -> dict[str, AttributeType]:
    if given is None:
        return {}
    if isinstance(given, list):
        return dict.fromkeys(map(str, given), AttributeType.UNKNOWN)
    if not isinstance(given, dict):
        raise ConfigError(f"'{path}': {event_type} is {given!r}", hint=_EXAMPLE)
    return {str(name): _type(path, str(name), str(word)) for name, word in given.items()}


def _type(path: str, attribute: str, word: str) -> AttributeType:
    try:
        return attribute_type(word)
    except ValueError:
        raise ConfigError(
            f"'{path}': {attribute} has the unknown type '{word}'",
            hint=suggest(word, AttributeType, owner="cepheid"),
        ) from None
