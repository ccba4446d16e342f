"""A file to a checked pipeline: all mistakes that can be found without starting anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from cepheid.errors import ConfigError, Diagnostic, PipelineError
from cepheid.pipeline.bind_queries import BoundQueries, bind_queries
from cepheid.pipeline.check_conflicts import check_conflicts
from cepheid.pipeline.check_paths import check_paths
from cepheid.pipeline.check_variables import check_variables
from cepheid.pipeline.describe_errors import describe_errors, in_order
from cepheid.pipeline.event_columns import EventColumns, event_columns
from cepheid.pipeline.fill_settings import fill_settings
from cepheid.pipeline.model import Pipeline
from cepheid.pipeline.pipeline_document import Document, read_document
from cepheid.pipeline.places import Places
from cepheid.pipeline.secrets import Secrets

LARGEST_FILE = 1 << 20


@dataclass(frozen=True, slots=True)
class CheckedPipeline:
    """A pipeline without known mistakes.

    `settings` has `${NAME}` where secrets go and may be shown; `filled` has their values and may
    not.
    """

    settings: Pipeline
    secrets: Secrets
    places: Places
    columns: EventColumns
    queries: BoundQueries

    @property
    def filled(self) -> Pipeline:
        """The settings with the values of secrets, for Spark."""
        return fill_settings(self.settings, self.secrets)


def load_pipeline(path: str, environment: Mapping[str, str]) -> CheckedPipeline:
    """Read a pipeline and check it.

    Raises:
        ConfigError: the file cannot be read.
        PipelineError: all mistakes that were found.
    """
    document = read_document(_read(path), path)
    try:
        settings = Pipeline.model_validate(document.content)
    except ValidationError as error:
        raise PipelineError(describe_errors(error, document)) from None
    return check_pipeline(settings, document, Path(path).parent, environment)


def check_pipeline(
    settings: Pipeline, document: Document, folder: Path, environment: Mapping[str, str]
) -> CheckedPipeline:
    """Check what the model alone cannot see."""
    problems: list[Diagnostic] = []
    secrets = check_variables(settings, document, environment, problems)
    places = Places(folder, secrets)
    columns = event_columns(settings, document, problems)
    queries = bind_queries(settings, document, places, columns, problems)
    check_conflicts(settings, document, columns, queries, problems)
    check_paths(settings, document, places, problems)
    if problems:
        raise PipelineError(in_order(problems))
    return CheckedPipeline(settings, secrets, places, columns, queries)


def _read(path: str) -> str:
    try:
        content = Path(path).read_bytes()
        if len(content) > LARGEST_FILE:
            raise ConfigError(f"'{path}' is larger than a pipeline can be ({LARGEST_FILE:,} bytes)")
        return content.decode("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read the pipeline '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"the pipeline '{path}' is not UTF-8 text") from None
