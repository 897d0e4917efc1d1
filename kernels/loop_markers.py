"""Markers of loop nests, which have a meaning only in the source of a kernel."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from mlc.kernels.errors import KernelError, caller_location


def block(name: str) -> AbstractContextManager[None]:
    """Names the computations of a `with` statement for schedules: `with block("update"):`."""
    raise KernelError(f'block("{name}") belongs into the source of a kernel with loops', caller_location())


def buffer(element: Any, *shape: Any) -> Any:
    """Allocates uninitialised memory private to the kernel: `part = buffer(f32, 16, 16)`."""
    raise KernelError(
        f"buffer({element}, ...) belongs into the source of a kernel with loops", caller_location()
    )
