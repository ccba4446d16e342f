"""What the names of settings look like whose values nobody should read."""

from __future__ import annotations

import re

# Both for Python and for Java, whose Spark takes secrets out of its plans by a pattern.
WORDS = (
    r"passw|passphrase|secret|token|credential|jaas|private|access.?key|api.?key|account.?key"
    r"|scram_\w+_key|(?<![A-Za-z])sas(?![A-Za-z])"
)
SECRET_NAME = re.compile(rf"{WORDS}|\.key$", re.IGNORECASE)


def names_a_secret(name: str) -> bool:
    """Whether the value of a setting is one that nobody should read.

    >>> [names_a_secret(each) for each in ("password", "spark.hadoop.fs.s3a.secret.key", "url")]
    [True, True, False]
    >>> [names_a_secret(f"kafka.{each}") for each in ("ssl.keystore.key", "sasl.mechanism")]
    [True, False]
    """
    return SECRET_NAME.search(name) is not None
