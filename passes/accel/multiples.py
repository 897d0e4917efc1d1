"""What an index is surely a multiple of: how wide an access may be."""

from __future__ import annotations

import math

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


_RULES = {
    "arith.addi": math.gcd,
    "arith.subi": math.gcd,
    "arith.minui": math.gcd,
    "arith.minsi": math.gcd,
    "arith.muli": lambda a, b: min(a * b, ANYTHING),
}
