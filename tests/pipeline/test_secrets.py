"""The values of secrets reach Spark's options and nothing that people read."""

import pytest

from cepheid.pipeline.describe_pipeline import describe
from cepheid.pipeline.run_pipeline import session_settings
from cepheid.pipeline.secrets import Secrets, hide_plain_secrets
from tests.cli.command import cepheid
from tests.pipeline.files import load, pipeline_text, write_pipeline

SECRET = "hunter2"
KEYS = {
    "source": """
  kafka:
    servers: ${SERVERS}
    topics: readings
    schema: ts INT, kind STRING, v DOUBLE
    options: {kafka.sasl.jaas.config: 'password="${TOKEN}"'}""",
    "sinks": """
  q:
    postgresql: {url: postgresql://db/x, table: t, user: ann, password: "${TOKEN}"}""",
    "spark": "{spark.hadoop.fs.s3a.secret.key: '${TOKEN}', spark.ui.enabled: false}",
    "late": "{kafka: {servers: h, topic: late, options: {kafka.ssl.key.password: '${TOKEN}'}}}",
}


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.setenv("TOKEN", SECRET)
    monkeypatch.setenv("SERVERS", "broker:9092")


def test_spark_gets_the_values(tmp_path):
    pipeline = load(tmp_path, **KEYS)
    filled = pipeline.filled
    assert filled.source.chosen.options == {"kafka.sasl.jaas.config": f'password="{SECRET}"'}
    assert filled.source.chosen.servers == "broker:9092"
    assert filled.sinks["q"].chosen.password == SECRET
    assert filled.late.chosen.options == {"kafka.ssl.key.password": SECRET}
    settings = session_settings(pipeline)
    assert settings["spark.hadoop.fs.s3a.secret.key"] == SECRET
    assert settings["spark.ui.enabled"] == "false"


def test_the_settings_that_are_shown_have_none(tmp_path):
    pipeline = load(tmp_path, **KEYS)
    assert SECRET not in repr(pipeline)
    assert SECRET not in repr(describe(pipeline))


def test_dry_run_shows_the_variables(tmp_path):
    outcome = cepheid("pipeline", write_pipeline(tmp_path, pipeline_text(**KEYS)), "--dry-run")
    assert outcome.code == 0, outcome.stderr
    assert SECRET not in outcome.stdout + outcome.stderr
    assert "${SERVERS}" in outcome.stdout
    assert "${TOKEN}" in outcome.stdout


def test_dry_run_shows_no_password_among_options_of_java(tmp_path):
    keys = {
        "spark": f"{{spark.driver.extraJavaOptions: -Da=b -Dx.trustStorePassword={SECRET}}}",
        "checkpoint": f"s3a://key:{SECRET}@bucket/state",
        "sinks": "{q: {files: {format: json, path: out}}}",
    }
    outcome = cepheid("pipeline", write_pipeline(tmp_path, pipeline_text(**keys)), "--dry-run")
    assert outcome.code == 0, outcome.stderr
    assert SECRET not in outcome.stdout


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("password: hunter2", "password: ********"),
        ('{user: a, password: "hunter2", b: c}', "{user: a, password: ********"),
        ("password: ${PGPASSWORD} # from the vault", "password: ********"),
        ("{password: '${A}', table: t}", "{password: '${A}', table: t}"),
        ("spark.x.access.key: AKIA", "spark.x.access.key: ********"),
        ("url: postgresql://ann:hunter2@db/x", "url: postgresql://********@db/x"),
        ("url: postgresql://:hunter2@db/x", "url: postgresql://********@db/x"),
        ("url: postgresql://ann:hun@ter2@db/x", "url: postgresql://********@db/x"),
        ("path: wasbs://c/x?sv=1&sig=hunter2&e=2", "path: wasbs://c/x?sv=1&sig=********&e=2"),
        ("kafka.ssl.keystore.key: hunter2", "kafka.ssl.keystore.key: ********"),
        ("kafka.sasl.mechanism: PLAIN", "kafka.sasl.mechanism: PLAIN"),
        ("path: data/passwords", "path: data/passwords"),
        ("key: value", "key: value"),
    ],
)
def test_lines_of_the_file_are_shown_without_secrets(line, shown):
    assert hide_plain_secrets(line) == shown


def test_errors_of_others_are_hidden_too():
    secrets = Secrets({"A": "abc", "LONG": "abcdef", "EMPTY": ""})
    assert secrets.hide("no abcdef or abc for you") == "no ${LONG} or ${A} for you"
