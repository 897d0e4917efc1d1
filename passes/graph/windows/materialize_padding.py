"""graph-materialize-padding: windows that never leave their input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.ops.creation import CONSTANT_LIMIT
from mlc.passes.base import Pass, option
from mlc.passes.common.rewriting import apply_patterns, attributes_of, replace_op
from mlc.passes.graph.common.rematerialization import mark
from mlc.passes.graph.common.values import Scalar, dtype, is_float, on_ranked


@dataclass(frozen=True)
class Window:
    """One spatial dim. `size` and `positions` (of the input and of the result) are None where not known."""

    size: int | None
    positions: int | None
    kernel: int
    stride: int
    dilation: int
    begin: int
    end: int
    ceil_mode: bool

    @property
    def extent(self) -> int:
        """Input elements that one window spans."""
        return self.dilation * (self.kernel - 1) + 1

    def high(self) -> int | None:
        """Elements to add after the dim (`begin` before it) so that without padding and ceil_mode there are
        as many positions as before; None where that depends on a dim that is not known.

        Never fewer: windows inside the input count in every mode, so nothing needs to be cut off.
        """
        if self.size is not None and self.positions is not None:
            return max(0, (self.positions - 1) * self.stride + self.extent - self.size - self.begin)
        if not self.ceil_mode:
            return self.end
        # A last window that starts in the padding does not count: only when none can is the count linear.
        return self.end + self.stride - 1 if self.stride <= self.extent - self.end else None

    def counts(self, include_pad: bool) -> np.ndarray | None:
        """The number of elements that the mean of each window divides by; None where a dim is not known."""
        if self.size is None or self.positions is None:
            return None
        first, last = (-self.begin, self.size + self.end) if include_pad else (0, self.size)
        starts = np.arange(self.positions) * self.stride - self.begin
        indices = starts[:, None] + np.arange(self.kernel) * self.dilation
        # A window of padding only sums to 0, whatever it is divided by.
        return np.maximum(1, ((indices >= first) & (indices < last)).sum(axis=1))


def _kernel(op: ir.Operation, spatial: int) -> list[int | None]:
    """Window sizes: an attribute of pools, dims of a convolution's weights (see graph.conv for layouts)."""
    if op.name != graph.Conv.NAME:
        return graph.attribute(op, "kernel")
    shape = graph.shape_of(graph.Conv(op).w)
    depthwise = graph.Conv(op).layout == "NCHWc" and len(shape) == spatial + 2
    first = 1 if depthwise else 2
    return shape[first : first + spatial]


def windows(op: ir.Operation) -> list[Window] | None:
    """The spatial dims of a convolution or pool; None where a kernel is not known."""
    strides = graph.Window(op).strides
    spatial = len(strides)
    kernel = _kernel(op, spatial)
    if None in kernel:
        return None
    sizes = graph.shape_of(graph.Window(op).x)[2 : 2 + spatial]
    positions = graph.shape_of(graph.Window(op).result)[2 : 2 + spatial]
    pads, dilations = graph.Window(op).pads, graph.Window(op).dilations
    ceil_mode = op.name != graph.Conv.NAME and graph.attribute(op, "ceil_mode")
    return [
        Window(
            sizes[axis], positions[axis], width, strides[axis], dilations[axis],
            begin=pads[axis], end=pads[spatial + axis], ceil_mode=ceil_mode,
        )
        for axis, width in enumerate(kernel) if width is not None
    ]  # fmt: skip


def _neutral(op: ir.Operation) -> Scalar:
    """The padding that leaves the op's result alone."""
    x = graph.Window(op).x
    if op.name != graph.MaxPool.NAME:
        return 0.0 if is_float(x) else 0
    return -np.inf if is_float(x) else np.iinfo(dtype(x)).min


def _pad_image(
    op: ir.Operation, dims: Sequence[Window], highs: Sequence[int | None], rematerialize: bool
) -> ir.Value:
    x = graph.Window(op).x
    lows = [window.begin for window in dims]
    if not any((*lows, *highs)):
        return x
    rest = [0] * (x.type.rank - 2 - len(dims))
    amounts = {"low": [0, 0, *lows, *rest], "high": [0, 0, *highs, *rest]}
    padded = graph.build("pad", [x], amounts | {"mode": "constant", "value": _neutral(op)})
    return mark(padded) if rematerialize else padded


def _without_padding(op: ir.Operation, x: ir.Value) -> ir.Value:
    attributes = attributes_of(op)
    attributes["pads"] = [0] * len(graph.Window(op).pads)
    if "ceil_mode" in op.attributes:
        attributes["ceil_mode"] = False
    if "count_include_pad" in op.attributes:
        attributes["count_include_pad"] = False
    return graph.build(op.name, [x, *list(op.operands)[1:]], attributes, graph.Window(op).result.type)


def _factors(op: ir.Operation, dims: Sequence[Window]) -> list[np.ndarray] | None:
    """Per dim, kernel / counted elements for each position of a mean; None where it is not known."""
    if op.name != graph.AveragePool.NAME:
        return []
    include_pad = graph.AveragePool(op).count_include_pad
    factors = []
    for window in dims:
        if not window.ceil_mode and (include_pad or not window.begin + window.end):
            factors.append(np.ones(1))
            continue
        counts = window.counts(include_pad)
        if counts is None:
            return None
        factors.append(window.kernel / counts)
    return factors


def _vector(values: np.ndarray, shape: list[int]) -> ir.Value:
    """A constant of the shape (one dim is not 1); one too large for the IR is put together from parts."""
    if values.nbytes <= CONSTANT_LIMIT:
        return graph.build("constant", [], {"value": values.reshape(shape)})
    axis, half = int(np.argmax(shape)), len(values) // 2
    halves = (values[:half], values[half:])
    parts = [_vector(half, [*shape[:axis], len(half), *shape[axis + 1 :]]) for half in halves]
    return graph.build("concat", parts, {"axis": axis})


def _correct_mean(mean: ir.Value, factors: Sequence[np.ndarray]) -> ir.Value:
    """The means times their factors, dim by dim."""
    for axis, values in enumerate(factors, 2):
        if np.all(values == 1):
            continue
        shape = [1] * mean.type.rank
        shape[axis] = len(values)
        mean = graph.build("mul", [mean, _vector(values.astype(dtype(mean)), shape)])
    return mean


def materialize(op: ir.Operation, rematerialize: bool = False) -> bool:
    """Pads the input of a convolution or pool; with `rematerialize`, rematerialised in its kernel."""
    ceil_mode = op.name != graph.Conv.NAME and graph.attribute(op, "ceil_mode")
    if not ceil_mode and not any(graph.Window(op).pads):
        return False
    dims = windows(op)
    if dims is None:
        return False
    highs, factors = [window.high() for window in dims], _factors(op, dims)
    if None in highs or factors is None:
        return False
    result = _without_padding(op, _pad_image(op, dims, highs, rematerialize))
    replace_op(op, _correct_mean(result, factors))
    return True


@dataclass(frozen=True)
class MaterializePadding(Pass):
    """Turn the padding of convolutions and pools, and ceil_mode, into a `graph.pad` before them.

    A mean that does not count padding is corrected by a `mul` per spatial dim: kernel over counted elements
    factorises. Ops stay where the amount depends on a dim that is not known (ceil_mode, uncounted padding).
    """

    name: ClassVar[str] = "graph-materialize-padding"
    exactness: ClassVar[str] = "rounding"

    pools_only: bool = option(False, help="leave convolutions to targets that read zeros around an image")
    rematerialize: bool = option(False, help="mark pads as part of the kernels that read them")

    def run(self, op: ir.Operation) -> None:
        names = [graph.MaxPool.NAME, graph.AveragePool.NAME, *([] if self.pools_only else [graph.Conv.NAME])]
        pattern = (
            partial(materialize, rematerialize=self.rematerialize) if self.rematerialize else materialize
        )
        apply_patterns(op, dict.fromkeys(names, on_ranked(pattern)))
