"""Ops on which each rule applies, by the rule's name: the last op built is the one that it rewrites."""

from __future__ import annotations

from examples_algebra import ALGEBRA
from examples_arithmetic import CONSTANTS, STRENGTH
from examples_broadcasts import BROADCASTS
from examples_left import LEFT
from examples_movement import EMPTY, MOVEMENT
from rule_example import Example, Examples

__all__ = ["EXAMPLES", "LEFT", "Example"]

EXAMPLES: Examples = {**MOVEMENT, **EMPTY, **ALGEBRA, **STRENGTH, **CONSTANTS, **BROADCASTS}
