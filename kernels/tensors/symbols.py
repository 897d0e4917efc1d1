"""The tensors that tensor expressions compute with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlc.bindings import ir
from mlc.kernels.errors import KernelError, caller_place
from mlc.kernels.expressions import Expression, TensorElement
from mlc.kernels.sizes import plain


@dataclass(frozen=True, eq=False)
class SymbolicTensor:
    """A tensor inside a kernel: an input, or what `compute` made. Subscripts make expressions."""

    name: str
    value: ir.Value

    def __getitem__(self, subscripts: Any) -> TensorElement:
        given = tuple(map(plain, subscripts if isinstance(subscripts, tuple) else (subscripts,)))
        place = caller_place()
        if len(given) != len(self.shape):
            raise KernelError(f"{self.name} has {len(self.shape)} dims, but {len(given)} subscripts", place)
        odd = [each for each in given if not _indexes(each)]
        if odd:
            raise KernelError(f"{odd[0]!r} is no index; subscripts are axes, numbers and integers", place)
        return TensorElement(self, given, place)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(ir.RankedTensorType(self.value.type).shape)

    @property
    def element(self) -> ir.Type:
        return ir.RankedTensorType(self.value.type).element_type


def _indexes(subscript: Any) -> bool:
    whole = isinstance(subscript, int) and not isinstance(subscript, bool)
    return whole or isinstance(subscript, Expression)
