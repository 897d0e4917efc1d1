"""Dynamic sizes: polynomials with integer coefficients over named dims.

    batch, seq = symbol("batch"), symbol("seq")
    batch * seq * 768 // 12 == 64 * seq * batch      # True: both are "64*batch*seq"

Named dims are at least 0. Equal sizes have one form, so that `==` compares them; a size without names is a
plain int. Quotients that do not divide, maxima and broadcast dims are factors like names. Comparisons such
as `<` answer from bounds, and raise `Undecided` where these do not decide.
"""

from mlc.dialects.graph.sizes.evaluation import evaluate, operation, product, substitute
from mlc.dialects.graph.sizes.extrema import broadcast, maximum, minimum

from .assumptions import RELATIONS, Requirement, assume, assumptions, differ, falls_below
from .bounds import always_less, always_unequal, lower_bound
from .quotients import exact_quotient, floordiv
from .size import Name, Size, SizeFunction, Undecided, is_long, name_of, symbol

__all__ = [
    "RELATIONS",
    "Name",
    "Requirement",
    "Size",
    "SizeFunction",
    "Undecided",
    "always_less",
    "always_unequal",
    "assume",
    "assumptions",
    "broadcast",
    "differ",
    "evaluate",
    "exact_quotient",
    "falls_below",
    "floordiv",
    "is_long",
    "lower_bound",
    "maximum",
    "minimum",
    "name_of",
    "operation",
    "product",
    "substitute",
    "symbol",
]
