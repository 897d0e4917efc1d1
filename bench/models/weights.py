"""Random weights by the role of a parameter in its node.

Weights of convolutions and matrix products follow He et al., "Delving Deep into Rectifiers" (2015):
normal with variance 2 / fan-in, which keeps the scale of activations through ReLU layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def initialise(
    nodes: Sequence[onnx.NodeProto], shapes: Mapping[str, tuple[int, ...]], seed: int
) -> dict[str, np.ndarray]:
    """Draws values for the parameters named in `shapes`, in the order in which `nodes` use them.

    Raises ValueError for an operator whose parameters have no known role.
    """
    # A separate stream: inputs are drawn from `default_rng(seed)`, and must not equal the first weights.
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    values: dict[str, np.ndarray] = {}
    for node in nodes:
        for position, name in enumerate(node.input):
            if name in shapes and name not in values:
                values[name] = _draw(node, position)(generator, shapes[name]).astype(np.float32, copy=False)
    return values


def _draw(node: onnx.NodeProto, position: int) -> Draw:
    if node.op_type == "Gemm" and position == 1:
        return _he(fan_in_axes=slice(1, None) if _is_transposed(node) else slice(0, 1))
    role = _ROLES.get((node.op_type, position)) or _ROLES.get((node.op_type, None))
    if role is None:
        raise ValueError(
            f"operand {position} of {node.op_type} node '{node.name}' has no known initialisation"
        )
    return role


def _is_transposed(node: onnx.NodeProto) -> bool:
    return any(a.name == "transB" and a.i for a in node.attribute)


def _he(fan_in_axes: slice) -> Draw:
    return lambda generator, shape: _normal(math.sqrt(2 / math.prod(shape[fan_in_axes])))(generator, shape)


def _normal(deviation: float) -> Draw:
    return lambda generator, shape: generator.standard_normal(shape, np.float32) * np.float32(deviation)


def _uniform(low: float, high: float) -> Draw:
    return lambda generator, shape: generator.uniform(low, high, shape)


def _constant(value: float) -> Draw:
    return lambda _, shape: np.full(shape, value)


# (operator, operand) -> distribution; operand None stands for any. Mean and variance of a batch
# normalisation are measured later (`calibrate`), so they start as the identity.
_ROLES: dict[tuple[str, int | None], Draw] = {
    ("Conv", 1): _he(fan_in_axes=slice(1, None)),
    ("Conv", 2): _normal(0.05),
    ("Gemm", 2): _normal(0.05),
    ("BatchNormalization", 1): _uniform(0.5, 1.5),
    ("BatchNormalization", 2): _normal(0.1),
    ("BatchNormalization", 3): _constant(0.0),
    ("BatchNormalization", 4): _constant(1.0),
    ("Mul", None): _uniform(0.8, 1.2),
    ("Add", None): _normal(0.1),
}
