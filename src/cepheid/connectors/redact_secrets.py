"""Messages and plans without the passwords of the options that they are about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from pyspark.sql import SparkSession

from cepheid.connectors.secret_names import WORDS, names_a_secret

REPLACEMENT = "***"
# EXPLAIN of Spark shows the options of a stream as Map(name -> value, name -> value),None) and as
# [name=value, name=value], [columns]. This is for Java. Where the end of a value is not found, the
# rest of the plan goes.
PLAN_REDACTION = "spark.sql.redaction.string.regex"
SECRET_IN_PLAN = (
    rf"(?is)[\w.]*(?:{WORDS}|\.key(?= ->|=))[\w.]*(?: -> |=)"
    r".*?(?=, [\w.]+(?: -> |=)|\),None\)|\], \[|\z)"
)
# A login module is configured by one text, of which messages may quote any part.
QUOTED_IN_JAAS = re.compile(r"""\w*(?:passw|secret|token)\w*\s*=\s*(["'])(.+?)\1""", re.IGNORECASE)


def redact(text: str, options: Mapping[str, str]) -> str:
    """Return a text in which the values of secret options are replaced.

    >>> redact("no login for ann with s3cret", {"user": "ann", "password": "s3cret"})
    'no login for ann with ***'
    >>> jaas = 'PlainLoginModule required username="ann" password="s3cret";'
    >>> redact("is s3cret right?", {"kafka.sasl.jaas.config": jaas})
    'is *** right?'
    """
    # The longest first: one secret may be a part of another.
    for secret in sorted(_secrets(options), key=lambda each: (-len(each), each)):
        text = text.replace(secret, REPLACEMENT)
    return text


def hide_in_plans(session: SparkSession, options: Mapping[str, str]) -> None:
    """Have a session leave secret options out of its plans, if there are any.

    What the session leaves out already stays out.
    """
    if not _secrets(options):
        return
    before = session.conf.get(PLAN_REDACTION, None)
    if not before:
        session.conf.set(PLAN_REDACTION, SECRET_IN_PLAN)
    elif SECRET_IN_PLAN not in before:
        session.conf.set(PLAN_REDACTION, f"(?:{before})|(?:{SECRET_IN_PLAN})")


def _secrets(options: Mapping[str, str]) -> set[str]:
    values = [str(value) for name, value in options.items() if names_a_secret(name)]
    values += [found[2] for value in values for found in QUOTED_IN_JAAS.finditer(value)]
    return {form for value in values if value for form in (value, quote(value, safe=""))}
