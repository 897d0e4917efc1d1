"""Words of loop nests that mean something only in the source of a kernel."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from mlc.kernels.errors import KernelError, caller_place


def block(name: str) -> AbstractContextManager[None]:
    """`with block("update"):` names the computations inside for schedules."""
    raise KernelError(f'block("{name}") belongs into the source of a kernel with loops', caller_place())


def buffer(element: Any, *shape: Any) -> Any:
    """`part = buffer(f32, 16, 16)`: memory of the kernel's own, at first with anything in it."""
    raise KernelError(
        f"buffer({element}, ...) belongs into the source of a kernel with loops", caller_place()
    )
