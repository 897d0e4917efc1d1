"""Kernels of graph ops with a product, as text, and their results in NumPy in f64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlc.codegen.host_target import host_target


def tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def op(result: str, name: str, operands: str, types: Sequence[str], attributes: str = "") -> str:
    """A graph op; the last of `types` is that of its result."""
    given = f" {{{attributes}}}" if attributes else ""
    return f'%{result} = "graph.{name}"({operands}){given} : ({", ".join(types[:-1])}) -> {types[-1]}\n'


def kernel(inputs: Sequence[str], result: str, body: str) -> str:
    """A kernel @k on `%0`, `%1`, ... of these types, whose result is `%r`."""
    arguments = ", ".join(f"%{index}: {value_type}" for index, value_type in enumerate(inputs))
    return f"""module attributes {{tloop.target = "{host_target()}"}} {{
      func.func private @k({arguments}) -> {result} attributes {{tloop.kernel}} {{
        {body}
        return %r : {result}
      }} }}"""


@dataclass(frozen=True)
class Product:
    """`a [..., M, K]` times `b [..., K, N]`, which are stored so that a transpose by `a_order` or
    `b_order` gives them, plus a bias with relu, or another addend ("residual"), transposed by `order`. The
    result is f32."""

    a: Sequence[int]
    b: Sequence[int]
    element: str = "f32"
    precision: str = ""
    a_order: Sequence[int] = ()
    b_order: Sequence[int] = ()
    epilogue: str = ""
    order: Sequence[int] = ()

    @property
    def shape(self) -> list[int]:
        return [*np.broadcast_shapes(tuple(self.a[:-2]), tuple(self.b[:-2])), self.a[-2], self.b[-1]]

    @property
    def result(self) -> list[int]:
        return [self.shape[dim] for dim in self.order] if self.order else self.shape

    def inputs(self) -> list[list[int]]:
        """Shapes in memory."""
        shapes = [_stored_shape(self.a, self.a_order), _stored_shape(self.b, self.b_order)]
        addend = {"bias": [[self.shape[-1]]], "residual": [self.shape]}
        return shapes + addend.get(self.epilogue, [])

    def text(self) -> str:
        types = [tensor(shape, self.element) for shape in self.inputs()[:2]]
        wide, narrow = tensor(self.shape, "f32"), tensor(self.shape, self.element)
        body = _transpose_op("a", "%0", types[0], self.a, self.element, self.a_order)
        body += _transpose_op("b", "%1", types[1], self.b, self.element, self.b_order)
        marks = "graph.unrounded" if self.element != "f32" else ""
        marks = f'accel.precision = "{self.precision}"' if self.precision else marks
        operands = f"{'%a' if self.a_order else '%0'}, {'%b' if self.b_order else '%1'}"
        given = [tensor(shape, self.element) for shape in (self.a, self.b)]
        body += op("p", "matmul", operands, [*given, narrow], marks)
        body += op("w", "cast", "%p", [narrow, wide])
        last = "w"
        if self.epilogue:
            addend = tensor(self.inputs()[2], "f32")
            body += op("s", "add", "%w, %2", [wide, addend, wide]) + op("u", "relu", "%s", [wide, wide])
            types, last = [*types, addend], "u"
        result = tensor(self.result, "f32")
        if self.order:
            body += op("r", "transpose", f"%{last}", [wide, result], _permutation(self.order))
        return kernel(types, result, body if self.order else body.replace(f"%{last} =", "%r ="))

    def reference(self, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """The result, and the sum of its terms' magnitudes."""
        a, b, *addend = inputs
        a = a.transpose(self.a_order) if self.a_order else a
        b = b.transpose(self.b_order) if self.b_order else b
        value, size = a @ b, np.abs(a) @ np.abs(b)
        if addend:
            value, size = np.maximum(value + addend[0], 0), size + np.abs(addend[0])
        if self.order:
            value, size = value.transpose(self.order), size.transpose(self.order)
        return value, size


@dataclass(frozen=True)
class IntegerProduct:
    """`a [M, K]` times `b [K, N]` of `elements`, "i8" or "ui8", in i32. With `flipped`, b is stored as
    `[N, K]`."""

    a: Sequence[int]
    b: Sequence[int]
    elements: Sequence[str] = ("i8", "i8")
    flipped: bool = False
    wide: ClassVar[str] = "i32"

    @property
    def result(self) -> list[int]:
        return [self.a[0], self.b[1]]

    def inputs(self) -> list[list[int]]:
        """Shapes in memory."""
        return [list(self.a), list(self.b)[::-1] if self.flipped else list(self.b)]

    def text(self) -> str:
        narrow = [
            tensor(shape, value_type) for shape, value_type in zip(self.inputs(), self.elements, strict=True)
        ]
        wide = [tensor(shape, self.wide) for shape in self.inputs()]
        right, result = tensor(self.b, self.wide), tensor(self.result, self.wide)
        body = op("x", "cast", "%0", [narrow[0], wide[0]]) + op("y", "cast", "%1", [narrow[1], wide[1]])
        body += op("z", "transpose", "%y", [wide[1], right], _permutation((1, 0))) if self.flipped else ""
        body += op("r", "matmul", f"%x, %{'z' if self.flipped else 'y'}", [wide[0], right, result])
        return kernel(narrow, result, body)

    def reference(self, inputs: Sequence[np.ndarray]) -> np.ndarray:
        a, b = (operand.astype(np.int32) for operand in inputs)
        return a @ (b.T if self.flipped else b)


@dataclass(frozen=True)
class SmallFloatProduct(IntegerProduct):
    """The same of floats of 8 bits, in f32."""

    elements: Sequence[str] = ("f8E4M3FN", "f8E4M3FN")
    wide: ClassVar[str] = "f32"


def _permutation(order: Sequence[int]) -> str:
    return f"permutation = array<i64: {', '.join(map(str, order))}>"


def _stored_shape(shape: Sequence[int], order: Sequence[int]) -> list[int]:
    """Returns the shape that a transpose by `order` turns into `shape`."""
    if not order:
        return list(shape)
    return [shape[list(order).index(dim)] for dim in range(len(shape))]


def _transpose_op(
    name: str, value: str, value_type: str, shape: Sequence[int], element: str, order: Sequence[int]
) -> str:
    return (
        op(name, "transpose", value, [value_type, tensor(shape, element)], _permutation(order))
        if order
        else ""
    )
