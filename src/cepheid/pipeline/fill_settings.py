"""The settings with the values of their variables, for Spark and for nobody else."""

from __future__ import annotations

from typing import Any

from cepheid.pipeline.model import Part, Pipeline
from cepheid.pipeline.secrets import Secrets

# Queries and the meaning of columns hold no secrets: EXPLAIN shows them.
PARTS_WITH_VARIABLES = ("source", "sinks", "late", "checkpoint", "spark", "metrics")


def fill_settings(settings: Pipeline, secrets: Secrets) -> Pipeline:
    """Return the settings with every `${NAME}` replaced."""
    return settings.model_copy(
        update={name: _filled(getattr(settings, name), secrets) for name in PARTS_WITH_VARIABLES}
    )


def _filled(value: Any, secrets: Secrets) -> Any:
    if isinstance(value, Part):
        names = value.model_fields_set
        return value.model_copy(
            update={name: _filled(getattr(value, name), secrets) for name in names}
        )
    if isinstance(value, str):
        return secrets.fill(value)
    if isinstance(value, dict):
        return {name: _filled(each, secrets) for name, each in value.items()}
    return [_filled(each, secrets) for each in value] if isinstance(value, list) else value
