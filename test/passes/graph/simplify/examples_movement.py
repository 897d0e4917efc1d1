"""Examples for rules of graph-eliminate-noops and graph-eliminate-empty."""

from __future__ import annotations

import numpy as np
from rule_example import Examples, f32, per_op
from rule_values import Values

from mlc.bindings import ir

ONES = np.ones((4, 1), np.float32)
WINDOW = {"kernel": [2, 2], "strides": [1, 1], "dilations": [1, 1], "pads": [0] * 4}


def _row(v: Values, size: int) -> ir.Value:
    return v.part(v.row, [0], [size])


def _nothing(v: Values) -> ir.Value:
    """`[0, 6]`"""
    return v.part(v.m, [0, 0], [0, 6])


MOVEMENT: Examples = {
    "view_rules.reshape_to_own_shape": [lambda v: v.reshape(v.m, shape=[4, -1])],
    "view_rules.reshape_of_view": [lambda v: v.reshape(v.unsqueeze(v.m, axes=[0]), shape=[24])],
    "view_rules.view_of_inverse": [
        lambda v: v.squeeze(v.unsqueeze(v.m, axes=[1]), axes=[1]),
        lambda v: v.unsqueeze(v.squeeze(v.one, axes=[0]), axes=[0]),
    ],
    "view_rules.view_of_nothing": per_op("squeeze unsqueeze", lambda v, f: getattr(v, f)(v.m, axes=[])),
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
        lambda v: v.transpose(v.constant(f32([[1, -0.0, np.nan]])), permutation=[1, 0])
    ],
    "view_rules.transpose_of_transpose": [
        lambda v: v.transpose(v.transpose(v.p, permutation=[3, 0, 1, 2]), permutation=[2, 1, 3, 0])
    ],
    "decompose.repeat_channels": [
        lambda v: v.conv(
            v.reshape(v.p, shape=[1, 2, 12]), v.constant(f32([[[1, -2]], [[3, 0.5]], [[0, -1]], [[2, 1]]])),
            strides=[2], dilations=[1], pads=[1, 0], group=2,
        ),
    ],
    "copy_rules.transpose_beside_units": [
        lambda v: v.transpose(v.reshape(v.p, shape=[4, 1, 6, 1]), permutation=[1, 2, 0, 3]),
        lambda v: v.transpose(v.reshape(v.p, shape=[1, 4, 6]), permutation=[2, 1, 0]),
    ],
    "view_rules.transpose_of_unit_dims": [lambda v: v.transpose(v.one, permutation=[1, 0])],
    "slice_rules.slice_of_everything": [lambda v: v.part(v.m, [0, 0], [4, -1])],
    "slice_rules.slice_of_constant": [
        lambda v: v.part(v.constant(np.arange(8)), [6], [3], [-2]),
        lambda v: v.part(v.constant(f32([0, -0.0, np.nan, 3, 4])), [3], [4], [-1]),
    ],
    "slice_rules.slice_of_slice": [
        lambda v: v.part(v.part(v.m, [0, 5], [4, 3], [1, -2]), [-3, 0], [2, 2], [1, 1]),
        lambda v: v.part(v.part(v.m, [1, 0], [3, 6], [1, 1]), [1, 4], [2, 2], [1, -3]),
    ],
    "slice_rules.slice_of_concat": [
        lambda v: v.part(v.concat(v.m, v.m, axis=0), [5, 1], [3, 2], [1, 2]),
        lambda v: v.part(v.concat(_nothing(v), v.m, _nothing(v), axis=0), [0, 1], [4, 2]),
    ],
    "eliminate_concat_split.slice_of_some_operands": [
        lambda v: v.part(v.concat(v.row, v.row, _row(v, 0), v.row, axis=0), [4], [6]),
        lambda v: v.part(v.concat(v.row, v.row, _row(v, 0), v.row, axis=0), [11], [9], [-1]),
    ],
    "eliminate_concat_split.computed_whole": [
        lambda v: v.concat(v.exp(v.part(v.m, [0, 0], [4, 2])), v.exp(v.part(v.m, [0, 2], [4, 4])), axis=1),
        lambda v: v.concat(v.not_(v.part(v.c, [0], [1])), v.not_(v.part(v.c, [1], [3])), axis=0),
        lambda v: v.concat(v.neg(v.part(v.m, [0, 0], [4, 2])), v.neg(v.part(v.m, [0, 2], [4, 4])), axis=1),
    ],
    "fold_padding.slice_of_pad": [
        lambda v: v.part(v.pad(v.m, low=[1, 2], high=[2, 0], value=-0.0), [0, 3], [4, 5]),
        lambda v: v.part(v.pad(v.m, low=[1, 2], high=[2, 0], value=-0.0), [4, 7], [4, 6], [-1, -1]),
    ],
    "fold_padding.into_window": [
        lambda v: v.max_pool(v.pad(v.p, low=[0, 0, 1, 1], high=[0, 0, 0, 1], value=-np.inf), **WINDOW),
        lambda v: v.average_pool(
            v.pad(v.p, low=[0, 0, 1, 1], high=[0, 0, 0, 1]), count_include_pad=True, **WINDOW
        ),
        lambda v: v.conv(
            v.pad(v.p, low=[0, 0, 1, 1], high=[0, 0, 0, 1]), v.constant(f32([[[[1, -2]], [[3, 0.5]]]])),
            strides=[1, 1], dilations=[1, 1], pads=[0] * 4,
        ),
    ],
    "hoist_movement.look_up_first": [
        lambda v: v.gather(v.neg(v.m), v.constant(np.array([3, -1])), axis=0),
        lambda v: v.gather(v.less(v.m, 0), v.constant(np.array([1, 0])), axis=0),
        lambda v: v.gather(v.exp(v.m), v.constant(np.array([], np.int64)), axis=0),
        lambda v: v.gather(v.add(v.m, 1), v.constant(np.int64(2)), axis=1),
    ],
    "hoist_movement.grow_after_movement": per_op(
        "f64 i64 ui64", lambda v, t: v.transpose(v.cast(v.neg(v.m), type=t), permutation=[1, 0])
    ),
    "hoist_movement.shrink_before_movement": [
        *per_op("f16 i8 i1", lambda v, t: v.cast(v.transpose(v.neg(v.m), permutation=[1, 0]), type=t)),
        lambda v: v.cast(v.expand(v.neg(v.one), shape=[4, 6]), type="f16"),
    ],
    "slice_rules.concat_of_one": [lambda v: v.concat(v.m, axis=0)],
    "slice_rules.concat_of_slices": [
        lambda v: v.concat(v.part(v.m, [0, 1], [4, 2]), v.part(v.m, [0, 3], [4, 3]), axis=1),
        lambda v: v.concat(_row(v, 0), _row(v, 4), axis=0),
    ],
    "slice_rules.concat_of_concat": [
        lambda v: v.concat(v.row, v.concat(v.row, v.row, axis=0), axis=0),
        lambda v: v.concat(v.row, v.concat(_row(v, 0), v.row, axis=0), axis=0),
    ],
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
        *per_op("i1 ui8", lambda v, t: v.cast(v.cast(v.c, type=t), type="f32")),
        lambda v: v.cast(v.cast(v.c, type="i32"), type="f32"),
    ],
    "copy_rules.pad_by_nothing": [lambda v: v.pad(v.m, low=[0, 0], high=[0, 0])],
    "fold_padding.pad_of_pad": [
        lambda v: v.pad(v.pad(v.m, low=[1, 0], high=[0, 2], value=1.5), low=[0, 2], high=[1, 1], value=1.5),
        lambda v: v.pad(v.pad(v.m, low=[1, 0], high=[0, 2], value=1), low=[0, 2], high=[1, 1], value=1),
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

EMPTY: Examples = {
    "eliminate_empty.reduction_of_nothing": per_op(
        "sum mean max min prod l1 l2 sum_square log_sum log_sum_exp",
        lambda v, f: v.reduce(f, v.part(v.m, [0, 0], [0, 6]), 0),
    )
    + per_op("sum max min prod", lambda v, f: v.reduce(f, v.part(v.i, [0], [0]), 0)),
    "eliminate_empty.product_of_nothing": [
        lambda v: v.matmul(v.part(v.m, [0, 0], [4, 0]), v.part(v.n, [0, 0], [0, 4]))
    ],
    "eliminate_empty.concat_with_nothing": [
        lambda v: v.concat(v.m, v.part(v.m, [0, 0], [0, 6]), v.m, axis=0)
    ],
    "eliminate_empty.pad_of_nothing": [
        lambda v: v.pad(_nothing(v), low=[1, 0], high=[1, 2], value=-2.5),
        lambda v: v.pad(_nothing(v), low=[1, 0], high=[1, 2], value=1),
    ],
}  # fmt: skip
