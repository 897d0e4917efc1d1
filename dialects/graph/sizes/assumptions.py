"""Relations between dynamic sizes that shape functions assume, and that calls are checked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from mlc.dialects.graph.sizes.evaluation import evaluate

from .bounds import always_unequal, at_least
from .size import Size, Undecided

RELATIONS = ("equal", "broadcast", "at_least")


@dataclass(frozen=True)
class Requirement:
    """`left` and `right` are "equal"; or `left` is 1 or `right` ("broadcast"); or `left` is "at_least"
    `right`. `fault` describes what is wrong where that does not hold."""

    left: int | Size
    right: int | Size
    relation: str = "equal"
    fault: str = field(default="", compare=False)

    def holds(self, dims: Mapping[str, int]) -> bool:
        """Whether it holds for these values of named dims. Raises KeyError for one that is missing."""
        left, right = (evaluate(size, dims) for size in (self.left, self.right))
        if self.relation == "at_least":
            return left >= right
        return left == right or (self.relation == "broadcast" and left == 1)


# The relations assumed so far, while a caller collects them.
_assumed: ContextVar[list[Requirement] | None] = ContextVar("assumptions", default=None)


@contextmanager
def assumptions() -> Iterator[list[Requirement]]:
    """Collects what `differ` and `falls_below` assume inside the `with` block because bounds do not decide
    it."""
    found: list[Requirement] = []
    token = _assumed.set(found)
    try:
        yield found
    finally:
        _assumed.reset(token)


def assume(left: int | Size, right: int | Size, relation: str = "equal", fault: str = "") -> None:
    """Assumes a relation; between integers it must hold. `fault` as in `Requirement`."""
    found = _assumed.get()
    if found is not None and left != right and (isinstance(left, Size) or isinstance(right, Size)):
        found.append(Requirement(left, right, relation, fault))


def differ(left: int | Size, right: int | Size, fault: str = "") -> bool:
    """Whether bounds prove that the two are unequal for all values of named dims. Where they leave it open
    the two are assumed to be equal. `fault` as in `Requirement`."""
    if always_unequal(left, right):
        return True
    assume(left, right, fault=fault)
    return False


def falls_below(size: int | Size, least: int | Size, fault: str = "") -> bool:
    """Whether bounds prove `size < least` for all values of named dims. Where they leave it open
    `size >= least` is assumed. `fault` as in `Requirement`."""
    try:
        return not at_least(size, least)
    except Undecided:
        assume(size, least, "at_least", fault)
        return False
