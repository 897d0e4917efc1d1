"""graph-recognize-idioms: what exporters took apart becomes one op again. The rules are in `*_idioms.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.exactness import exactness_option
from mlc.passes.graph.common.rules import apply_rules, join_tables
from mlc.passes.graph.idioms import (
    activation_idioms,
    attention_idioms,
    normalisation_idioms,
    rotary_idioms,
    softmax_idioms,
)
from mlc.passes.graph.simplify import bound_rules

RULES = join_tables(
    activation_idioms.RULES,
    bound_rules.CLAMPS,
    softmax_idioms.RULES,
    normalisation_idioms.RULES,
    rotary_idioms.RULES,
    attention_idioms.RULES,
)


@dataclass(frozen=True)
class RecognizeIdioms(Pass):
    """Recognise what exporters took apart.

    Activations (GELU by erf, tanh and sigmoid, SiLU, Mish, softplus, hard sigmoid and swish, clamps),
    LayerNorm and RMSNorm, softmax and its logarithm, rotary embedding, attention with and without mask.
    """

    name: ClassVar[str] = "graph-recognize-idioms"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
