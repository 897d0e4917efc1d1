"""Statistics that passes collect while they run, for `--mlir-pass-statistics`."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.threads import ThreadStack


@dataclass
class Statistic:
    """A counter with its name and what it counts."""

    name: str
    help: str = ""
    value: int = 0


# The active collectors, innermost last. Empty, and counting free, unless statistics are requested.
_collectors: ThreadStack[dict[str, Statistic]] = ThreadStack()


def count(name: str, amount: int = 1, help: str = "") -> None:
    """Adds `amount` to the statistic `name` of the running pass; does nothing without a collector."""
    if _collectors.items:
        _collectors.items[-1].setdefault(name, Statistic(name, help)).value += amount


def collecting() -> bool:
    """Whether counting has any effect."""
    return bool(_collectors.items)


def begin_collecting(statistics: dict[str, Statistic]) -> None:
    """Adds what is counted from now on to `statistics`, until `end_collecting`. Calls nest."""
    _collectors.items.append(statistics)


def end_collecting() -> None:
    """Ends the last `begin_collecting`."""
    _collectors.items.pop()
