"""Kernels that may begin before those in front of them have ended (`griddepcontrol`): what they wait for."""

from __future__ import annotations

import numpy as np

from .errors import EmulatorError


class Prerequisites:
    """Which lanes of a unit know that the kernels before have ended: all of them, where a kernel has none of
    the instructions, as it then begins behind them."""

    def __init__(self, lanes: int, overlaps: bool) -> None:
        self.over = np.full(lanes, not overlaps)

    def wait(self, mask: np.ndarray) -> None:
        """The lanes of `mask` have waited."""
        self.over |= mask

    def require(self, lanes: np.ndarray | int) -> None:
        """Raises `EmulatorError` for lanes, by number, that may read or overwrite what others still use."""
        if not self.over[lanes].all():
            raise EmulatorError("touches global memory before it has waited for the kernels before this one")
