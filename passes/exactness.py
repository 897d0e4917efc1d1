"""Classes of exactness: a rule declares what it may do to results.

`exact`: the same bits, infinities, denormals and the sign of zero included; NaN stays NaN, of any payload.
`rounding`: the same up to the rounding of a few operations (reassociation, folding of factors) and the sign
of zero, barring overflow on the way; on by default. `approximate`: assumes something about the values (no
NaN, no infinity, no negative value) or loses precision; only on request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mlc.passes.options import option

CLASSES = ("exact", "rounding", "approximate")

_Rule = TypeVar("_Rule", bound=Callable[..., Any])


def exactness_option() -> Any:
    """Declares the option of passes whose rules are of several classes: the worst that they apply."""
    return option("rounding", name="exactness", help="what rules may do to results", choices=CLASSES)


def rounding(rule: _Rule) -> _Rule:
    """Declares that a rule changes results by rounding."""
    rule.exactness = "rounding"  # type: ignore[attr-defined]  # functions take attributes
    return rule


def approximate(rule: _Rule) -> _Rule:
    """Declares that a rule needs assumptions about values, or loses precision."""
    rule.exactness = "approximate"  # type: ignore[attr-defined]  # functions take attributes
    return rule


def exactness_of(rule: Callable[..., Any]) -> str:
    """Returns the class of a rule or of what it wraps; `exact` unless declared otherwise."""
    while not hasattr(rule, "exactness") and hasattr(rule, "__wrapped__"):
        rule = rule.__wrapped__
    return str(getattr(rule, "exactness", "exact"))


def is_allowed(rule: Callable[..., Any], limit: str) -> bool:
    """Whether a rule is within the class `limit`."""
    return CLASSES.index(exactness_of(rule)) <= CLASSES.index(limit)
