"""The error that authors of kernels see."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from types import FrameType
from typing import ParamSpec, TypeVar

from mlc.errors import Error

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class SourceLocation:
    """A location in a user's source; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class KernelError(Error):
    """A kernel in Python that cannot be built or called; `location` is that in its source, if known."""

    def __init__(self, message: str, location: SourceLocation | None = None) -> None:
        super().__init__(f"{location}: error: {message}" if location else message)
        self.message = message
        self.location = location


def caller_frame() -> FrameType:
    """Returns the innermost frame outside this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("mlc.kernels"):
        frame = frame.f_back
    assert frame is not None, "the package does not call itself"
    return frame


def caller_location() -> SourceLocation:
    """Returns the source location of the innermost frame outside this package."""
    frame = caller_frame()
    positions = list(frame.f_code.co_positions())
    line, _, column, _ = positions[frame.f_lasti // 2]
    return SourceLocation(frame.f_code.co_filename, line or frame.f_lineno, (column or 0) + 1)


@contextmanager
def at_location(location: SourceLocation) -> Iterator[None]:
    """Builds ops at `location`, which also a KernelError without a location gets."""
    from mlc.bindings import ir

    try:
        with ir.Location.file(location.file, location.line, location.column):
            yield
    except KernelError as error:
        raise error if error.location else KernelError(error.message, location) from None


def surface(function: Callable[P, R]) -> Callable[P, R]:
    """Marks an entry point for users: errors leave it without the internal frames."""

    @wraps(function)
    def call_without_frames(*given: P.args, **named: P.kwargs) -> R:
        try:
            return function(*given, **named)
        except KernelError as error:
            failure = error.with_traceback(None)
        raise failure

    return call_without_frames
