"""Where the workers of a stream keep their copies of its state."""

from __future__ import annotations

from cepheid.plan.stream_options import Streaming
from cepheid.stream.local_cache import DEFAULT_LIMIT, CachePlace


def cache_place(options: Streaming) -> CachePlace | None:
    """Return the place that a user has chosen; None: there is to be no cache."""
    if not options.cache:
        return None
    return CachePlace(options.cache_folder, options.cache_limit or DEFAULT_LIMIT)
