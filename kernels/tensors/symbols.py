"""The tensors that tensor expressions compute with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlc.bindings import ir
from mlc.kernels.errors import KernelError, caller_location
from mlc.kernels.expressions import Expression, TensorElement
from mlc.kernels.sizes import plain


@dataclass(frozen=True, eq=False)
class SymbolicTensor:
    """A tensor inside a kernel: an input, or a result of `compute`. Subscripts make expressions."""

    name: str
    value: ir.Value

    def __getitem__(self, subscripts: Any) -> TensorElement:
        given = tuple(map(plain, subscripts if isinstance(subscripts, tuple) else (subscripts,)))
        location = caller_location()
        if len(given) != len(self.shape):
            raise KernelError(
                f"{self.name} has {len(self.shape)} dims, but {len(given)} subscripts", location
            )
        odd = [subscript for subscript in given if not _is_index(subscript)]
        if odd:
            raise KernelError(
                f"{odd[0]!r} is no index; subscripts are axes, integers and expressions", location
            )
        return TensorElement(self, given, location)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the tensor's dims."""
        return tuple(ir.RankedTensorType(self.value.type).shape)

    @property
    def element(self) -> ir.Type:
        """The element type."""
        return ir.RankedTensorType(self.value.type).element_type


def _is_index(subscript: Any) -> bool:
    whole = isinstance(subscript, int) and not isinstance(subscript, bool)
    return whole or isinstance(subscript, Expression)
