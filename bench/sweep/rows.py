"""Cells of products, and of operators that reduce rows: reductions, softmax, norms."""

from __future__ import annotations

from random import Random

import numpy as np

from bench.sweep.cell import Cell, extent, extents, log_uniform, some_axes, text, weight

CALL_FLOP = (1e5, 3e8)
ELEMENTS = (1e3, 3e6)
REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2", "ReduceMin", "ReduceLogSumExp")


def product(random: Random) -> Cell:
    """Draws a product: by weights from the right or the left, or of two inputs, also of several matrices."""
    variant = random.choice(("right", "right", "left", "batched", "batched", "vector"))
    flop = log_uniform(random, *CALL_FLOP)
    batch = random.choice((1, 2, 4, 12)) if variant == "batched" else 1
    rows = 1 if variant == "vector" else extent(random, 2, 512)
    depth = extent(random, 4, 2048 if variant != "batched" else 256)
    columns = min(max(1, round(flop / (2 * batch * rows * depth))), 4096)
    name = f"{variant} {batch}x{rows}x{depth}x{columns}"
    if variant == "batched":
        inputs = {"x": (batch, rows, depth), "z": (batch, depth, columns)}
        open_axes = random.choice(({}, {"x": [1]}, {"z": [2]}, {"x": [2], "z": [1]}, {"x": [1], "z": [2]}))
        return Cell("product", name, "MatMul", inputs, open_axes=open_axes)
    if variant == "left":
        operands, weights = {"x": (depth, columns)}, {"w": weight(random, (rows, depth))}
        return Cell(
            "product", name, "MatMul", operands, weights, {}, {"x": random.choice(([], [1]))}, {}, ["w", "x"]
        )
    weights = {"w": weight(random, (depth, columns))}
    return Cell("product", name, "MatMul", {"x": (rows, depth)}, weights, {}, {"x": random.choice(([], [0]))})


def reduction(random: Random) -> Cell:
    """Draws a reduction along one axis, or along several."""
    operator = random.choice(REDUCTIONS)
    rank = random.choice((2, 3, 3, 4))
    shape = extents(random, rank, log_uniform(random, *ELEMENTS))
    axes = sorted(random.sample(range(rank), random.choice((1, 1, 1, 2, min(3, rank)))))
    attributes = {"keepdims": random.choice((0, 1))}
    name = f"{operator} of {text(shape)} along {axes}"
    weights = {"axes": np.array(axes)}
    return Cell(
        "reduction", name, operator, {"x": tuple(shape)}, weights, attributes, {"x": some_axes(random, rank)}
    )


def softmax(random: Random) -> Cell:
    """Draws a softmax, most along the last axis."""
    operator = random.choice(("Softmax", "Softmax", "Softmax", "LogSoftmax"))
    rank = random.choice((2, 3, 4))
    shape = extents(random, rank, log_uniform(random, *ELEMENTS))
    axis = random.choice((rank - 1, rank - 1, random.randrange(rank)))
    name = f"{operator} of {text(shape)} along {axis}"
    inputs = {"x": tuple(shape)}
    return Cell("softmax", name, operator, inputs, {}, {"axis": axis}, {"x": some_axes(random, rank)})


def norm(random: Random) -> Cell:
    """Draws a layer, group or instance norm, or a batch norm alone."""
    operator = random.choice(("LayerNormalization", "LayerNormalization", "InstanceNormalization"))
    elements = log_uniform(random, *ELEMENTS)
    channels = extent(random, 4, min(2048, max(5, round(elements / 8))))
    ones = {
        "scale": np.ones(channels, np.float32) + weight(random, (channels,)),
        "bias": weight(random, (channels,)),
    }
    if operator == "LayerNormalization":
        shape = [*extents(random, random.choice((1, 2)), elements / channels), channels]
        open_axes = random.choice(([], [0], list(range(len(shape) - 1))))
        name = f"{operator} of {text(shape)}"
        return Cell("norm", name, operator, {"x": tuple(shape)}, ones, {"axis": -1}, {"x": open_axes})
    image = extents(random, random.choice((1, 2, 2, 3)), elements / channels)
    shape = [random.choice((1, 1, 2)), channels, *image]
    open_axes = random.choice(([], list(range(2, len(shape)))))
    name = f"{operator} of {text(shape)}"
    return Cell("norm", name, operator, {"x": tuple(shape)}, ones, {}, {"x": open_axes})
