"""Whether rows that lie apart from each other stay in the second cache."""

from __future__ import annotations

from math import gcd

from mlc.targets import Target

# Lines with one place in a way share the ways of a set; processors' second caches have 8 to 20.
WAYS = 16


def stays_in_l2(rows: int, stride: int, target: Target) -> bool:
    """Whether two operands of `rows` rows, `stride` bytes from row to row, stay in the second cache, of which
    they take what lies between the rows, too, so far as no other row falls there."""
    return 2 * rows * gcd(stride, target.l2 // WAYS) <= target.l2
