"""Which Winograd convolutions the budget allows: transformed weights are larger than plain ones.

A weight `[O, I, 3, 3]` becomes `[n, n, I, O]`, which `graph-split-prepare` has @prepare compute, whatever its
own budget: transforms in every call would take longer than they save.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.dialects import graph
from mlc.passes.common.rewriting import users
from mlc.passes.graph.prepare.prepare_budget import elements, transformed_weights
from mlc.passes.graph.winograd.candidates import KERNEL, Candidate
from mlc.passes.remarks import missed

FLOAT_BYTES = 4


@dataclass(frozen=True)
class Group:
    """Convolutions that read one transformed weight, which costs once."""

    candidates: tuple[Candidate, ...]

    @property
    def growth(self) -> int:
        """Bytes that @prepare keeps beyond the plain weight; where others read that, all that it keeps."""
        weight, tile = self.candidates[0].weight, self.candidates[0].tile
        transformed = transformed_elements(elements(weight), tile)
        readers = {address(user) for pack in users(weight) for user in users(pack.results[0])}
        alone = readers <= {address(each.op) for each in self.candidates}
        return FLOAT_BYTES * (transformed - elements(weight) * alone)

    @property
    def benefit(self) -> float:
        """Multiplications saved per byte."""
        return sum(map(_saved, self.candidates)) / self.growth


def transformed_elements(plain: int, tile: int) -> int:
    """Elements of a transformed weight that has `plain` ones of 3x3."""
    return plain // KERNEL**2 * (tile + KERNEL - 1) ** 2


def _saved(candidate: Candidate) -> int:
    """Multiplications that the algorithm does without."""
    batch, _, height, width, _ = graph.shape_of(candidate.op.results[0])
    plain = elements(candidate.weight)
    return batch * height * width * plain - candidate.tiles * transformed_elements(plain, candidate.tile)


def spent_bytes(function: ir.Operation) -> int:
    """By how much the transformed weights that a function has exceed plain ones."""
    weights = transformed_weights(function)
    plain = {each: elements(each) // graph.shape_of(each)[0] * KERNEL**2 for each in weights}
    return FLOAT_BYTES * sum(elements(each) - plain[each] for each in weights)


def affordable(candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
    """The candidates whose weights grow by at most `budget` bytes together: those that save most for a byte
    first, of equals those that grow least."""
    weights: dict[tuple[ir.Value, int], list[Candidate]] = {}
    for each in candidates:
        weights.setdefault((each.weight, each.tile), []).append(each)
    groups = [Group(tuple(each)) for each in weights.values()]
    chosen: list[Candidate] = []
    left = budget
    for group in sorted(groups, key=lambda each: (-each.benefit, each.growth)):
        if group.growth <= left:
            left -= group.growth
            chosen += group.candidates
            continue
        reason = f"its weight grows by {group.growth} bytes, more than is left of the budget of {budget}"
        for each in group.candidates:
            missed(each.op, "graph-winograd", reason)
    return chosen
