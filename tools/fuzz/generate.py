"""Generates the case with an index: the same one for the same seed, seed cases, variants and families."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mlc.tools.fuzz.case import FuzzCase
from mlc.tools.fuzz.chains import chain_of
from mlc.tools.fuzz.exported.families import exported_case
from mlc.tools.fuzz.mutators import mutate
from mlc.tools.fuzz.random_draws import pick
from mlc.tools.fuzz.seeds import Seeds
from mlc.tools.fuzz.value_mutators import fix_settings

NODES = "nodes"  # the family of mutated node cases and chains of them
_CHAINS = 0.35  # share of cases that are chains
_SETTINGS_FIXED = 0.8  # share of cases whose sizes and axes are constants: others cannot be compiled


def case_of(
    seed: int, index: int, seeds: Seeds, variants: Sequence[str], families: Sequence[str] = (NODES,)
) -> FuzzCase:
    """Generates a case, of the variants and families in turn. Raises what ONNX's shape inference raises for
    several draws in sequence."""
    rng = np.random.default_rng([seed, index])
    family = families[index // len(variants) % len(families)]
    case = _of_nodes(rng, seeds) if family == NODES else exported_case(rng, family)
    return replace(case, variant=variants[index % len(variants)])


def _of_nodes(rng: np.random.Generator, seeds: Seeds) -> FuzzCase:
    """Draws a node or a chain of nodes. A node is mutated one to four times, a chain up to twice."""
    with np.errstate(all="ignore"):
        case = None
        if rng.random() < _CHAINS:
            case, rounds = chain_of(rng, seeds), int(rng.integers(3))
        if case is None or not case.nodes:
            case, rounds = _node(rng, seeds), int(rng.integers(1, 5))
        for _ in range(rounds):
            case = mutate(rng, case, seeds)
        if rng.random() < _SETTINGS_FIXED:
            case = fix_settings(rng, case)
    return case


def _node(rng: np.random.Generator, seeds: Seeds) -> FuzzCase:
    """Draws a seed case, uniformly by operator."""
    found = defaultdict(list)
    for case in seeds.cases:
        found[case.nodes[0].op_type].append(case)
    return pick(rng, found[pick(rng, list(found))])
