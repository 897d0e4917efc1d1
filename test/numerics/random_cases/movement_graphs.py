"""Random models that move data more than they compute: transposes, slices, padding, concatenations."""

from __future__ import annotations

import numpy as np
from random_graphs import LARGEST, RandomGraph


class MovementGraph(RandomGraph):
    """A random model of images of few channels, with the movement around its ops that exporters leave."""

    def random_shape(self) -> tuple[int, ...]:
        return (self.integer(1, 2), self.integer(2, 8), self.integer(4, 9), self.integer(4, 9))

    def grow(self) -> None:
        """One more op, or a few that belong together; tries until they fit."""
        before = len(self.nodes)
        while len(self.nodes) == before:
            self.choice((self.unary, self.binary, self.channels_last, self.channels_last, self.padded_window,
                         self.padded_window, self.split, self.split_groups, self.crop, self.crop,
                         self.transpose, self.concat, self.slice, self.reduce, self.gather, self.matmul,
                         self.normalise, self.reshape, self.pad))()  # fmt: skip

    def channels_last(self) -> None:
        """An op on a transposed value, and the transpose back."""
        x = self.value(lambda shape: len(shape) >= 3)
        if x is None:
            return
        rank = len(self.values[x])
        there = [0, *range(2, rank), 1]
        back = [0, rank - 1, *range(1, rank - 1)]
        self._permute(x, there)
        self.choice((self.unary, self.binary, self.normalise, self.pad))()
        y = list(self.values)[-1]
        if len(self.values[y]) == rank:
            self._permute(y, back if self.integer(0, 3) else there)

    def _permute(self, x: str, order: list[int]) -> None:
        self.node("Transpose", [x], tuple(self.values[x][axis] for axis in order), perm=order)

    def padded_window(self) -> None:
        """A pad before a pool or a convolution, sometimes with an activation before it."""
        x = self.value(lambda shape: len(shape) == 4 and min(shape[2:]) >= 3)
        if x is None:
            return
        if self.integer(0, 1):
            self.node("Relu", [x], self.values[x])
            x = list(self.values)[-1]
        # ONNX Runtime folds them, too, but accepts no padding of the size of the window.
        pads = [0, 0, *self.rng.integers(0, 2, 2), 0, 0, *self.rng.integers(0, 2, 2)]
        shape = tuple(int(dim + pads[i] + pads[4 + i]) for i, dim in enumerate(self.values[x]))
        value = self.choice((0.0, 0.0, -np.inf, 0.5))
        op_name = self.choice(("MaxPool", "AveragePool", "Conv"))
        if np.isinf(value) and op_name != "MaxPool":
            value = 0.0
        operands = [x, self.constant(np.array(pads, np.int64)), self.constant(np.float32(value))]
        self.node("Pad", operands, shape)
        x = list(self.values)[-1]
        own = [self.integer(0, 1) for _ in range(4)]
        stride = self.integer(1, 2)
        positions = tuple((dim + own[i] + own[2 + i] - 3) // stride + 1 for i, dim in enumerate(shape[2:]))
        attributes = {"kernel_shape": [3, 3], "pads": own, "strides": [stride, stride]}
        if op_name == "Conv":
            weights = self.weights(4, shape[1], 3, 3, scale=(9 * shape[1]) ** -0.5)
            self.node(op_name, [x, weights], (shape[0], 4, *positions), **attributes)
            return
        if op_name == "AveragePool":
            attributes["count_include_pad"] = self.integer(0, 1)
        self.node(op_name, [x], (*shape[:2], *positions), **attributes)

    def _parts(self, x: str, axis: int, count: int) -> list[str]:
        """Equal slices of x, in order."""
        shape, names = self.values[x], []
        size = shape[axis] // count
        for index in range(count):
            bounds = [[index * size], [(index + 1) * size], [axis]]
            operands = [self.constant(np.array(bound)) for bound in bounds]
            self.node("Slice", [x, *operands], (*shape[:axis], size, *shape[axis + 1 :]))
            names.append(list(self.values)[-1])
        return names

    def split(self) -> None:
        """The same op on the parts of a value, joined again, sometimes in another order."""
        x = self.value(lambda shape: any(dim % 2 == 0 for dim in shape))
        if x is None:
            return
        axis = next(axis for axis, dim in enumerate(self.values[x]) if dim % 2 == 0)
        op, results = self.choice(("Relu", "Tanh", "Mul", "Add")), []
        for part in self._parts(x, axis, 2):
            shape = self.values[part]
            operands = [part, self.weights(*shape[axis:])] if op in ("Mul", "Add") else [part]
            self.node(op, operands, shape)
            results.append(list(self.values)[-1])
        if self.integer(0, 3) == 0:
            results.reverse()
        self.node("Concat", results, self.values[x], axis=axis)

    def split_groups(self) -> None:
        """A grouped convolution as one per group, with biases and activations."""
        x = self.value(lambda shape: len(shape) == 4 and shape[1] % 2 == 0)
        if x is None:
            return
        activation, results = self.integer(0, 1), []
        for part in self._parts(x, 1, 2):
            channels, *positions = self.values[part][1:]
            operands = [part, self.weights(3, channels, 1, 1), *([self.weights(3)] if activation else [])]
            self.node("Conv", operands, (self.values[x][0], 3, *positions))
            if activation:
                self.node("Relu", [list(self.values)[-1]], (self.values[x][0], 3, *positions))
            results.append(list(self.values)[-1])
        self.node("Concat", results, (self.values[x][0], 6, *self.values[x][2:]), axis=1)

    def crop(self) -> None:
        """A few elements along an axis of what a chain of ops computes, the only ones that are read."""
        x = self.value(lambda shape: len(shape) >= 2 and np.prod(shape) <= LARGEST // 4)
        if x is None:
            return
        for _ in range(self.integer(1, 3)):
            x = list(self.values)[-1] if len(self.values[list(self.values)[-1]]) >= 2 else x
            self.choice((self.unary, self.binary, self.normalise, self.matmul, self.conv, self.pool))()
        x = list(self.values)[-1]
        shape = self.values[x]
        axis = self.integer(0, len(shape) - 1) if shape else 0
        if not shape:
            return
        if self.integer(0, 1):
            index = self.integer(-shape[axis], shape[axis] - 1)
            self.node(
                "Gather", [x, self.constant(np.array(index))], shape[:axis] + shape[axis + 1 :], axis=axis
            )
            return
        start = self.integer(0, shape[axis] - 1)
        operands = [self.constant(np.array([value])) for value in (start, shape[axis], axis)]
        self.node("Slice", [x, *operands], (*shape[:axis], shape[axis] - start, *shape[axis + 1 :]))
