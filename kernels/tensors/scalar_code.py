"""The bodies of `linalg.generic` ops from symbolic scalars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mlc.bindings import arith, ir, linalg, tensor
from mlc.kernels.errors import KernelError, at_location
from mlc.kernels.expressions import Apply, Convert, Expression, IterationAxis, Select, TensorElement
from mlc.kernels.scalars import Scalar, apply, convert, select, to_type


@dataclass
class ScalarCode:
    """Builds expressions at the insertion point; `operands` are the scalars of accesses by their `id`."""

    axes: Sequence[IterationAxis]
    operands: dict[int, ir.Value]
    built: dict[int, Scalar] = field(default_factory=dict)

    def build(self, expression: Any) -> Scalar:
        """Returns the value of `expression`, built once. Raises KernelError at the expression's location."""
        if not isinstance(expression, Expression):
            return _as_scalar(expression)
        key = id(expression)
        if key not in self.built:
            with at_location(expression.location):
                self.built[key] = self._build(expression)
        return self.built[key]

    def _build(self, expression: Expression) -> Scalar:
        match expression:
            case Apply(name=name, operands=operands):
                return apply(name, [self.build(operand) for operand in operands])
            case Convert(element=element, operand=operand):
                return convert(self.build(operand), element)
            case Select(condition=condition, x=x, y=y):
                return select(self.build(condition), self.build(x), self.build(y))
            case IterationAxis():
                return self._index(expression)
            case TensorElement():
                return self._element(expression)
        raise KernelError("a reduction inside a reduction; give the inner one a separate compute")

    def _index(self, axis: IterationAxis) -> ir.Value:
        for position, known in enumerate(self.axes):
            if known is axis:
                return linalg.IndexOp(position).result
        raise KernelError(f"the axis '{axis.name}' is used outside its reduction")

    def _element(self, access: TensorElement) -> ir.Value:
        if id(access) in self.operands:
            return self.operands[id(access)]
        indices = [self._as_index(self.build(subscript)) for subscript in access.subscripts]
        return tensor.ExtractOp(access.tensor.value, indices).result

    def _as_index(self, value: Scalar) -> ir.Value:
        type_ = ir.IndexType.get()
        if isinstance(value, ir.Value) and not isinstance(value.type, ir.IndexType | ir.IntegerType):
            raise KernelError(f"a subscript is an integer, but this is {value.type}")
        if isinstance(value, int):
            return arith.ConstantOp(type_, ir.IntegerAttr.get(type_, value)).result
        return to_type(value, type_)


def _as_scalar(value: Any) -> Scalar:
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if not isinstance(value, bool | int | float):
        raise KernelError(f"expected a scalar or an expression, but this is {value!r}")
    return value
