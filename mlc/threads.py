"""What threads share: values made once, and stacks of which each thread has its own.

A leaf that imports nothing, so that every layer may import it.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_missing = object()


def once(make: Callable[[], T]) -> Callable[[], T]:
    """Decorates a function so that it runs once in a process; later calls return its first result.

    Unlike `functools.cache`, it runs once also if several threads call it at the same time: the others wait.
    A call that raises counts as none. Use it for functions that register something.
    """
    lock, result = ForkedLock(), [_missing]

    @functools.wraps(make)
    def run_once() -> Any:
        if result[0] is _missing:
            with lock:
                if result[0] is _missing:
                    result[0] = make()
        return result[0]

    return run_once


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


class ThreadStack(threading.local, Generic[T]):
    """A stack of what is active, the innermost last: each thread has its own."""

    def __init__(self) -> None:
        self.items: list[T] = []


# Held by imports of packages whose `__init__` imports their modules. Where one thread imports such a package
# and another one of its modules, Python raises an error of a deadlock.
importing = ForkedLock()
