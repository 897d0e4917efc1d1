"""Examples that nearly fit their rule, which must leave them in f32.

Constants that overflow together, nothing to reduce, floats where the rule is of integers.
"""

from __future__ import annotations

from rule_example import Examples, per_op
from rule_values import LARGE

# Numbers of which two are out of the range of f32, and of f16.
HUGE, TINY, HALF = 1e25, 1e-25, 300.0

LEFT: Examples = {
    "chain_rules.negated_integer_difference": [lambda v: v.neg(v.sub(v.x, v.y))],
    "identity_rules.equals_itself": per_op(
        "equal less_equal greater_equal", lambda v, f: getattr(v, f)(v.x, v.x)
    ),
    "identity_rules.integers_cancel": [lambda v: v.sub(v.x, v.x)],
    "identity_rules.times_integer_zero": [lambda v: v.mul(v.x, 0.0)],
    "fold_padding.into_window": [
        lambda v: v.max_pool(
            v.pad(v.p, low=[0, 0, 1, 1], high=[0, 0, 0, 1], value=0),
            kernel=[2, 2], strides=[1, 1], dilations=[1, 1], pads=[0] * 4,
        )
    ],
    "hoist_movement.grow_after_movement": [
        lambda v: v.transpose(v.cast(v.neg(v.m), type="i1"), permutation=[1, 0])
    ],
    "hoist_movement.shrink_before_movement": [
        lambda v: v.cast(v.transpose(v.less(v.m, 0.0), permutation=[1, 0]), type="f32")
    ],
    "constant_rules.combine_constants": [
        *[lambda v, c=c: v.mul(v.mul(v.x, c), c) for c in (HUGE, TINY)],
        lambda v: v.add(v.add(v.x, LARGE), LARGE),
    ],
    "constant_rules.both_chained": [
        lambda v: v.mul(v.mul(v.x, HUGE), v.mul(v.y, HUGE)),
        lambda v: v.add(v.add(v.x, LARGE), v.add(v.y, LARGE)),
    ],
    "constant_rules.after_inverse": [
        lambda v: v.mul(v.div(v.scalar(HUGE, v.x), v.x), HUGE),
        lambda v: v.add(v.sub(v.scalar(LARGE, v.x), v.x), LARGE),
    ],
    "constant_rules.inverse_of_direct": [
        lambda v: v.div(v.scalar(TINY, v.x), v.mul(v.x, HUGE)),
        lambda v: v.sub(v.scalar(LARGE, v.x), v.add(v.x, -LARGE)),
    ],
    "constant_rules.inverse_of_inverse": [
        lambda v: v.div(v.scalar(HUGE, v.x), v.div(v.scalar(TINY, v.x), v.x)),
        lambda v: v.sub(v.scalar(LARGE, v.x), v.sub(v.scalar(-LARGE, v.x), v.x)),
    ],
    "simplify_algebra.common_factor": [lambda v: v.add(v.mul(v.x, LARGE), v.mul(v.x, LARGE / 2))],
    "fold_scale.into_weights": [lambda v: v.mul(v.matmul(v.m, v.full(HUGE, 6, 2)), HUGE)],
    "reassociate_constants.factor_before_product": [lambda v: v.matmul(v.mul(v.m, HUGE), v.full(HUGE, 6, 2))],
    **{
        f"simplify_broadcasts.{rule}": per_op(
            names, lambda v, f: v.reduce(f, v.expand(v.one, shape=[0, 6]), 0, keepdims=False)
        )
        for rule, names in (("extreme", "max min"), ("mean", "mean"), ("sum", "sum"))
        for rule in (f"{rule}_of_expanded",)
    },
}  # fmt: skip
