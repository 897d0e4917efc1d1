"""Examples for rules of graph-simplify-algebra."""

from __future__ import annotations

import numpy as np
from rule_example import Examples, per_op, weights
from rule_values import Values

from mlc.bindings import ir

ALGEBRA: Examples = {
    "simplify_algebra.operand_order": [
        *per_op("add mul min max", lambda v, f: getattr(v, f)(v.y, v.x)),
        *per_op("equal bitwise_and bitwise_or bitwise_xor", lambda v, f: getattr(v, f)(v.j, v.i)),
        *per_op("and or xor equal", lambda v, f: getattr(v, f)(v.d, v.c)),
        lambda v: v.equal(v.y, v.x),
    ],
    "identity_rules.neutral": [
        lambda v: v.mul(v.x, 1),
        *per_op("and", lambda v, f: v.and_(v.c, True)),
        *per_op("or xor", lambda v, f: getattr(v, f)(v.c, False)),
        *per_op("bitwise_or bitwise_xor", lambda v, f: getattr(v, f)(v.i, 0)),
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
        lambda v: v.sub(v.scalar(0, v.i), v.i),
        lambda v: v.sub(v.scalar(-0.0, v.x), v.x),
    ],
    "identity_rules.from_zero": [lambda v: v.sub(v.scalar(0.0, v.x), v.x)],
    "identity_rules.over_one": [lambda v: v.div(v.x, 1), lambda v: v.div(v.i, 1)],
    "identity_rules.times_minus_one": [lambda v: v.mul(v.x, -1), lambda v: v.mul(v.i, -1)],
    "identity_rules.times_integer_zero": [lambda v: v.mul(v.i, 0)],
    "identity_rules.times_zero": [lambda v: v.mul(v.x, 0.0)],
    "identity_rules.same_twice": [
        *per_op("min max", lambda v, f: getattr(v, f)(v.x, v.x)),
        *per_op("and or", lambda v, f: getattr(v, f)(v.c, v.c)),
        *per_op("bitwise_and bitwise_or", lambda v, f: getattr(v, f)(v.i, v.i)),
    ],
    "identity_rules.integers_cancel": [
        *per_op("sub bitwise_xor", lambda v, f: getattr(v, f)(v.i, v.i)),
        lambda v: v.xor(v.c, v.c),
    ],
    "identity_rules.floats_cancel": [lambda v: v.sub(v.x, v.x)],
    "identity_rules.quotient_of_same": [lambda v: v.div(v.x, v.x)],
    "identity_rules.never_less": per_op("less greater", lambda v, f: getattr(v, f)(v.x, v.x)),
    "identity_rules.equals_itself": [
        *per_op("equal less_equal greater_equal", lambda v, f: getattr(v, f)(v.i, v.i)),
        lambda v: v.equal(v.c, v.c),
    ],
    "identity_rules.choice_of_same": [
        lambda v: v.where(v.less(v.x, v.y), v.x, v.x),
        lambda v: v.where(v.c, v.d, v.d),
    ],
    "chain_rules.inverse_of_itself": [
        lambda v: v.neg(v.neg(v.x)),
        lambda v: v.not_(v.not_(v.c)),
        lambda v: v.bitwise_not(v.bitwise_not(v.i)),
    ],
    "chain_rules.reciprocal_twice": [lambda v: v.reciprocal(v.reciprocal(v.x))],
    "chain_rules.of_itself": [
        *per_op("relu sign floor ceil round", lambda v, f: getattr(v, f)(getattr(v, f)(v.x))),
        lambda v: v.floor(v.ceil(v.x)),
        lambda v: v.round(v.sign(v.x)),
    ],
    "chain_rules.of_not_negative": [
        *per_op("relu abs", lambda v, f: getattr(v, f)(v.exp(v.x))),
        lambda v: v.relu(v.sqrt(v.abs(v.x))),
        *per_op("abs relu", lambda v, f: getattr(v, f)(v.abs(v.x))),
        lambda v: v.relu(v.add(v.mul(v.x, v.x), v.sigmoid(v.y))),
        lambda v: v.abs(v.max(v.x, v.softplus(v.y))),
        lambda v: v.relu(v.reduce("sum", v.mul(v.abs(v.m), v.clamp(v.m, min=0.5)), 1)),
        lambda v: v.relu(v.where(v.less(v.x, v.y), v.abs(v.x), v.rsqrt(v.abs(v.y)))),
    ],
    "chain_rules.abs_of_relu": [lambda v: v.abs(v.relu(v.x))],
    "chain_rules.of_other_sign": [
        *per_op("abs cos cosh", lambda v, f: getattr(v, f)(v.neg(v.x))),
        lambda v: v.abs(v.neg(v.i)),
        lambda v: v.cosh(v.abs(v.x)),
    ],
    "chain_rules.square_of_abs": [lambda v: _square(v, v.abs(v.x))],
    "chain_rules.plus_negated": [
        lambda v: v.add(v.x, v.neg(v.y)),
        lambda v: v.add(v.neg(v.x), v.y),
        lambda v: v.add(v.i, v.neg(v.j)),
    ],
    "chain_rules.minus_negated": [lambda v: v.sub(v.x, v.neg(v.y)), lambda v: v.sub(v.i, v.neg(v.j))],
    "chain_rules.both_negated": [
        *per_op("mul div", lambda v, f: getattr(v, f)(v.neg(v.x), v.neg(v.y))),
        lambda v: v.mul(v.neg(v.i), v.neg(v.j)),
    ],
    "chain_rules.negated_integer_difference": [lambda v: v.neg(v.sub(v.i, v.j))],
    "chain_rules.negated_difference": [lambda v: v.neg(v.sub(v.x, v.y))],
    "chain_rules.opposite_comparison": [
        *per_op("less less_equal greater greater_equal", lambda v, f: v.not_(getattr(v, f)(v.i, v.j)))
    ],
    "chain_rules.choice_of_opposite": [
        lambda v: v.where(v.not_(v.less(v.x, v.y)), v.x, v.y),
        lambda v: v.where(v.not_(v.c), v.c, v.d),
    ],
    "chain_rules.log_of_exp": [lambda v: v.log(v.exp(v.x))],
    "chain_rules.exp_of_log": [lambda v: v.exp(v.log(v.abs(v.x)))],
    "chain_rules.root_of_square": [lambda v: v.sqrt(v.mul(v.x, v.x))],
    "chain_rules.square_of_root": [lambda v: _square(v, v.sqrt(v.abs(v.x)))],
    "bound_rules.clamp_without_bounds": [
        lambda v: v.clamp(v.x),
        lambda v: v.clamp(v.x, min=-np.inf, max=np.inf),
    ],
    "bound_rules.clamp_as_relu": [lambda v: v.clamp(v.x, min=0.0), lambda v: v.clamp(v.i, min=0)],
    "bound_rules.clamp_of_clamp": [
        lambda v: v.relu(v.clamp(v.x, min=-1.0, max=6.0)),
        lambda v: v.relu(v.clamp(v.x, min=1.0, max=6.0)),
        lambda v: v.clamp(v.clamp(v.x, min=1.0, max=7.0), min=2.0, max=5.0),
        lambda v: v.clamp(v.relu(v.x), max=6.0),
        lambda v: v.clamp(v.clamp(v.x, min=0.5, max=3.0), min=1.0, max=2.0),
        lambda v: v.clamp(v.clamp(v.x, min=5.0), max=2.0),
        lambda v: v.clamp(v.clamp(v.x, max=-5.0), min=2.0, max=1.0),
        lambda v: v.clamp(v.clamp(v.x, min=-0.0), min=0.0, max=3.0),
        lambda v: v.clamp(v.clamp(v.i, min=-1), max=7),
    ],
    "bound_rules.constant_as_bound": [
        lambda v: v.max(v.x, 1.5),
        lambda v: v.min(v.x, -0.5),
        lambda v: v.max(v.i, 0),
        lambda v: v.min(v.i, 0),
    ],
    "bound_rules.zero_as_bound": per_op("max min", lambda v, f: getattr(v, f)(v.x, 0.0)),
    "simplify_algebra.common_factor": [
        lambda v: v.add(v.mul(v.x, v.y), v.mul(v.y, v.sigmoid(v.x))),
        lambda v: v.sub(v.mul(v.x, 2.5), v.mul(v.x, 1.5)),
    ],
    "simplify_algebra.common_matrix": [
        lambda v: v.add(v.matmul(v.m, v.n), v.matmul(v.abs(v.m), v.n)),
        lambda v: v.sub(v.matmul(v.column, weights(v, 1, 3)), v.matmul(v.column, weights(v, 1, 3, 2))),
    ],
}  # fmt: skip


def _square(v: Values, x: ir.Value) -> ir.Value:
    return v.mul(x, x)
