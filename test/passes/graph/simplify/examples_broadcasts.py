"""Examples for rules of graph-simplify-broadcasts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rule_example import Example, Examples, per_op
from rule_values import Values

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import BOOL, COMPLEX, INTEGER


def _stack(v: Values) -> ir.Value:
    """`[3, 6, 4]`"""
    return v.concat(*[v.unsqueeze(v.n, axes=[0])] * 3, axis=0)


def _other_type(value: ir.Value) -> str:
    """Another element type of the width of the value's elements."""
    element = graph.element_type(value)
    return f"i{element.width}" if str(element) != f"i{element.width}" else f"ui{element.width}"


def _of_expanded() -> Iterator[Example]:
    """Yields every elementwise op of one operand, on an expanded row."""
    for spec in graph.specs().values():
        if spec.family != "elementwise" or len(spec.operands) != 1:
            continue
        row = {
            BOOL: lambda v: v.cast(v.one, type="i1"),
            INTEGER: lambda v: v.part(v.i, [0], [6]),
            COMPLEX: lambda v: v.complex(v.one, v.one),
        }.get(spec.operands[0].elements, lambda v: v.one)
        if spec.name == "bitcast":
            yield lambda v: v.bitcast(v.expand(v.one, shape=[4, 6]), type=_other_type(v.one))
            continue
        options = {"type": "f64"} if spec.name == "cast" else {}
        yield lambda v, name=spec.name, row=row, options=options: getattr(v, name)(
            v.expand(row(v), shape=[4, 6]), **options
        )


BROADCASTS: Examples = {
    "broadcast_rules.function_of_expanded": list(_of_expanded()),
    "broadcast_rules.broadcast_operands": [
        *per_op(
            "add sub mul div pow min max equal less less_equal greater greater_equal complex",
            lambda v, f: getattr(v, f)(v.expand(v.column, shape=[4, 6]), v.m),
        ),
        *per_op("and or xor", lambda v, f: getattr(v, f)(v.c, v.constant(np.array([True] * 4)))),
        *per_op(
            "bitwise_and bitwise_or bitwise_xor shift_left shift_right mod",
            lambda v, f: getattr(v, f)(v.i, v.scalar(np.full(144, 3), v.i)),
        ),
        lambda v: v.add(v.m, v.unsqueeze(v.row, axes=[0])),
        lambda v: v.mul(v.m, v.tile(v.column, repeats=[1, 6])),
        lambda v: v.add(v.expand(v.one, shape=[4, 6]), v.full(2.0, 4, 6)),
        lambda v: v.mod(v.expand(v.column, shape=[4, 6]), v.m, fmod=True),
        lambda v: v.where(v.c, v.d, v.constant(np.array([True] * 4))),
        lambda v: v.where(v.less(v.m, 0.0), v.expand(v.row, shape=[4, 6]), v.full(-0.0, 4, 6)),
    ],
    "broadcast_rules.product_of_expanded": [
        lambda v: v.matmul(v.expand(v.m, shape=[3, 4, 6]), _stack(v)),
        lambda v: v.matmul(_stack(v), v.expand(v.unsqueeze(v.m, axes=[0]), shape=[3, 4, 6])),
    ],
    "broadcast_rules.expand_of_leading_ones": [
        lambda v: v.expand(v.unsqueeze(v.row, axes=[0]), shape=[4, 6])
    ],
    "broadcast_rules.tile_of_ones": [lambda v: v.tile(v.column, repeats=[1, 5])],
    "simplify_broadcasts.extreme_of_expanded": per_op(
        "max min", lambda v, f: v.reduce(f, v.expand(v.column, shape=[2, 4, 6]), 0, 2, keepdims=False)
    ),
    "simplify_broadcasts.mean_of_expanded": [
        lambda v: v.reduce("mean", v.expand(v.column, shape=[4, 6]), 1)
    ],
    "simplify_broadcasts.sum_of_expanded": [
        lambda v: v.reduce("sum", v.expand(v.column, shape=[4, 6]), 1, keepdims=False)
    ],
}  # fmt: skip
