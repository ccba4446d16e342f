"""How kernels are compiled: every Numba flag and the cache policy in one place.

Kernels are module-level functions, compiled on first call and cached on disk (see cache.py), so
that a new process, a Spark worker included, loads machine code instead of compiling. Every kernel
is called with one set of dtypes, so that it has one entry in the cache. No fastmath: NaN and signed
zero keep their meaning. `error_model="numpy"` avoids a division check per operation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba
from numba.core.dispatcher import Dispatcher

from cepheid.kernels.cache import KernelCache, cache_folder

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def kernel(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function; with NUMBA_DISABLE_JIT=1 it stays plain Python."""
    compiled: Callable[Parameters, Result] = numba.njit(nogil=True, error_model="numpy")(function)
    if isinstance(compiled, Dispatcher) and cache_folder() is not None:
        setattr(compiled, "_cache", KernelCache(function))  # type: ignore[no-untyped-call]  # noqa: B010
    return compiled
