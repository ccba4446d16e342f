"""What a user may say of a stream; it means nothing on events that have an end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral

from cepheid.errors import ConfigError
from cepheid.plan.run_options import RunOptions, require_flag, require_positive

DEFAULT_BUCKETS = 16


class Late(StrEnum):
    """What becomes of events that come too late; they are counted in any case."""

    DROP = "drop"
    DELIVER = "deliver"


@dataclass(frozen=True, slots=True, kw_only=True)
class Streaming(RunOptions):
    """The options of a run on a streaming DataFrame; see docs/how-to/streaming.md.

    Beside those below: `live_limit`, `max_matches` and `on_expiry`, as in
    docs/reference/options.md.

    Args:
        ordered: events arrive in the order of their order key, so that a match is reported in
            the micro-batch that completes it.
        watermark: how late events may come, for a time column without a watermark of its own:
            "10 minutes", or a whole number in the unit of an integer column.
        late: "drop" counts events that come too late; "deliver" gives a `ResultsWithLate` instead
            of a DataFrame, with `results` and `late`.
        idle: how long a source may be silent before the clock goes on without it, such as
            "1 minute"; needs `watermark`.
        buckets: how many parts the state has, and so how many tasks can work at most.
        state_limit: how many bytes a bucket may keep before the query fails.
        end: an empty folder. A file that is put into it says that no event comes any more: then
            everything is final and is reported.

    >>> Streaming(watermark="10 minutes", buckets=32).buckets
    32
    """

    ordered: bool = False
    watermark: str | int | None = None
    late: str = Late.DROP
    idle: str | None = None
    buckets: int | None = None
    state_limit: int | None = None
    end: str | None = None

    def __post_init__(self) -> None:
        RunOptions.__post_init__(self)
        require_flag("ordered", self.ordered)
        if self.late not in list(Late):
            raise ConfigError(
                f"late='{self.late}' is unknown",
                hint="use late='drop', or late='deliver' for a second DataFrame with late events",
            )
        require_positive("buckets", self.buckets, "leave it out for the default")
        require_positive("state_limit", self.state_limit, "leave it out for the default")
        self._check_texts()
        if self.idle is not None and self.watermark is None:
            raise ConfigError(
                "idle needs watermark=: both together say how far results may lag behind the clock",
                hint="give the delay as watermark='10 minutes' instead of calling withWatermark",
            )

    def _check_texts(self) -> None:
        if not isinstance(self.watermark, str | Integral | None):
            raise ConfigError(
                f"watermark is {self.watermark!r}",
                hint="write '10 minutes', or a whole number in the unit of an integer time column",
            )
        for name, hint in (("idle", "write '1 minute'"), ("end", "give the path of a folder")):
            value = getattr(self, name)
            if not isinstance(value, str | None):
                raise ConfigError(f"{name} is {value!r}", hint=hint)
