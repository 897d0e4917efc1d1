"""Costs of layouts: the interface that layout assignment queries, and the analytic model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Protocol

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes import registry
from mlc.passes.common.target import has_fma
from mlc.passes.graph.windows.blocked_channels import is_pixel_lookup, likely_shape
from mlc.passes.graph.windows.conv_to_matmul import is_strided_product
from mlc.passes.graph.windows.row_windows import is_row_window
from mlc.targets import Target

# Cycles from the start of a floating-point operation to its result: what each step of a long sum of scalars
# takes.
LATENCY = 4
# Steps of a sum so short that the processor works on several sums at once: then each takes one cycle, for
# two loads.
SHORT_SUM = 64
# Bytes read and written per cycle by `pack` and `unpack` of images in memory; of those in caches 15 to 20.
CONVERTED_BYTES = 8
# Bytes per cycle of kernels that stream through memory.
STREAMED_BYTES = 16
# How much longer windows at the ends of rows take than others, in rows of some 14 elements.
AT_ENDS = 12
# A kernel more: its call, its first cache misses, and the threads that it may wake.
LAUNCH = 500


class LayoutCosts(Protocol):
    """Times in one unit, the same for all methods; only differences matter.

    `block` is the number of channels in a block of the op's result, 1 for the plain layout. `op` is the op on
    plain values. Times must be finite and not negative.
    """

    def conv(self, op: ir.Operation, block: int) -> float:
        """A `graph.conv`."""

    def window(self, op: ir.Operation, block: int) -> float:
        """A pool."""

    def elementwise(self, op: ir.Operation, block: int) -> float:
        """An elementwise op, LRN, one that moves data (concat, slice, pad, channel shuffle), or a reduction
        over whole images."""

    def conversion(self, moved: int) -> float:
        """A `pack` or `unpack` that reads and writes `moved` bytes in all."""


@dataclass(frozen=True)
class AnalyticCosts:
    """Cycles of one core of `target`, from operations and bytes.

    On blocked data, vectors run along the channels of a block. On plain data, pointwise convolutions become
    matrix products, whose vectors run along the image, and those of depthwise ones and of pools run along its
    rows; other windows are taken to be summed one element after the other.
    """

    target: Target

    def conv(self, op: ir.Operation, block: int) -> float:
        """Depthwise, grouped and full convolutions differ by their multiply-adds per output alone."""
        steps = prod(likely_shape(op.operands[1])[1:])
        if block == 1 and is_strided_product(op):
            block = prod(likely_shape(op.results[0])[2:])
        elif block == 1 and is_row_window(op, self.target):
            return self._rows(op, steps)
        return self._windows(op, steps, block)

    def window(self, op: ir.Operation, block: int) -> float:
        """A pool takes one step per element of its window; on plain data, row windows are vectorised."""
        steps = prod(graph.attribute(op, "kernel"))
        if block == 1 and is_row_window(op, self.target):
            return self._rows(op, steps)
        return self._windows(op, steps, block)

    def elementwise(self, op: ir.Operation, block: int) -> float:
        """Either layout is contiguous, so that vectors run along the innermost dims in both; only columns of
        plain images are looked up element by element."""
        values = [*op.operands, *op.results]
        bytes_moved = sum(4 * prod(likely_shape(value)) for value in values)
        single = (
            block == 1 and is_pixel_lookup(op) and graph.attribute(op, "axis") == op.results[0].type.rank - 1
        )
        return bytes_moved / STREAMED_BYTES + (prod(likely_shape(op.results[0])) if single else 0)

    def conversion(self, moved: int) -> float:
        """A conversion is one more launch, and moves its bytes at `CONVERTED_BYTES` per cycle."""
        return LAUNCH + moved / CONVERTED_BYTES

    def _rows(self, op: ir.Operation, steps: int) -> float:
        """Windows along rows. Those of images of open size are computed one row at a time, mostly at its
        ends."""
        *_, height, width = graph.shape_of(op.results[0])
        at_ends = width is None and height != 1
        return self._windows(op, steps, likely_shape(op.results[0])[-1]) * (AT_ENDS if at_ends else 1)

    def _windows(self, op: ir.Operation, steps: int, block: int) -> float:
        """A sum of a given number of steps for each element of the result, with vectors along runs of `block`
        elements."""
        elements = prod(likely_shape(op.results[0]))
        if block <= 1:
            return float(elements * steps * (LATENCY if steps > SHORT_SUM else 1))
        vectors = elements / block * -(-block // (self.target.vector_bits // 32))
        return vectors * steps / (2 if has_fma(self.target) else 1)


@dataclass(frozen=True)
class OneLayout:
    """One layout wherever it is possible, whatever the conversions: what the choice is worth shows in
    comparison."""

    blocked: bool

    def conv(self, op: ir.Operation, block: int) -> float:
        """Returns 0 for the preferred layout and 1 for the other."""
        return float((block > 1) != self.blocked)

    def window(self, op: ir.Operation, block: int) -> float:
        """Returns 0 for the preferred layout and 1 for the other."""
        return self.conv(op, block)

    def elementwise(self, op: ir.Operation, block: int) -> float:
        """Returns 0 for the preferred layout and 1 for the other."""
        return self.conv(op, block)

    def conversion(self, moved: int) -> float:
        """Returns 0: conversions are free."""
        return 0.0


_MODELS: dict[str, Callable[[Target], LayoutCosts]] = {
    "analytic": AnalyticCosts,
    "always-blocked": lambda _target: OneLayout(True),
    "always-plain": lambda _target: OneLayout(False),
}


def register_layout_costs(name: str, model: Callable[[Target], LayoutCosts]) -> None:
    """Adds a model for the option `costs=<name>` of `graph-assign-layouts`. Raises `ValueError` if the name
    is taken."""
    if _MODELS.setdefault(name, model) is not model:
        raise ValueError(f"layout costs '{name}' are already registered")


def layout_costs(name: str, target: Target) -> LayoutCosts:
    """The model called `name` for a target; installed plugins may bring it. Raises `KeyError` with the names
    that exist."""
    if name not in _MODELS:
        registry.load_installed_plugins()
    if name not in _MODELS:
        raise KeyError(f"no layout costs '{name}'; there are {', '.join(sorted(_MODELS))}")
    return _MODELS[name](target)
