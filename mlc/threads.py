"""Values made once for all threads, and stacks that each thread has for itself.

A leaf that imports nothing, so that every layer may import it.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class ForkedLock:
    """A reentrant lock that is free in a child process, whatever a thread of its parent held."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        os.register_at_fork(after_in_child=self._renew)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _renew(self) -> None:
        if self._lock.acquire(blocking=False):  # free, or held by the thread that forked
            self._lock.release()
        else:
            self._lock = threading.RLock()


class once(Generic[T]):
    """Decorates a function so that it runs once in a process; later calls return its first result.

    Unlike `functools.cache`, it runs once also if several threads call it at the same time: the others wait.
    A call that raises counts as none. Use it for functions that register something.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        functools.update_wrapper(self, make)
        self._make, self._lock = make, ForkedLock()
        self._results: list[T] = []

    def __call__(self) -> T:
        if not self._results:
            with self._lock:
                if not self._results:
                    self._results.append(self._make())
        return self._results[0]

    def cache_clear(self) -> None:
        """Has the next call run the function again."""
        self._results.clear()


class ThreadStack(threading.local, Generic[T]):
    """A stack of what is active, the innermost last: each thread has its own."""

    def __init__(self) -> None:
        self.items: list[T] = []


# Held by imports of packages whose `__init__` imports their modules. Where one thread imports such a package
# and another one of its modules, Python raises an error of a deadlock.
importing = ForkedLock()
