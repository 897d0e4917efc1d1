"""What definitions take for true of sizes, and only a call tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from mlc.dialects.graph.sizes.evaluation import evaluate

from .bounds import at_least, surely_unequal
from .size import Size, Undecided

RELATIONS = ("equal", "broadcast", "at_least")


@dataclass(frozen=True)
class Requirement:
    """`left` and `right` are "equal"; or `left` is 1 or `right` ("broadcast"); or `left` is "at_least"
    `right`. `fault` says in words what is wrong where that does not hold."""

    left: int | Size
    right: int | Size
    relation: str = "equal"
    fault: str = field(default="", compare=False)

    def holds(self, dims: Mapping[str, int]) -> bool:
        """Whether it does for these values of named dims. Raises KeyError for one that is missing."""
        left, right = (evaluate(each, dims) for each in (self.left, self.right))
        if self.relation == "at_least":
            return left >= right
        return left == right or (self.relation == "broadcast" and left == 1)


# What has been taken for true, where somebody collects it.
_taken: ContextVar[list[Requirement] | None] = ContextVar("assumptions", default=None)


@contextmanager
def assumptions() -> Iterator[list[Requirement]]:
    """What `differ` and `falls_below` take for true inside the `with` block because they do not know it."""
    found: list[Requirement] = []
    token = _taken.set(found)
    try:
        yield found
    finally:
        _taken.reset(token)


def assume(left: int | Size, right: int | Size, relation: str = "equal", fault: str = "") -> None:
    """Takes a relation for true; of numbers it must be. `fault` as in `Requirement`."""
    found = _taken.get()
    if found is not None and left != right and (isinstance(left, Size) or isinstance(right, Size)):
        found.append(Requirement(left, right, relation, fault))


def differ(left: int | Size, right: int | Size) -> bool:
    """Whether the two are unequal for all values of named dims, as far as their bounds tell. Where these
    leave it open the two are taken for equal."""
    if surely_unequal(left, right):
        return True
    assume(left, right)
    return False


def falls_below(size: int | Size, least: int | Size, fault: str = "") -> bool:
    """Whether `size < least` for all values of named dims, as far as their bounds tell. Where these leave it
    open the size is taken to be at least so large. `fault` as in `Requirement`."""
    try:
        return not at_least(size, least)
    except Undecided:
        assume(size, least, "at_least", fault)
        return False
