"""The mutators with their weights, and their application to a case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from onnx.defs import SchemaError
from onnx.shape_inference import InferenceError

from mlc.tools.fuzz import node_mutators, shape_mutators, value_mutators
from mlc.tools.fuzz.case import FuzzCase, is_small
from mlc.tools.fuzz.random_draws import pick
from mlc.tools.fuzz.seeds import Seeds

Mutator = Callable[[np.random.Generator, FuzzCase, Seeds], FuzzCase | None]


def _of_data(mutator: Callable[[np.random.Generator, FuzzCase], FuzzCase | None]) -> Mutator:
    return lambda rng, case, _seeds: mutator(rng, case)


# Name -> mutator, weight.
MUTATORS: dict[str, tuple[Mutator, int]] = {
    "change-extent": (_of_data(shape_mutators.change_extent), 6),
    "empty-extent": (_of_data(shape_mutators.empty_extent), 1),
    "change-dim": (_of_data(shape_mutators.change_dim), 2),
    "broadcast": (_of_data(shape_mutators.broadcast), 3),
    "add-dim": (_of_data(shape_mutators.add_dim), 2),
    "all-scalars": (_of_data(shape_mutators.all_scalars), 1),
    "redraw": (_of_data(value_mutators.redraw), 2),
    "extreme-values": (_of_data(value_mutators.extreme_values), 3),
    "not-finite": (_of_data(value_mutators.not_finite), 2),
    "equal-values": (_of_data(value_mutators.equal_values), 1),
    "scaled": (_of_data(value_mutators.scale_values), 1),
    "fix-inputs": (_of_data(value_mutators.fix_inputs), 2),
    "change-type": (_of_data(value_mutators.change_type), 5),
    "change-attribute": (node_mutators.change_attribute, 6),
    "drop-attribute": (node_mutators.drop_attribute, 2),
    "skip-input": (node_mutators.skip_input, 2),
    "skip-output": (node_mutators.skip_output, 1),
    "change-opset": (node_mutators.change_opset, 2),
}
_BAG = [name for name, (_, weight) in MUTATORS.items() for _ in range(weight)]


def mutate(rng: np.random.Generator, case: FuzzCase, seeds: Seeds) -> FuzzCase:
    """Returns the case after one mutation that applies; the case itself if none of a few draws applies."""
    for _ in range(8):
        name = pick(rng, _BAG)
        try:
            changed = MUTATORS[name][0](rng, case, seeds)
        except _WRONG:
            continue
        if changed is not None and changed is not case and is_small(changed):
            return replace(changed, steps=(*case.steps, name))
    return case


# Exceptions of ONNX's schemas and shape inference for invalid cases, and of NumPy for values out of range.
_WRONG = (SchemaError, InferenceError, ValueError, OverflowError, TypeError, RuntimeError)
