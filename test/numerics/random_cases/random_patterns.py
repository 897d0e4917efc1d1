"""Random models that hold what graph passes look for: idioms, chains that cancel, shared inputs."""

from __future__ import annotations

from collections.abc import Callable

from algebra_patterns import AlgebraPatterns
from idiom_patterns import IdiomPatterns
from movement_patterns import MovementPatterns
from product_patterns import ProductPatterns


class PatternGraph(AlgebraPatterns, IdiomPatterns, MovementPatterns, ProductPatterns):
    """A third of the pieces are single ops, the others are patterns."""

    def pieces(self) -> tuple[Callable[[], None], ...]:
        return (
            *super().pieces(),
            self.scalar_chain, self.scalar_chain, self.nothing, self.inverses, self.clip, self.powers,
            self.distributive, self.twice, self.reductions, self.opposites, self.negations, self.cancelling,
            self.choices, self.common_factors, self.bounds, self.casts, self.reduced_twice,
            self.gelu, self.silu, self.layer_norm, self.softmax, self.attention, self.rotary,
            self.activations, self.logarithms, self.folded_norm, self.rotary_by_halves,
            self.transposed_chain, self.reshapes, self.squeezes, self.split_and_joined, self.slices,
            self.broadcast, self.expansions, self.tiles, self.empty, self.joined_parts, self.pads,
            self.moved_constant,
            self.normalised_conv, self.normalised_conv, self.padded_window, self.parallel_products, self.gemm,
            self.pools, self.scaled_product,
        )  # fmt: skip
