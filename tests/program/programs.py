"""Programs of query texts."""

from cepheid.analysis.analyze import analyze
from cepheid.analysis.attribute_types import AttributeType
from cepheid.analysis.schema import EventSchema
from cepheid.language.parser import parse
from cepheid.language.source import Source
from cepheid.plan.planner import make_plan
from cepheid.program.lower import lower
from cepheid.program.program import Program

SCHEMA = EventSchema(
    attributes={
        "ts": AttributeType.INTEGER,
        "kind": AttributeType.STRING,
        "k": AttributeType.STRING,
        "x": AttributeType.INTEGER,
        "y": AttributeType.FLOAT,
        "seq": AttributeType.INTEGER,
    },
    time="ts",
    type_column="kind",
    order=("seq",),
)


def program_of(text: str, schema: EventSchema = SCHEMA) -> Program:
    query = f"PATTERN {text}"
    return lower(make_plan(analyze(parse(query), Source(query), schema=schema)))
