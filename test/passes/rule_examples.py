"""Ops on which each rule applies, by the rule's name: the last op built is the one that it rewrites."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import BOOL, INTEGER
from rule_values import Values

Example = Callable[[Values], ir.Value]

ONES = np.ones((4, 1), np.float32)


def _each(names: str, build: Callable[[Values, str], ir.Value]) -> list[Example]:
    """An example per op name."""
    return [lambda v, name=name: build(v, name) for name in names.split()]  # type: ignore[misc]


MOVEMENT: dict[str, list[Example]] = {
    "view_rules.reshape_to_own_shape": [lambda v: v.reshape(v.m, shape=[4, -1])],
    "view_rules.reshape_of_view": [lambda v: v.reshape(v.unsqueeze(v.m, axes=[0]), shape=[24])],
    "view_rules.view_of_inverse": [
        lambda v: v.squeeze(v.unsqueeze(v.m, axes=[1]), axes=[1]),
        lambda v: v.unsqueeze(v.squeeze(v.one, axes=[0]), axes=[0]),
    ],
    "view_rules.view_of_nothing": _each("squeeze unsqueeze", lambda v, f: getattr(v, f)(v.m, axes=[])),
    "view_rules.as_reshape": [
        lambda v: v.squeeze(v.one, axes=[0]),
        lambda v: v.unsqueeze(v.m, axes=[0]),
    ],
    "view_rules.view_of_constant": [
        lambda v: v.reshape(v.constant(ONES), shape=[2, 2]),
        lambda v: v.squeeze(v.full(-0.0, 1, 3), axes=[0]),
        lambda v: v.unsqueeze(v.constant(ONES), axes=[0]),
    ],
    "view_rules.identity_transpose": [lambda v: v.transpose(v.m, permutation=[0, 1])],
    "view_rules.transpose_of_constant": [
        lambda v: v.transpose(v.constant(np.float32([[1, -0.0, np.nan]])), permutation=[1, 0])
    ],
    "view_rules.transpose_of_transpose": [
        lambda v: v.transpose(v.transpose(v.p, permutation=[3, 0, 1, 2]), permutation=[2, 1, 3, 0])
    ],
    "view_rules.transpose_of_unit_dims": [lambda v: v.transpose(v.one, permutation=[1, 0])],
    "slice_rules.slice_of_everything": [lambda v: v.part(v.m, [0, 0], [4, -1])],
    "slice_rules.slice_of_constant": [lambda v: v.part(v.constant(np.arange(8)), [6], [3], [-2])],
    "slice_rules.slice_of_slice": [
        lambda v: v.part(v.part(v.m, [0, 5], [4, 3], [1, -2]), [-3, 0], [2, 2], [1, 1]),
        lambda v: v.part(v.part(v.m, [1, 0], [3, 6], [1, 1]), [1, 4], [2, 2], [1, -3]),
    ],
    "slice_rules.slice_of_concat": [lambda v: v.part(v.concat(v.m, v.m, axis=0), [5, 1], [3, 2], [1, 2])],
    "slice_rules.concat_of_one": [lambda v: v.concat(v.m, axis=0)],
    "slice_rules.concat_of_slices": [
        lambda v: v.concat(v.part(v.m, [0, 1], [4, 2]), v.part(v.m, [0, 3], [4, 3]), axis=1)
    ],
    "slice_rules.concat_of_concat": [lambda v: v.concat(v.row, v.concat(v.row, v.row, axis=0), axis=0)],
    "copy_rules.same": [lambda v: v.identity(v.x)],
    "copy_rules.cast_to_own_type": [lambda v: v.cast(v.x, type="f32")],
    "copy_rules.cast_of_cast": [
        lambda v: v.cast(v.cast(v.x, type="f64"), type="f32"),
        lambda v: v.cast(v.cast(v.x, type="f64"), type="f16"),
        lambda v: v.cast(v.cast(v.x, type="f64"), type="i1"),
        lambda v: v.cast(v.cast(v.i, type="f64"), type="f32"),
        lambda v: v.cast(v.cast(v.i, type="i64"), type="i8"),
        lambda v: v.cast(v.cast(v.k, type="f32"), type="i8"),
        lambda v: v.cast(v.cast(v.k, type="i32"), type="ui8"),
        lambda v: v.cast(v.cast(v.c, type="f32"), type="i1"),
        lambda v: v.cast(v.cast(v.c, type="i32"), type="f32"),
    ],
    "copy_rules.pad_by_nothing": [lambda v: v.pad(v.m, low=[0, 0], high=[0, 0])],
    "copy_rules.pad_of_pad": [
        lambda v: v.pad(v.pad(v.m, low=[1, 0], high=[0, 2], value=1.5), low=[0, 2], high=[1, 1], value=1.5)
    ],
    "copy_rules.expand_to_own_shape": [lambda v: v.expand(v.m, shape=[1, 6])],
    "copy_rules.expand_of_expand": [
        lambda v: v.expand(v.expand(v.column, shape=[4, 6]), shape=[2, 4, 6])
    ],
    "copy_rules.tile_once": [lambda v: v.tile(v.m, repeats=[1, 1])],
    "copy_rules.tile_of_tile": [lambda v: v.tile(v.tile(v.m, repeats=[2, 1]), repeats=[2, 3])],
    "copy_rules.movement_of_fill": [
        lambda v: v.expand(v.full(-0.0, 1, 3), shape=[2, 3]),
        lambda v: v.tile(v.full(2.0, 1, 3), repeats=[2, 1]),
        lambda v: v.transpose(v.full(2.0, 2, 3), permutation=[1, 0]),
        lambda v: v.part(v.full(2.0, 2, 3), [0, 0], [1, 2]),
    ],
    "copy_rules.window_of_one": [
        lambda v: v.max_pool(v.p, kernel=[1, 1], strides=[1, 1], dilations=[1, 1], pads=[0] * 4)
    ],
}  # fmt: skip

ALGEBRA: dict[str, list[Example]] = {
    "order_rules.operand_order": [
        *_each("add mul min max", lambda v, f: getattr(v, f)(v.y, v.x)),
        *_each("equal bitwise_and bitwise_or bitwise_xor", lambda v, f: getattr(v, f)(v.j, v.i)),
        *_each("and or xor", lambda v, f: getattr(v, f)(v.d, v.c)),
    ],
    "identity_rules.neutral": [
        lambda v: v.mul(v.x, 1),
        *_each("and", lambda v, f: v.and_(v.c, True)),
        *_each("or xor", lambda v, f: getattr(v, f)(v.c, False)),
        *_each("bitwise_or bitwise_xor", lambda v, f: getattr(v, f)(v.i, 0)),
    ],
    "identity_rules.absorbing": [
        lambda v: v.and_(v.c, False),
        lambda v: v.or_(v.c, True),
        lambda v: v.bitwise_and(v.i, 0),
    ],
    "identity_rules.plus_exact_zero": [lambda v: v.add(v.i, 0), lambda v: v.add(v.x, -0.0)],
    "identity_rules.plus_zero": [lambda v: v.add(v.x, 0.0)],
    "identity_rules.minus_exact_zero": [lambda v: v.sub(v.i, 0), lambda v: v.sub(v.x, 0.0)],
    "identity_rules.minus_zero": [lambda v: v.sub(v.x, -0.0)],
    "identity_rules.from_exact_zero": [
        lambda v: v.sub(v.number(0, v.i), v.i),
        lambda v: v.sub(v.number(-0.0, v.x), v.x),
    ],
    "identity_rules.from_zero": [lambda v: v.sub(v.number(0.0, v.x), v.x)],
    "identity_rules.over_one": [lambda v: v.div(v.x, 1), lambda v: v.div(v.i, 1)],
    "identity_rules.times_minus_one": [lambda v: v.mul(v.x, -1), lambda v: v.mul(v.i, -1)],
    "identity_rules.times_integer_zero": [lambda v: v.mul(v.i, 0)],
    "identity_rules.times_zero": [lambda v: v.mul(v.x, 0.0)],
    "identity_rules.same_twice": [
        *_each("min max", lambda v, f: getattr(v, f)(v.x, v.x)),
        *_each("and or", lambda v, f: getattr(v, f)(v.c, v.c)),
        *_each("bitwise_and bitwise_or", lambda v, f: getattr(v, f)(v.i, v.i)),
    ],
    "identity_rules.integers_cancel": [
        *_each("sub bitwise_xor", lambda v, f: getattr(v, f)(v.i, v.i)),
        lambda v: v.xor(v.c, v.c),
    ],
    "identity_rules.floats_cancel": [lambda v: v.sub(v.x, v.x)],
    "identity_rules.quotient_of_same": [lambda v: v.div(v.x, v.x)],
    "identity_rules.never_less": _each("less greater", lambda v, f: getattr(v, f)(v.x, v.x)),
    "identity_rules.equals_itself": _each(
        "equal less_equal greater_equal", lambda v, f: getattr(v, f)(v.i, v.i)
    ),
    "identity_rules.choice_of_same": [lambda v: v.where(v.less(v.x, v.y), v.x, v.x)],
    "chain_rules.inverse_of_itself": [
        lambda v: v.neg(v.neg(v.x)),
        lambda v: v.not_(v.not_(v.c)),
        lambda v: v.bitwise_not(v.bitwise_not(v.i)),
    ],
    "chain_rules.reciprocal_twice": [lambda v: v.reciprocal(v.reciprocal(v.x))],
    "chain_rules.of_itself": [
        *_each("relu sign floor ceil round", lambda v, f: getattr(v, f)(getattr(v, f)(v.x))),
        lambda v: v.floor(v.ceil(v.x)),
        lambda v: v.round(v.sign(v.x)),
    ],
    "chain_rules.of_not_negative": [
        *_each("relu abs", lambda v, f: getattr(v, f)(v.exp(v.x))),
        lambda v: v.relu(v.sqrt(v.abs(v.x))),
        lambda v: v.relu(v.add(v.mul(v.x, v.x), v.sigmoid(v.y))),
        lambda v: v.abs(v.max(v.x, v.softplus(v.y))),
        lambda v: v.relu(v.reduce("sum", v.mul(v.abs(v.m), v.clamp(v.m, min=0.5)), 1)),
        lambda v: v.relu(v.where(v.less(v.x, v.y), v.abs(v.x), v.rsqrt(v.abs(v.y)))),
    ],
    "chain_rules.abs_of_relu": [lambda v: v.abs(v.relu(v.x))],
    "chain_rules.of_other_sign": [
        *_each("abs cos cosh", lambda v, f: getattr(v, f)(v.neg(v.x))),
        lambda v: v.abs(v.neg(v.i)),
        lambda v: v.cosh(v.abs(v.x)),
    ],
    "chain_rules.square_of_abs": [lambda v: _squared(v, v.abs(v.x))],
    "chain_rules.plus_negated": [
        lambda v: v.add(v.x, v.neg(v.y)),
        lambda v: v.add(v.neg(v.x), v.y),
        lambda v: v.add(v.i, v.neg(v.j)),
    ],
    "chain_rules.minus_negated": [lambda v: v.sub(v.x, v.neg(v.y)), lambda v: v.sub(v.i, v.neg(v.j))],
    "chain_rules.both_negated": [
        *_each("mul div", lambda v, f: getattr(v, f)(v.neg(v.x), v.neg(v.y))),
        lambda v: v.mul(v.neg(v.i), v.neg(v.j)),
    ],
    "chain_rules.negated_integer_difference": [lambda v: v.neg(v.sub(v.i, v.j))],
    "chain_rules.negated_difference": [lambda v: v.neg(v.sub(v.x, v.y))],
    "chain_rules.opposite_comparison": [
        *_each("less less_equal greater greater_equal", lambda v, f: v.not_(getattr(v, f)(v.i, v.j)))
    ],
    "chain_rules.choice_of_opposite": [lambda v: v.where(v.not_(v.less(v.x, v.y)), v.x, v.y)],
    "chain_rules.log_of_exp": [lambda v: v.log(v.exp(v.x))],
    "chain_rules.exp_of_log": [lambda v: v.exp(v.log(v.abs(v.x)))],
    "chain_rules.root_of_square": [lambda v: v.sqrt(v.mul(v.x, v.x))],
    "chain_rules.square_of_root": [lambda v: _squared(v, v.sqrt(v.abs(v.x)))],
    "bound_rules.clamp_without_bounds": [
        lambda v: v.clamp(v.x),
        lambda v: v.clamp(v.x, min=-np.inf, max=np.inf),
    ],
    "bound_rules.clamp_as_relu": [lambda v: v.clamp(v.x, min=0.0), lambda v: v.clamp(v.i, min=0)],
    "bound_rules.clamp_of_clamp": [
        lambda v: v.relu(v.clamp(v.x, min=-1.0, max=6.0)),
        lambda v: v.clamp(v.relu(v.x), max=6.0),
        lambda v: v.clamp(v.clamp(v.x, min=0.5, max=3.0), min=1.0, max=2.0),
        lambda v: v.clamp(v.clamp(v.x, min=5.0), max=2.0),
        lambda v: v.clamp(v.clamp(v.x, max=-5.0), min=2.0, max=1.0),
        lambda v: v.clamp(v.clamp(v.x, min=-0.0), min=0.0, max=3.0),
        lambda v: v.clamp(v.clamp(v.i, min=-1), max=7),
    ],
    "bound_rules.number_as_bound": [
        lambda v: v.max(v.x, 1.5),
        lambda v: v.min(v.x, -0.5),
        lambda v: v.max(v.i, 0),
        lambda v: v.min(v.i, 0),
    ],
    "bound_rules.zero_as_bound": _each("max min", lambda v, f: getattr(v, f)(v.x, 0.0)),
    "factor_rules.common_factor": [
        lambda v: v.add(v.mul(v.x, v.y), v.mul(v.y, v.sigmoid(v.x))),
        lambda v: v.sub(v.mul(v.x, 2.5), v.mul(v.x, 1.5)),
    ],
    "factor_rules.common_matrix": [
        lambda v: v.add(v.matmul(v.m, v.n), v.matmul(v.abs(v.m), v.n)),
        lambda v: v.sub(v.matmul(v.column, _weights(v, 1, 3)), v.matmul(v.column, _weights(v, 1, 3, 2))),
    ],
}  # fmt: skip


def _squared(v: Values, x: ir.Value) -> ir.Value:
    return v.mul(x, x)


def _weights(v: Values, rows: int, columns: int, scale: float = 1) -> ir.Value:
    return v.constant((scale * np.arange(1, rows * columns + 1)).astype(np.float32).reshape(rows, columns))


STRENGTH: dict[str, list[Example]] = {
    "power_rules.first_power": [lambda v: v.pow(v.x, 1.0)],
    "power_rules.zeroth_power": [lambda v: v.pow(v.x, 0.0), lambda v: v.pow(v.i, 0)],
    "power_rules.whole_power": _each("2 3 4", lambda v, n: v.pow(v.x, float(n))),
    "power_rules.inverse_power": [lambda v: v.pow(v.x, -1.0)],
    "power_rules.root_of_positive": _each("0.5 -0.5", lambda v, n: v.pow(v.abs(v.x), float(n))),
    "power_rules.root_of_any": _each("0.5 -0.5", lambda v, n: v.pow(v.max(v.x, 0.1), float(n))),
    "power_rules.quotient_of_one": [lambda v: v.div(v.number(1.0, v.x), v.x)],
    "power_rules.quotient_by_power_of_two": [
        *_each("8 0.25 -1024", lambda v, n: v.div(v.x, float(n))),
        lambda v: v.div(v.m, v.constant(np.float32([1, 2, 4, 8, 16, -0.5]))),
    ],
    "power_rules.quotient_by_constant": [
        lambda v: v.div(v.x, 3.0),
        lambda v: v.div(v.m, v.constant(np.float32([1, 2, 3, 4, 5, 6]))),
    ],
    "power_rules.quotient_by_root": [lambda v: v.div(v.m, v.sqrt(v.abs(v.column)))],
    "power_rules.reciprocal_of_root": _each(
        "sqrt rsqrt", lambda v, f: v.reciprocal(getattr(v, f)(v.abs(v.x)))
    ),
    "reduction_rules.extreme_of_one": _each(
        "max min prod l1 sum_square", lambda v, f: v.reduce(f, v.one, 0, keepdims=False)
    ),
    "reduction_rules.sum_of_one": [
        *_each("sum mean l2 log_sum_exp", lambda v, f: v.reduce(f, v.one, 0, keepdims=False)),
        lambda v: v.reduce("log_sum", v.abs(v.one), 0),
    ],
    "reduction_rules.extreme_of_extremes": _each(
        "max min", lambda v, f: v.reduce(f, v.reduce(f, v.p, 1, keepdims=False), 0, 2, keepdims=False)
    ),
    "reduction_rules.sum_of_sums": _each(
        "sum mean prod", lambda v, f: v.reduce(f, v.reduce(f, v.p, 1, 2), 3)
    ),
    "reduction_rules.gather_of_range": [
        lambda v: v.gather(v.m, v.constant(np.int64(-2)), axis=1),
        lambda v: v.gather(v.m, v.constant(np.int64([4, 2, 0])), axis=1),
    ],
    "reduction_rules.choice_by_constant": [
        lambda v: v.where(v.constant(np.array([True])), v.row, v.m),
        lambda v: v.where(v.constant(np.array(False)), v.row, v.m),
    ],
    "reduction_rules.mean_window_of_one": [lambda v: _pool(v, [1, 1])],
    "reduction_rules.mean_over_everything": [lambda v: _pool(v, [3, 4])],
}  # fmt: skip


def _pool(v: Values, kernel: list[int]) -> ir.Value:
    return v.average_pool(v.p, kernel=kernel, strides=[1, 1], dilations=[1, 1], pads=[0] * 4)


ROW = np.arange(1, 7, dtype=np.float32)

CONSTANTS: dict[str, list[Example]] = {
    "constant_rules.on_scalars": [
        lambda v: v.add(v.constant(np.float32(0.1)), 0.2),
        lambda v: v.sub(v.constant(np.float32(-0.0)), -0.0),
        lambda v: v.mul(v.constant(np.int32(2**20)), 2**20 + 3),
        lambda v: v.mul(v.constant(np.float32(1e-30)), 1e-10),
        lambda v: v.div(v.constant(np.float32(1)), 0.0),
        lambda v: v.neg(v.constant(np.float32(0.0))),
        lambda v: v.abs(v.constant(np.int32(-(2**31)))),
        lambda v: v.sqrt(v.constant(np.float32(2))),
        lambda v: v.reciprocal(v.constant(np.float32(3))),
    ],
    "constant_rules.difference_as_sum": [
        lambda v: v.sub(v.x, 0.0),
        lambda v: v.sub(v.x, 1.5),
        lambda v: v.sub(v.m, v.constant(ROW)),
    ],
    "constant_rules.chained": [
        lambda v: v.add(v.add(v.m, v.constant(ROW)), 2.5),
        lambda v: v.mul(v.mul(v.m, 0.5), v.constant(ROW)),
    ],
    "constant_rules.both_chained": _each(
        "add mul", lambda v, f: getattr(v, f)(getattr(v, f)(v.x, 1.5), getattr(v, f)(v.y, 2.5))
    ),
    "constant_rules.after_inverse": [
        lambda v: v.add(v.sub(v.number(1.5, v.x), v.x), 2.5),
        lambda v: v.mul(v.div(v.number(1.5, v.x), v.x), 2.5),
    ],
    "constant_rules.inverse_of_direct": [
        lambda v: v.sub(v.number(1.5, v.x), v.add(v.x, 2.5)),
        lambda v: v.div(v.number(1.5, v.x), v.mul(v.x, 2.5)),
    ],
    "constant_rules.inverse_of_inverse": [
        lambda v: v.sub(v.number(1.5, v.x), v.sub(v.number(2.5, v.x), v.x)),
        lambda v: v.div(v.number(1.5, v.x), v.div(v.number(2.5, v.x), v.x)),
    ],
    "constant_rules.negated_product": [lambda v: v.neg(v.mul(v.m, v.constant(ROW)))],
    "constant_rules.product_of_negated": [
        lambda v: v.mul(v.neg(v.x), 1.5),
        lambda v: v.mul(v.neg(v.i), 2**20),
    ],
    "scale_rules.factor_behind_views": [
        lambda v: v.mul(v.transpose(_projected(v), permutation=[2, 0, 1]), 0.125)
    ],
    "scale_rules.factor_of_scores": [
        lambda v: v.mul(v.matmul(_projected(v), v.sigmoid(_projected(v))), 0.3)
    ],
    "scale_rules.factor_before_product": [
        lambda v: v.matmul(v.mul(v.m, 0.3), _weights(v, 6, 2)),
        lambda v: v.matmul(v.mul(v.m, v.constant(ROW)), _weights(v, 6, 2)),
    ],
    "scale_rules.factor_before_conv": [
        lambda v: v.conv(
            v.mul(v.p, 0.3),
            v.constant(np.ones((2, 2, 2, 2), np.float32)),
            strides=[1, 1], dilations=[1, 1], pads=[0] * 4, group=1,
        )
    ],
}  # fmt: skip


def _projected(v: Values) -> ir.Value:
    """Heads of a projection with bias: `[2, 4, 4]`."""
    projected = v.add(v.matmul(v.m, _weights(v, 6, 8, 0.01)), v.constant(np.arange(8, dtype=np.float32)))
    return v.reshape(projected, shape=[2, 4, 4])


def _stack(v: Values) -> ir.Value:
    """`[3, 6, 4]`"""
    return v.concat(*[v.unsqueeze(v.n, axes=[0])] * 3, axis=0)


def _of_expanded() -> Iterator[Example]:
    """Every elementwise op of one operand, of an expanded row."""
    for spec in graph.specs().values():
        if spec.family != "elementwise" or len(spec.operands) != 1:
            continue
        row = {BOOL: lambda v: v.cast(v.one, type="i1"), INTEGER: lambda v: v.part(v.i, [0], [6])}.get(
            spec.operands[0].elements, lambda v: v.one
        )
        kind = {"type": "f64"} if spec.name == "cast" else {}
        yield lambda v, name=spec.name, row=row, kind=kind: getattr(v, name)(
            v.expand(row(v), shape=[4, 6]), **kind
        )


BROADCASTS: dict[str, list[Example]] = {
    "broadcast_rules.function_of_expanded": list(_of_expanded()),
    "broadcast_rules.broadcast_operands": [
        *_each(
            "add sub mul div pow min max equal less less_equal greater greater_equal",
            lambda v, f: getattr(v, f)(v.expand(v.column, shape=[4, 6]), v.m),
        ),
        *_each("and or xor", lambda v, f: getattr(v, f)(v.c, v.constant(np.array([True] * 4)))),
        *_each(
            "bitwise_and bitwise_or bitwise_xor shift_left shift_right mod",
            lambda v, f: getattr(v, f)(v.i, v.constant(np.full(144, 3, np.int32))),
        ),
        lambda v: v.add(v.m, v.unsqueeze(v.row, axes=[0])),
        lambda v: v.mul(v.m, v.tile(v.column, repeats=[1, 6])),
        lambda v: v.add(v.expand(v.one, shape=[4, 6]), v.full(2.0, 4, 6)),
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
    "broadcast_rules.extreme_of_expanded": _each(
        "max min", lambda v, f: v.reduce(f, v.expand(v.column, shape=[2, 4, 6]), 0, 2, keepdims=False)
    ),
    "broadcast_rules.mean_of_expanded": [
        lambda v: v.reduce("mean", v.expand(v.column, shape=[4, 6]), 1)
    ],
    "broadcast_rules.sum_of_expanded": [
        lambda v: v.reduce("sum", v.expand(v.column, shape=[4, 6]), 1, keepdims=False)
    ],
}  # fmt: skip

EMPTY: dict[str, list[Example]] = {
    "eliminate_empty.reduction_of_nothing": _each(
        "sum mean max min prod l1 l2 sum_square log_sum log_sum_exp",
        lambda v, f: v.reduce(f, v.part(v.m, [0, 0], [0, 6]), 0),
    )
    + _each("sum max min prod", lambda v, f: v.reduce(f, v.part(v.i, [0], [0]), 0)),
    "eliminate_empty.product_of_nothing": [
        lambda v: v.matmul(v.part(v.m, [0, 0], [4, 0]), v.part(v.n, [0, 0], [0, 4]))
    ],
    "eliminate_empty.concat_with_nothing": [
        lambda v: v.concat(v.m, v.part(v.m, [0, 0], [0, 6]), v.m, axis=0)
    ],
    "eliminate_empty.pad_of_nothing": [
        lambda v: v.pad(v.part(v.m, [0, 0], [0, 6]), low=[1, 0], high=[1, 2], value=-2.5)
    ],
}  # fmt: skip

EXAMPLES = {**MOVEMENT, **ALGEBRA, **STRENGTH, **CONSTANTS, **BROADCASTS, **EMPTY}
