"""Short ways to write events and expectations in tests.

Takes: events as short strings.
Gives: lists of plain dicts, as every runner accepts them.
May import: everything but web and cli.
"""

from cepheid.testing.event_script import events

__all__ = ["events"]
