"""Examples for rules of graph-reduce-strength and graph-reassociate-constants."""

from __future__ import annotations

import numpy as np
from rule_example import Examples, f32, per_op, weights
from rule_values import Values

from mlc.bindings import ir

STRENGTH: Examples = {
    "reduce_strength.first_power": [lambda v: v.pow(v.x, 1.0)],
    "reduce_strength.zeroth_power": [lambda v: v.pow(v.x, 0.0), lambda v: v.pow(v.i, 0)],
    "reduce_strength.whole_power": per_op("2 3 4", lambda v, n: v.pow(v.x, float(n))),
    "reduce_strength.inverse_power": [lambda v: v.pow(v.x, -1.0)],
    "reduce_strength.root_of_positive": per_op("0.5 -0.5", lambda v, n: v.pow(v.abs(v.x), float(n))),
    "reduce_strength.root_of_any": per_op("0.5 -0.5", lambda v, n: v.pow(v.max(v.x, 0.1), float(n))),
    "reduce_strength.quotient_of_one": [lambda v: v.div(v.scalar(1.0, v.x), v.x)],
    "reduce_strength.quotient_by_power_of_two": [
        *per_op("8 0.25 -1024", lambda v, n: v.div(v.x, float(n))),
        lambda v: v.div(v.m, v.constant(f32([1, 2, 4, 8, 16, -0.5]))),
    ],
    "reduce_strength.quotient_by_constant": [
        lambda v: v.div(v.x, 3.0),
        lambda v: v.div(v.m, v.constant(f32([1, 2, 3, 4, 5, 6]))),
    ],
    "reduce_strength.quotient_by_root": [lambda v: v.div(v.m, v.sqrt(v.abs(v.column)))],
    "reduce_strength.reciprocal_of_root": per_op(
        "sqrt rsqrt", lambda v, f: v.reciprocal(getattr(v, f)(v.abs(v.x)))
    ),
    "reduction_rules.extreme_of_one": per_op(
        "max min prod l1 sum_square", lambda v, f: v.reduce(f, v.one, 0, keepdims=False)
    ),
    "reduction_rules.sum_of_one": [
        *per_op("sum mean l2 log_sum_exp", lambda v, f: v.reduce(f, v.one, 0, keepdims=False)),
        lambda v: v.reduce("log_sum", v.abs(v.one), 0),
    ],
    "reduction_rules.reduction_before_units": [
        *per_op(
            "max min prod l1 sum_square sum mean l2 log_sum log_sum_exp",
            lambda v, f: v.reduce(f, v.reshape(v.p, shape=[4, 6, 1, 1]), 1, keepdims=False),
        ),
        lambda v: v.reduce("max", v.reshape(v.p, shape=[24, 1]), 0),
    ],
    "reduction_rules.extreme_of_extremes": per_op(
        "max min", lambda v, f: v.reduce(f, v.reduce(f, v.p, 1, keepdims=False), 0, 2, keepdims=False)
    )
    + per_op("max min", lambda v, f: v.reduce(f, v.reduce(f, v.part(v.m, [0, 0], [0, 6]), 0), 1)),
    "reduction_rules.sum_of_sums": per_op(
        "sum mean prod", lambda v, f: v.reduce(f, v.reduce(f, v.p, 1, 2), 3)
    )
    + per_op("sum prod", lambda v, f: v.reduce(f, v.reduce(f, v.part(v.m, [0, 0], [0, 6]), 0), 1)),
    "reduction_rules.gather_of_range": [
        lambda v: v.gather(v.m, v.constant(np.int64(-2)), axis=1),
        lambda v: v.gather(v.m, v.constant(np.array([4, 2, 0])), axis=1),
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

CONSTANTS: Examples = {
    "constant_rules.on_scalars": [
        lambda v: v.add(v.constant(np.float32(0.1)), 0.2),
        lambda v: v.sub(v.constant(np.float32(-0.0)), -0.0),
        lambda v: v.mul(v.constant(np.int32(2**20)), 2**20 + 3),
        lambda v: v.mul(v.constant(np.float32(1e-30)), 1e-10),
        lambda v: v.div(v.constant(np.float32(1)), 0.0),
        lambda v: v.neg(v.constant(np.float32(0.0))),
        lambda v: v.abs(v.constant(np.int32(-(2**31)))),
        lambda v: v.abs(v.constant(np.float32(-1.5))),
        lambda v: v.sqrt(v.constant(np.float32(2))),
        lambda v: v.reciprocal(v.constant(np.float32(3))),
    ],
    "constant_rules.difference_as_sum": [
        lambda v: v.sub(v.x, 0.0),
        lambda v: v.sub(v.x, 1.5),
        lambda v: v.sub(v.m, v.constant(ROW)),
    ],
    "constant_rules.combine_constants": [
        lambda v: v.add(v.add(v.m, v.constant(ROW)), 2.5),
        lambda v: v.mul(v.mul(v.m, 0.5), v.constant(ROW)),
        lambda v: v.mul(v.mul(v.x, 300.0), 300.0),
        lambda v: v.add(v.add(v.x, 65504.0), 65504.0),
    ],
    "constant_rules.both_chained": per_op(
        "add mul", lambda v, f: getattr(v, f)(getattr(v, f)(v.x, 1.5), getattr(v, f)(v.y, 2.5))
    ),
    "constant_rules.after_inverse": [
        lambda v: v.add(v.sub(v.scalar(1.5, v.x), v.x), 2.5),
        lambda v: v.mul(v.div(v.scalar(1.5, v.x), v.x), 2.5),
    ],
    "constant_rules.inverse_of_direct": [
        lambda v: v.sub(v.scalar(1.5, v.x), v.add(v.x, 2.5)),
        lambda v: v.div(v.scalar(1.5, v.x), v.mul(v.x, 2.5)),
    ],
    "constant_rules.inverse_of_inverse": [
        lambda v: v.sub(v.scalar(1.5, v.x), v.sub(v.scalar(2.5, v.x), v.x)),
        lambda v: v.div(v.scalar(1.5, v.x), v.div(v.scalar(2.5, v.x), v.x)),
    ],
    "constant_rules.negated_product": [lambda v: v.neg(v.mul(v.m, v.constant(ROW)))],
    "constant_rules.product_of_negated": [
        lambda v: v.mul(v.neg(v.x), 1.5),
        lambda v: v.mul(v.neg(v.i), 2**20),
    ],
    "fold_scale.into_weights": [
        lambda v: v.mul(v.matmul(v.m, weights(v, 6, 2)), 0.3),
        lambda v: v.mul(v.matmul(v.m, weights(v, 6, 2, 100)), 300.0),
    ],
    "fold_scale.over_offset": [
        lambda v: v.mul(v.add(v.matmul(v.m, weights(v, 6, 2)), 2.5), v.constant(ROW[:2]))
    ],
    "reassociate_constants.factor_after_views": [
        lambda v: v.mul(v.transpose(_project_heads(v), permutation=[2, 0, 1]), 0.125)
    ],
    "reassociate_constants.factor_of_scores": [
        lambda v: v.mul(v.matmul(_project_heads(v), v.sigmoid(_project_heads(v))), 0.3)
    ],
    "reassociate_constants.factor_before_product": [
        lambda v: v.matmul(v.mul(v.m, 0.3), weights(v, 6, 2)),
        lambda v: v.matmul(v.mul(v.m, v.constant(ROW)), weights(v, 6, 2)),
    ],
    "reassociate_constants.factor_before_conv": [
        lambda v: v.conv(
            v.mul(v.p, 0.3),
            v.constant(np.ones((2, 2, 2, 2), np.float32)),
            strides=[1, 1], dilations=[1, 1], pads=[0] * 4, group=1,
        )
    ],
}  # fmt: skip


def _project_heads(v: Values) -> ir.Value:
    """Heads of a projection with bias: `[2, 4, 4]`."""
    projected = v.add(v.matmul(v.m, weights(v, 6, 8, 0.01)), v.constant(np.arange(8, dtype=np.float32)))
    return v.reshape(projected, shape=[2, 4, 4])
