"""The bodies of `linalg.generic` ops from symbolic scalars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mlc.bindings import arith, ir, linalg, tensor
from mlc.kernels.errors import KernelError, located
from mlc.kernels.expressions import Apply, Convert, Expression, IterationAxis, Select, TensorElement
from mlc.kernels.scalars import Scalar, apply, convert, select, typed


@dataclass
class ScalarCode:
    """Builds expressions at the insertion point; `operands` are the scalars of accesses by their `id`."""

    axes: Sequence[IterationAxis]
    operands: dict[int, ir.Value]
    built: dict[int, Scalar] = field(default_factory=dict)

    def build(self, expression: Any) -> Scalar:
        """The value of `expression`, built once. Raises KernelError at the expression's place."""
        if not isinstance(expression, Expression):
            return _number(expression)
        key = id(expression)
        if key not in self.built:
            with located(expression.place):
                self.built[key] = self._build(expression)
        return self.built[key]

    def _build(self, expression: Expression) -> Scalar:
        match expression:
            case Apply(name=name, operands=operands):
                return apply(name, [self.build(each) for each in operands])
            case Convert(element=element, operand=operand):
                return convert(self.build(operand), element)
            case Select(condition=condition, x=x, y=y):
                return select(self.build(condition), self.build(x), self.build(y))
            case IterationAxis():
                return self._index(expression)
            case TensorElement():
                return self._element(expression)
        raise KernelError("a reduction inside a reduction; give the inner one a compute of its own")

    def _index(self, axis: IterationAxis) -> ir.Value:
        for position, each in enumerate(self.axes):
            if each is axis:
                return linalg.IndexOp(position).result
        raise KernelError(f"the axis '{axis.name}' is used outside its reduction")

    def _element(self, access: TensorElement) -> ir.Value:
        if id(access) in self.operands:
            return self.operands[id(access)]
        indices = [self._as_index(self.build(subscript)) for subscript in access.subscripts]
        return tensor.ExtractOp(access.tensor.value, indices).result

    def _as_index(self, value: Scalar) -> ir.Value:
        kind = ir.IndexType.get()
        if isinstance(value, ir.Value) and not isinstance(value.type, ir.IndexType | ir.IntegerType):
            raise KernelError(f"a subscript is an integer, but this is {value.type}")
        if isinstance(value, int):
            return arith.ConstantOp(kind, ir.IntegerAttr.get(kind, value)).result
        return typed(value, kind)


def _number(value: Any) -> Scalar:
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if not isinstance(value, bool | int | float):
        raise KernelError(f"expected a number or an expression, but this is {value!r}")
    return value
