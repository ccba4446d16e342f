"""What a user may say of a stream; it means nothing on events that have an end."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

from cepheid.errors import ConfigError

DEFAULT_BUCKETS = 16


class Late(StrEnum):
    """What becomes of events that come too late; they are counted in any case."""

    DROP = "drop"
    DELIVER = "deliver"


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """See `Query.run`."""

    ordered: bool = False
    watermark: str | int | None = None
    late: str = Late.DROP
    idle: str | None = None
    buckets: int | None = None
    state_limit: int | None = None
    end: str | None = None

    def check(self) -> None:
        """Raise a ConfigError if an option has a value that it cannot have."""
        if self.late not in list(Late):
            raise ConfigError(
                f"late='{self.late}' is unknown",
                hint="use late='drop', or late='deliver' for a second DataFrame with late events",
            )
        for name in ("buckets", "state_limit"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(
                    f"{name} is {value}, but must be at least 1",
                    hint="leave it out for the default",
                )
        if self.idle is not None and self.watermark is None:
            raise ConfigError(
                "idle needs watermark=: both together say how far results may lag behind the clock",
                hint="give the delay as watermark='10 minutes' instead of calling withWatermark",
            )

    def refuse(self, kind: str) -> None:
        """Raise a ConfigError if an option is given; the events are of a kind that has an end."""
        plain = StreamOptions()
        for each in fields(self):
            if getattr(self, each.name) != getattr(plain, each.name):
                raise ConfigError(
                    f"{each.name} is for streams, but the events are a {kind}",
                    hint=f"leave {each.name} out, or read the events with spark.readStream",
                )
