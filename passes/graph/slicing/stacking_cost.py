"""What stacking products on one input gains: an estimate in seconds, for one core.

A product takes the longer of its arithmetic, whose columns are padded to full vectors, and of reading its
weights; each kernel has to be launched; results that are no contiguous part of the stacked one are copied.
The rates are those of a machine with AVX-512 near 4 GHz, and only compare the two forms: they decide
together with the pass's option `min-gain`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.graph.types import element_name

FLOPS = 250e9
WEIGHT_BYTES = 40e9
COPIED_BYTES = 100e9
LAUNCH = 2e-6
# Elements of a vector register.
VECTOR_BYTES = 64


@dataclass(frozen=True)
class Product:
    """A matrix product: `rows` by `depth` times `depth` by `columns`, of elements of `width` bytes."""

    rows: int
    depth: int
    columns: int
    width: int

    def seconds(self) -> float:
        """The time of one kernel that computes it."""
        vector = VECTOR_BYTES // self.width
        padded = -(-self.columns // vector) * vector
        arithmetic = 2 * self.rows * self.depth * padded * self.width / 4 / FLOPS
        return max(arithmetic, self.depth * self.columns * self.width / WEIGHT_BYTES) + LAUNCH

    def copy_seconds(self) -> float:
        """The time of a kernel that copies its result."""
        return 2 * self.rows * self.columns * self.width / COPIED_BYTES + LAUNCH


def product_of(op: ir.Operation, columns: int) -> Product:
    """A `graph.matmul` or `graph.conv` on static shapes as a matrix product of so many columns."""
    width = element_bytes(element_name(graph.element_type(op.results[0])))
    elements = prod(graph.shape_of(op.results[0]))
    weights = prod(graph.shape_of(op.operands[1]))
    return Product(elements // max(1, columns), weights // max(1, columns), columns, width)


def gain(products: Sequence[Product], contiguous: bool) -> float:
    """The share of their time that products on one input save as one; negative where they lose.

    `contiguous`: the parts of the stacked result need no copies.
    """
    apart = sum(each.seconds() for each in products)
    first = products[0]
    stacked = Product(first.rows, first.depth, sum(each.columns for each in products), first.width)
    copies = 0.0 if contiguous else sum(each.copy_seconds() for each in products)
    return 1 - (stacked.seconds() + copies) / apart
