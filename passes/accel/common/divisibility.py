"""What an index is surely a multiple of: how wide an access may be."""

from __future__ import annotations

import math
from collections.abc import Callable

from mlc.bindings import ir

# Zero is a multiple of everything.
ANYTHING = 1 << 30


def multiple_of(value: ir.Value) -> int:
    """The largest number known to divide `value`, an index."""
    if isinstance(value, ir.BlockArgument):
        return _of_argument(value)
    op = value.owner.operation if not isinstance(value.owner, ir.Operation) else value.owner
    if op.name == "arith.constant":
        return abs(ir.IntegerAttr(op.attributes["value"]).value) or ANYTHING
    rule = _RULES.get(op.name)
    return rule(*map(multiple_of, op.operands)) if rule else 1


def _of_argument(value: ir.BlockArgument) -> int:
    """Of a loop's counter: of its first value and its step."""
    loop = value.owner.owner.operation
    if loop.name != "scf.for" or value.arg_number != 0:
        return 1
    return math.gcd(multiple_of(loop.operands[0]), multiple_of(loop.operands[2]))


def product(a: int, b: int) -> int:
    """What divides a product, of what divides the factors."""
    return a * b if a * b < ANYTHING else math.gcd(a * b, ANYTHING)


_RULES: dict[str, Callable[..., int]] = {
    **dict.fromkeys(("arith.addi", "arith.subi"), math.gcd),
    **dict.fromkeys(("arith.maxsi", "arith.maxui", "arith.minsi", "arith.minui"), math.gcd),
    # What is left of a number that both divide, and of the other one.
    **dict.fromkeys(("arith.remsi", "arith.remui"), math.gcd),
    **dict.fromkeys(("arith.index_cast", "arith.index_castui"), lambda a: a),
    "arith.muli": product,
    "arith.select": lambda _condition, a, b: math.gcd(a, b),
}
