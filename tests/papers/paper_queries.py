"""The entries of queries.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from cepheid.analysis.analyze import analyze
from cepheid.analysis.attribute_types import AttributeType, attribute_type
from cepheid.analysis.bound import BoundQuery
from cepheid.analysis.fill_parameters import ParameterValue
from cepheid.analysis.schema import EventSchema
from cepheid.language.parser import parse
from cepheid.language.source import Source

TIME = "ts"
TYPE = "event_type"  # not `type`: an Alert of SASE+ has an attribute of that name


@dataclass(frozen=True)
class PaperQuery:
    """One entry of queries.yaml."""

    paper: str
    id: str
    kind: str
    text: str
    schema: dict[str, dict[str, str]]
    parameters: dict[str, ParameterValue] = field(default_factory=dict)
    time: str = "timestamp"

    @property
    def attributes(self) -> dict[str, AttributeType]:
        """The columns of its events but for time and type."""
        return {
            name: attribute_type(kind)
            for attributes in self.schema.values()
            for name, kind in attributes.items()
        }

    @property
    def event_schema(self) -> EventSchema:
        """The schema that analysis sees."""
        time_type = attribute_type(self.time)
        return EventSchema(
            attributes={**self.attributes, TIME: time_type, TYPE: AttributeType.STRING},
            time=TIME,
            type_column=TYPE,
            ticks_per_second=1 if time_type is AttributeType.INTEGER else 1_000_000,
            attributes_by_type={name: frozenset(each) for name, each in self.schema.items()},
        )

    def bind(
        self, text: str | None = None, parameters: Mapping[str, ParameterValue] | None = None
    ) -> BoundQuery:
        """Resolve the names of the query, or of a variant of it with other parameters."""
        return analyze(
            parse(text or self.text),
            Source(text or self.text),
            schema=self.event_schema,
            parameters=self.parameters if parameters is None else parameters,
        )


QUERIES = [
    PaperQuery(**entry)
    for entry in yaml.safe_load(Path(__file__).with_name("queries.yaml").read_text("utf-8"))
]
