"""Cells of elementwise operators, and of those that move elements: Transpose, Gather, Concat, Pad, Slice."""

from __future__ import annotations

import math
from random import Random

import numpy as np

from bench.sweep.cell import Cell, extents, log_uniform, some_axes, text

ELEMENTS = (1e3, 3e6)
UNARY = (
    "Relu",
    "Sigmoid",
    "Tanh",
    "Exp",
    "Erf",
    "Gelu",
    "Elu",
    "HardSwish",
    "Mish",
    "Softplus",
    "Sin",
    "Abs",
)
BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu")


def unary(random: Random) -> Cell:
    """Draws an elementwise operator of one operand."""
    operator = random.choice(UNARY)
    shape = _shape(random)
    name = f"{operator} of {text(shape)}"
    return Cell("unary", name, operator, {"x": shape}, open_axes={"x": some_axes(random, len(shape))})


def binary(random: Random) -> Cell:
    """Draws an elementwise operator of two operands, of which the second may be broadcast."""
    operator = random.choice(BINARY)
    shape = _shape(random)
    other = tuple(1 if random.random() < 0.4 else extent for extent in shape)
    other = other[random.choice((0, 0, len(shape) - 1)) :]
    name = f"{operator} of {text(shape)} and {text(other)}"
    axes = some_axes(random, len(shape))
    # The same axes, counted from the last, of those that are not broadcast.
    shift = len(shape) - len(other)
    others = [axis - shift for axis in axes if axis >= shift and other[axis - shift] > 1]
    return Cell("binary", name, operator, {"x": shape, "z": other}, open_axes={"x": axes, "z": others})


def transpose(random: Random) -> Cell:
    """Draws a transpose that changes the order of the axes longer than 1."""
    while True:
        shape = _shape(random, (2, 3, 4, 4, 5))
        order = random.sample(range(len(shape)), len(shape))
        longer = [axis for axis in order if shape[axis] > 1]
        if longer != sorted(longer):
            break
    name = f"of {text(shape)} to {order}"
    inputs = {"x": shape}
    return Cell(
        "transpose", name, "Transpose", inputs, {}, {"perm": order}, {"x": some_axes(random, len(shape))}
    )


def gather(random: Random) -> Cell:
    """Draws a gather of rows, or of elements."""
    shape = _shape(random, (2, 2, 3, 4))
    axis = random.choice((0, 0, random.randrange(len(shape))))
    axes = some_axes(random, len(shape))
    if random.random() < 0.3:
        count = max(1, round(shape[axis] * random.choice((0.25, 1, 2))))
        indices = (*shape[:axis], count, *shape[axis + 1 :])
        operator = "GatherElements"
        opened = {"x": axes, "indices": axes}
    else:
        row = math.prod(shape) // shape[axis]
        count = max(1, min(round(log_uniform(random, 1, 1000)), 3_000_000 // row))
        indices = (count,) if random.random() < 0.6 else (random.choice((1, 2, 4)), count)
        operator = "Gather"
        opened = {"x": axes, "indices": some_axes(random, len(indices))}
    name = f"{operator} of {text(shape)} along {axis} by {text(indices)}"
    inputs = {"x": shape, "indices": indices}
    below = {"indices": shape[axis]}
    return Cell("gather", name, operator, inputs, {}, {"axis": axis}, opened, below)


def concat(random: Random) -> Cell:
    """Draws the concatenation of two to four inputs along an axis."""
    shape = _shape(random, (2, 3, 4))
    axis, count = random.randrange(len(shape)), random.choice((2, 2, 3, 4))
    inputs = {f"x{i}": shape for i in range(count)}
    axes = some_axes(random, len(shape))
    name = f"of {count} of {text(shape)} along {axis}"
    return Cell("concat", name, "Concat", inputs, {}, {"axis": axis}, dict.fromkeys(inputs, axes))


def pad(random: Random) -> Cell:
    """Draws a pad of the last one or two axes."""
    shape = _shape(random, (2, 3, 4))
    mode = random.choice(("constant", "constant", "reflect", "edge"))
    amounts = [0] * len(shape)
    for axis in range(-min(2, len(shape)), 0):
        amounts[axis] = random.choice((0, 1, 2, 5)) if mode != "reflect" or shape[axis] > 5 else 0
    name = f"{mode} of {text(shape)} by {amounts}"
    weights = {"pads": np.array(amounts * 2)}
    inputs = {"x": shape}
    return Cell("pad", name, "Pad", inputs, weights, {"mode": mode}, {"x": some_axes(random, len(shape))})


def slices(random: Random) -> Cell:
    """Draws a slice of some axes, with steps of 1, 2, 3 or -1."""
    shape = _shape(random, (2, 3, 4))
    axes = sorted(random.sample(range(len(shape)), random.choice((1, 2))))
    steps = [random.choice((1, 1, 2, 3, -1)) for _ in axes]
    starts = [
        shape[a] - 1 if s < 0 else random.randrange(max(1, shape[a] // 3))
        for a, s in zip(axes, steps, strict=True)
    ]
    ends = [-(2**31) if s < 0 else 2**31 for s in steps]
    name = f"of {text(shape)} along {axes} from {starts} by {steps}"
    weights = {
        "starts": np.array(starts),
        "ends": np.array(ends),
        "axes": np.array(axes),
        "steps": np.array(steps),
    }
    return Cell("slice", name, "Slice", {"x": shape}, weights, {}, {"x": some_axes(random, len(shape))})


def _shape(random: Random, ranks: tuple[int, ...] = (1, 2, 3, 4)) -> tuple[int, ...]:
    return tuple(extents(random, random.choice(ranks), log_uniform(random, *ELEMENTS)))
