"""Kernels that may begin before the preceding ones have ended (`griddepcontrol`): what they wait for."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from .errors import EmulatorError


class Prerequisites:
    """The lanes of a unit that know that the kernels before have ended: all of them, if a kernel has none of
    the instructions, as it then begins after them. Arrays that begin at the addresses `constant` are written
    by no kernel."""

    def __init__(self, lanes: int, overlaps: bool, constant: Collection[int]) -> None:
        self.over = np.full(lanes, not overlaps)
        self.constant = frozenset(constant)

    def wait(self, mask: np.ndarray) -> None:
        """The lanes of `mask` have waited."""
        self.over |= mask

    def require(self, lanes: np.ndarray | int, read_at: int = 0) -> None:
        """Raises `EmulatorError` for lanes, by index, that may overwrite what others still use, or read what
        they still write; `read_at` is where the array begins that they only read."""
        if not self.over[lanes].all() and read_at not in self.constant:
            raise EmulatorError("touches global memory before it has waited for the kernels before this one")
