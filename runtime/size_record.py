"""What is known of one binding of the named dims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime._native import SizeEntry
from mlc.runtime.deduplicated_arrays import SharedBytes, address

if TYPE_CHECKING:
    from mlc.runtime.executable import Executable

# More calls than there will be: the entry asks for nothing any more.
_NEVER = -(1 << 62)


class SizeRecord(SizeEntry):
    """Calls with the same sizes, counted by native code, and the program for them alone.

    `state` is "general" (its calls count), "compiling", "own", or "failed", which `failure` explains and
    which stays. A `pinned` record keeps its program.
    """

    def __init__(self, sizes: Sequence[int], clock: int) -> None:
        self.sizes = tuple(sizes)
        self.pinned = False
        self.executable: Executable | None = None
        self.weights: Mapping[str, np.ndarray] = {}
        self.shared = SharedBytes()
        self.made: dict[str, Any] = {}
        self.failure = ""
        self.let_go = 0
        self.wait(clock)

    def wait(self, clock: int) -> None:
        """Counts from now on."""
        self.state = "general"
        self.recent, self.since, self.used = 0, clock, clock

    def rest(self) -> None:
        """Asks for nothing; calls still count."""
        self.recent = _NEVER

    def compiling(self) -> None:
        """Asks no more until it has an answer."""
        self.state, self.recent = "compiling", _NEVER

    def serve(
        self, executable: Executable, weights: Mapping[str, np.ndarray], made: Mapping[str, Any]
    ) -> None:
        """Later calls run this program with these weights; `made` says how it came about."""
        self.state, self.executable, self.made, self.recent = "own", executable, dict(made), _NEVER
        self.weights, self.shared = weights, SharedBytes(weights)
        self.program = executable.native

    def let_program_go(self, clock: int) -> None:
        """Later calls run the general program. One that runs now ends as it began."""
        self.program = self.executable = None
        self.weights, self.shared = {}, SharedBytes()
        self.let_go += 1
        self.wait(clock)

    def fail(self, reason: str) -> None:
        """There will be no program."""
        self.state, self.failure, self.recent = "failed", reason, _NEVER

    @property
    def calls(self) -> int:
        """All of them."""
        return self.general_calls + self.own_calls

    def sizes_of(self, names: Sequence[str]) -> dict[str, int]:
        """The sizes by the names of the dims."""
        return dict(zip(names, self.sizes, strict=True))

    def blocks(self) -> dict[int, int]:
        """Bytes by address of the memory that the program holds: code, weights, arena."""
        if self.executable is None:
            return {}
        own = {address(array): array.nbytes for array in self.weights.values()}
        code = sum(map(len, self.executable.objects))
        return own | {-id(self): self.executable.arena_bytes + code}

    def report(self, names: Sequence[str]) -> dict[str, Any]:
        """JSON data."""
        return {
            "sizes": self.sizes_of(names),
            "calls": self.calls,
            "general_calls": self.general_calls,
            "own_calls": self.own_calls,
            "state": self.state,
            **({"ahead_of_time": True} if self.pinned else {}),
            **({"failure": self.failure} if self.failure else {}),
            **({"let_go": self.let_go} if self.let_go else {}),
            **self.made,
        }
