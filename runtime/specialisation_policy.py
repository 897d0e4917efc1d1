"""The policy for specialised programs of a program with named dims, and the interface of their maker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from mlc.runtime.container import Buffer


@dataclass(frozen=True)
class Specialise:
    """The policy of a program whose callers choose sizes.

    `sizes`: bindings of all named dims for which specialised programs are compiled with the model. With
    `automatic`, sizes get one too after `after` calls: it is compiled in another process while the general
    program serves, unless `background` is False: then the call that makes them hot waits. At most `most` such
    programs are kept, and `most_bytes` of memory for their code, arenas and the weights that they do not
    share; the least recently used one is evicted first.
    """

    sizes: Sequence[Mapping[str, int]] = ()
    automatic: bool = True
    after: int = 8
    most: int = 4
    most_bytes: int = 1 << 30
    background: bool = True

    def __post_init__(self) -> None:
        for name in ("after", "most", "most_bytes"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"Specialise: {name} is {value!r}, expected 1 or more")
        _check_sizes(self.sizes)


class Parts(NamedTuple):
    """The arguments of an Executable, and whether its code came from the cache."""

    manifest: Mapping[str, Any]
    objects: Sequence[Buffer]
    weights: Mapping[str, Any]
    from_cache: bool = False


class Cancelled(Exception):
    """A compilation was cancelled."""


class Maker(Protocol):
    """Makes specialised programs of a model."""

    def __call__(self, sizes: Sequence[int]) -> Parts:
        """Makes the program for these sizes of the named dims, in their order. Raises Cancelled after
        `cancel`, and any other Exception."""

    def cancel(self) -> None:
        """Cancels pending and later calls, which raise Cancelled. Any thread may call this."""


def policy_of(given: str | Sequence[Mapping[str, int]] | Specialise) -> Specialise | None:
    """Returns the policy for "auto", "off", bindings of the named dims, or a policy itself. Raises
    ValueError."""
    if isinstance(given, Specialise):
        return given
    if isinstance(given, str):
        if given not in ("auto", "off"):
            raise ValueError(f"specialise is {given!r}, expected 'auto', 'off', sizes or a Specialise")
        return Specialise() if given == "auto" else None
    _check_sizes(given)
    return Specialise(sizes=tuple(given), automatic=False)


def _check_sizes(given: Any) -> None:
    """Raises ValueError unless `given` is a sequence of sizes by named dim."""
    listed = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if not listed or not all(isinstance(sizes, Mapping) for sizes in given):
        raise ValueError(
            f"specialise is {given!r}, expected 'auto', 'off', a list of dicts of sizes by dims,"
            " or a Specialise"
        )
