"""Dims of one kernel that only a call tells: each size that the kernel needs is one number, d0, d1, ..."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects.graph.dims.function_dims import NAMES, named_dims, names_attribute
from mlc.dialects.graph.sizes import Size
from mlc.passes.base import PassFailure
from mlc.passes.common.kernel_functions import DIMS


class KernelDims:
    """The numbers of a kernel by the sizes that they are to the host."""

    def __init__(self) -> None:
        self.names: dict[Size, str] = {}

    def name(self, values: Sequence[ir.Value]) -> None:
        """Gives each size among the values' dims a number. Raises PassFailure for a dim that is no size."""
        for value in values:
            for dim in named_dims(value):
                if dim is None:
                    raise PassFailure(f"nothing tells the dims of this {value.type}", value.location)
                if isinstance(dim, Size):
                    self.names.setdefault(dim, f"d{len(self.names)}")

    def operand_types(self) -> list[ir.Type]:
        """The type of the operand that gives the numbers, if there are any."""
        return [ir.RankedTensorType.get([len(self.names)], ir.IndexType.get())] if self.names else []

    def of(self, value: ir.Value) -> ir.Attribute:
        """The value's dims in the kernel."""
        texts = [self.names[dim] if isinstance(dim, Size) else "" for dim in named_dims(value)]
        return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])

    def describe_kernel(
        self, kernel: ir.Operation, arguments: Sequence[ir.Value], results: Sequence[ir.Value]
    ) -> None:
        if self.names:
            kernel.attributes[DIMS] = ir.ArrayAttr.get([self.of(each) for each in (*arguments, *results)])

    def describe_copy(self, op: ir.Operation, copy: ir.Operation) -> None:
        """Has an op of the kernel name its results' dims as the kernel does."""
        if NAMES in copy.attributes:
            copy.attributes[NAMES] = ir.ArrayAttr.get([self.of(each) for each in op.results])

    def describe_launch(self, launch: ir.Operation, results: Sequence[ir.Value]) -> None:
        """Has the launch say its results' dims, and what the numbers are."""
        if not self.names:
            return
        launch.attributes[DIMS] = ir.ArrayAttr.get([ir.StringAttr.get(str(size)) for size in self.names])
        shapes = [named_dims(each) for each in results]
        if any(isinstance(dim, Size) for shape in shapes for dim in shape):
            launch.attributes[NAMES] = names_attribute(shapes)
