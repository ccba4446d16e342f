"""Secrets come from the environment and are never shown.

A pipeline holds `${NAME}` and not the value; `fill` puts the values in when Spark is given its
options, and `Secrets.hide` takes them out of whatever comes back. `$${` stands for `${`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cepheid.connectors.secret_names import WORDS

REFERENCE = re.compile(r"(?P<escape>\$)?\$\{(?P<name>[^}]*)\}")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A line of YAML whose key names a secret, or an address with a password in it.
PLAIN_SECRET = re.compile(
    rf"(?P<key>[\w.\"'-]*(?:(?:{WORDS})[\w.\"'-]*|\.key[\"']?)\s*[:=]\s*)"
    r"(?P<value>[\"']?\$\{\w+\}[\"']?(?=\s*[,}]|\s*$)|[^\s,}&].*)",
    re.IGNORECASE,
)
# user:password@ after ://, and parameters such as ?password=…; sig= is a signature of Azure.
SECRET_IN_ADDRESS = re.compile(
    r"(?<=://)(?P<user>[^/?#@\s:]*):(?P<password>[^/?#\s]+)(?=@)"
    rf"|(?<=[?&;])(?P<name>[^=?&;\s]*(?:{WORDS})[^=?&;\s]*|sig)=(?P<value>[^&;\s]+)",
    re.IGNORECASE,
)
HIDDEN = "********"
SHORTEST = 3  # a shorter value is no secret, and would be found in every other word


@dataclass(frozen=True, slots=True)
class Secrets:
    """The values of the variables that a pipeline names."""

    values: Mapping[str, str] = field(repr=False)

    def fill(self, text: str) -> str:
        """Return a text with its variables replaced by their values.

        >>> Secrets({"TOKEN": "x1"}).fill("key-${TOKEN} costs $${5}")
        'key-x1 costs ${5}'
        """
        return REFERENCE.sub(
            lambda found: found[0][1:] if found["escape"] else self.values[found["name"]], text
        )

    def hide(self, text: str) -> str:
        """Return a text in which the values have become their variables again.

        >>> Secrets({"TOKEN": "x1y"}).hide("cannot log in with x1y")
        'cannot log in with ${TOKEN}'
        """
        by_length = sorted(self.values.items(), key=lambda each: -len(each[1]))
        for name, value in by_length:
            if len(value) >= SHORTEST:
                text = text.replace(value, f"${{{name}}}")
        return hide_in_addresses(text)


def variables_in(text: str) -> Iterator[str]:
    """Yield the names of the variables of a text.

    >>> list(variables_in("${A}-$${B}-${C}"))
    ['A', 'C']
    """
    for found in REFERENCE.finditer(text):
        if not found["escape"]:
            yield found["name"]


def is_only_a_variable(text: str) -> bool:
    """Whether a text is one variable and nothing else.

    >>> [is_only_a_variable(each) for each in ("${A}", "x${A}", "plain")]
    [True, False, False]
    """
    found = REFERENCE.fullmatch(text)
    return found is not None and not found["escape"]


def hide_plain_secrets(line: str) -> str:
    """Return a line of a file without the values of its secrets, for messages.

    >>> hide_plain_secrets("  password: hunter2")
    '  password: ********'
    >>> hide_plain_secrets("  password: ${PGPASSWORD}")
    '  password: ${PGPASSWORD}'
    """
    return hide_in_addresses(PLAIN_SECRET.sub(_hide_value, line))


def hide_in_addresses(text: str) -> str:
    """Return a text without the passwords in its addresses.

    >>> hide_in_addresses("jdbc:postgresql://ann:pw@db/x?user=ann&sslpassword=pw")
    'jdbc:postgresql://********@db/x?user=ann&sslpassword=********'
    """
    return SECRET_IN_ADDRESS.sub(
        lambda found: HIDDEN if found["name"] is None else f"{found['name']}={HIDDEN}", text
    )


def has_password(address: str) -> bool:
    """Whether an address carries a password that is not a variable.

    >>> [has_password(f"postgresql://{each}@db") for each in ("ann", ":pw", "ann:${PW}")]
    [False, True, False]
    """
    found = SECRET_IN_ADDRESS.finditer(address)
    return not all(is_only_a_variable(each["password"] or each["value"]) for each in found)


def _hide_value(found: re.Match[str]) -> str:
    value = found["value"].strip("\"' ")
    return found["key"] + (found["value"] if is_only_a_variable(value) else HIDDEN)
