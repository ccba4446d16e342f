"""What a user may say of a stream; it means nothing on events that have an end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral

from cepheid.errors import ConfigError
from cepheid.plan.read_duration import milliseconds
from cepheid.plan.run_options import RunOptions, require_flag, require_positive

DEFAULT_BUCKETS = 16


class Late(StrEnum):
    """What becomes of events that come too late; they are counted in any case."""

    DROP = "drop"
    DELIVER = "deliver"


class Bad(StrEnum):
    """What becomes of events that have no place in time, such as those without one."""

    ERROR = "error"
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
        ahead: how far ahead of the clock an event may be, such as "1 day". One that is further
            ahead is set aside like a late one, and does not move the watermark; needs `watermark`
            or `ordered`.
        bad: what becomes of events with NULL as time or order key, or with a time that no window
            can have: "error" stops the stream, "drop" counts them, "deliver" adds them to the late
            events; needs late="deliver".
        idle: how long a source may be silent before the clock goes on without it, such as
            "1 minute"; needs `watermark`.
        buckets: how many parts the state has, and so how many tasks can work at most.
        state_limit: how many bytes a bucket may keep before the query fails.
        cache: keep copies of the state, and where the events of a key are in it, on the local disk
            of workers; what is lost there is read again.
        cache_folder: where on the workers; that of Spark's own temporary files if it is left out.
        cache_limit: how many bytes such a folder may have; what was not used for longest goes.
        end: an empty folder. A file that is put into it says that no event comes any more: then
            everything is final and is reported.

    >>> Streaming(watermark="10 minutes", buckets=32).buckets
    32
    """

    ordered: bool = False
    watermark: str | int | None = None
    late: str = Late.DROP
    ahead: str | None = None
    bad: str = Bad.ERROR
    idle: str | None = None
    buckets: int | None = None
    state_limit: int | None = None
    cache: bool = True
    cache_folder: str | None = None
    cache_limit: int | None = None
    end: str | None = None

    def __post_init__(self) -> None:
        RunOptions.__post_init__(self)
        require_flag("ordered", self.ordered)
        if self.late not in list(Late):
            raise ConfigError(
                f"late='{self.late}' is unknown",
                hint="use late='drop', or late='deliver' for a second DataFrame with late events",
            )
        self._check_bad()
        self._check_ahead()
        require_positive("buckets", self.buckets, "leave it out for the default")
        require_positive("state_limit", self.state_limit, "leave it out for the default")
        require_flag("cache", self.cache)
        require_positive("cache_limit", self.cache_limit, "use cache=False to have none")
        self._check_texts()
        if self.idle is not None and self.watermark is None:
            raise ConfigError(
                "idle needs watermark=: both together say how far results may lag behind the clock",
                hint="give the delay as watermark='10 minutes' instead of calling withWatermark",
            )

    @property
    def gives_reasons(self) -> bool:
        """Whether late events come with others that were set aside, and so with reasons."""
        return self.late == Late.DELIVER and (self.ahead is not None or self.bad == Bad.DELIVER)

    @property
    def ahead_ms(self) -> int | None:
        """How many milliseconds ahead of the clock an event may be."""
        return None if self.ahead is None else milliseconds(self.ahead)

    def _check_ahead(self) -> None:
        if self.ahead is None:
            return
        try:
            length = milliseconds(self.ahead)
        except (TypeError, ValueError, ArithmeticError):
            raise ConfigError(f"ahead is {self.ahead!r}", hint="write '1 day'") from None
        if not length:
            raise ConfigError("ahead is 0: every event would be set aside", hint="write '1 day'")

    def _check_bad(self) -> None:
        if self.bad not in list(Bad):
            raise ConfigError(
                f"bad='{self.bad}' is unknown", hint="use bad='error', 'drop' or 'deliver'"
            )
        if self.bad == Bad.DELIVER and self.late != Late.DELIVER:
            raise ConfigError(
                "bad='deliver' adds bad events to the late ones, which are not delivered",
                hint="write late='deliver', too",
            )

    def _check_texts(self) -> None:
        if not isinstance(self.watermark, str | Integral | None):
            raise ConfigError(
                f"watermark is {self.watermark!r}",
                hint="write '10 minutes', or a whole number in the unit of an integer time column",
            )
        folder = "give the path of a folder"
        texts = (("idle", "write '1 minute'"), ("end", folder), ("cache_folder", folder))
        for name, hint in texts:
            value = getattr(self, name)
            if not isinstance(value, str | None):
                raise ConfigError(f"{name} is {value!r}", hint=hint)
