"""How kernels are compiled: every Numba flag and the cache policy in one place.

Kernels are module-level functions, compiled on first call and cached on disk (see cache.py), so
that a new process, a Spark worker included, loads machine code instead of compiling. Every kernel
is called with one set of dtypes, so that it has one entry in the cache for every type of values
that it takes (see `by_type`). No fastmath: NaN and signed zero keep their meaning.
`error_model="numpy"` avoids a division check per operation.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar, get_type_hints

import numba
from numba.core.dispatcher import Dispatcher
from numba.extending import overload

from cepheid.kernels.cache import KernelCache, cache_folder
from cepheid.kernels.compiling import log_compilations

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
FLAGS = {"nogil": True, "error_model": "numpy"}
# Entry points that unpack tuples of arrays are most of the work of compiling a small function.
WITHOUT_ENTRY_POINTS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
WITHOUT_REFERENCE_COUNTS = {"_nrt": False}
INLINED = {"forceinline": True}

log_compilations()


def kernel(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function; with NUMBA_DISABLE_JIT=1 it stays plain Python."""
    return _compiled(function, FLAGS)


def kernel_in_place(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function that makes no arrays: it need not count references to any.

    A fold that hands tuples of arrays to small functions is three times as fast that way.
    """
    return _compiled(function, FLAGS | WITHOUT_REFERENCE_COUNTS)


def inner(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function that only kernels call."""
    return _compiled(function, FLAGS | WITHOUT_ENTRY_POINTS)


def inner_in_place(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function that only kernels call and that makes no arrays."""
    return _compiled(function, FLAGS | WITHOUT_ENTRY_POINTS | WITHOUT_REFERENCE_COUNTS)


def inlined(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile such a function into the code of every kernel that calls it.

    A call passes every field of every array, which can take longer than what is called.
    """
    flags = FLAGS | WITHOUT_ENTRY_POINTS | WITHOUT_REFERENCE_COUNTS | INLINED
    return _compiled(function, flags)


def in_place(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Make a function a part of the kernel that calls it, before anything is compiled.

    Every function is optimized again in each one that calls it, and those that call that; a large
    kernel of small functions, each called from one place, is compiled several times as fast so.
    """
    compiled: Callable[Parameters, Result] = numba.njit(**FLAGS, inline="always")(function)  # type: ignore[call-overload]
    return compiled


def by_type(*functions: Callable[..., Result]) -> Callable[..., Result]:
    """Return one function for several with the same parameters; the first one's type tells which.

    A kernel that calls it is compiled for every type of values that it is called with.
    """
    plain = [getattr(each, "py_func", each) for each in functions]
    first = next(iter(inspect.signature(plain[0]).parameters))
    by_class = {get_type_hints(each)[first]: each for each in plain}

    @functools.wraps(plain[0])
    def chosen(*arguments: object) -> Result:  # where nothing is compiled
        return by_class[type(arguments[0])](*arguments)

    for function, compiled in zip(by_class.items(), functions, strict=True):
        if isinstance(compiled, Dispatcher):
            _offer(chosen, *function, compiled.targetoptions)
    return chosen


def is_kept(function: Callable[..., object]) -> bool:
    """Whether machine code of a kernel is here or on disk, so that it need not be compiled."""
    if not isinstance(function, Dispatcher) or len(function.overloads):
        return True
    cache = getattr(function, "_cache", None)
    return isinstance(cache, KernelCache) and cache.has_code()


def _offer(
    chosen: Callable[..., Result],
    of_class: type,
    function: Callable[..., Result],
    flags: dict[str, object],
) -> None:
    """Let kernels take a function where the first argument is of a class."""

    def implementation(*arguments: object) -> Callable[..., Result] | None:
        is_it = getattr(arguments[0], "instance_class", None) is of_class
        return function if is_it else None

    setattr(implementation, "__signature__", inspect.signature(function))  # noqa: B010
    overload(chosen, jit_options=flags, strict=False)(implementation)  # type: ignore[arg-type]


def _compiled(
    function: Callable[Parameters, Result], flags: dict[str, object]
) -> Callable[Parameters, Result]:
    compiled: Callable[Parameters, Result] = numba.njit(**flags)(function)  # type: ignore[call-overload]
    if isinstance(compiled, Dispatcher) and cache_folder() is not None:
        cache = KernelCache(function)
        setattr(compiled, "_cache", cache)  # noqa: B010
        setattr(compiled, "compile", cache.ending_turns(compiled.compile))  # noqa: B010
    return compiled
