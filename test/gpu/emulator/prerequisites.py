"""Kernels that may begin before those in front of them have ended (`griddepcontrol`): what they wait for."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from .errors import EmulatorError


class Prerequisites:
    """Which lanes of a unit know that the kernels before have ended: all of them, where a kernel has none of
    the instructions, as it then begins behind them. Arrays that begin at the addresses `constant` are written
    by no kernel."""

    def __init__(self, lanes: int, overlaps: bool, constant: Collection[int]) -> None:
        self.over = np.full(lanes, not overlaps)
        self.constant = frozenset(constant)

    def wait(self, mask: np.ndarray) -> None:
        """The lanes of `mask` have waited."""
        self.over |= mask

    def require(self, lanes: np.ndarray | int, read_at: int = 0) -> None:
        """Raises `EmulatorError` for lanes, by number, that may overwrite what others still use, or read what
        they still write; `read_at` is where the array begins that they only read."""
        if not self.over[lanes].all() and read_at not in self.constant:
            raise EmulatorError("touches global memory before it has waited for the kernels before this one")
