"""Patterns for the rules of data movement."""

from __future__ import annotations

import numpy as np
from pattern_base import PatternBase
from random_graphs import DIMS, LARGEST


class MovementPatterns(PatternBase):
    """Movement that cancels, that can be done earlier or later, or that is none."""

    def transposed_chain(self) -> None:
        """Transpose, elementwise ops, transpose: back to where it was, or elsewhere."""
        x = self.value_of_rank(2)
        if x is None:
            return
        order = [int(axis) for axis in self.rng.permutation(len(self.values[x]))]
        x = self.permute(x, *order)
        for _ in range(self.integer(0, 2)):
            op = self.choice(("Relu", "Tanh", "Mul", "Max"))
            if op in ("Mul", "Max"):
                dims = self.values[x][self.integer(0, len(order)) :]
                x = self.add(op, x, self.weights(*dims))
            else:
                x = self.add(op, x)
        back = [int(axis) for axis in np.argsort(order)]
        if self.integer(0, 3) == 0:
            self.rng.shuffle(back)
        self.permute(x, *back)

    def reshapes(self) -> None:
        """Reshapes with elementwise ops between them."""
        x = self.value()
        count = int(np.prod(self.values[x]))
        factors = [dim for dim in DIMS if count % dim == 0]
        for _ in range(self.integer(1, 3)):
            factor = int(self.choice(factors))
            x = self.reshape_to(x, *((factor, count // factor) if self.integer(0, 2) else (count,)))
            if self.integer(0, 1):
                x = self.add(self.choice(("Tanh", "Relu", "Neg")), x)

    def squeezes(self) -> None:
        x = self.value_of_rank(0, 3)
        if x is None:
            return
        axis = self.integer(0, len(self.values[x]))
        shape = self.values[x]
        x = self.add("Unsqueeze", x, self.ints(axis), shape=(*shape[:axis], 1, *shape[axis:]))
        if self.integer(0, 1):
            x = self.add("Sigmoid", x)
        self.add("Squeeze", x, self.ints(axis), shape=shape)

    def split_and_joined(self) -> None:
        """Parts of a value, some changed, put together again in their order or another."""
        x = self.value_of_rank(1)
        if x is None:
            return
        shape = self.values[x]
        axis = self.integer(0, len(shape) - 1)
        if shape[axis] < 2:
            return
        at = self.integer(1, shape[axis] - 1)
        parts = [self.part(x, axis, 0, at), self.part(x, axis, at, shape[axis])]
        if self.integer(0, 1):
            parts[0] = self.add("Neg", parts[0])
        if self.integer(0, 2) == 0:
            parts.append(self.part(x, axis, at, at))
        if self.integer(0, 1):
            parts.reverse()
        joined = self.add("Concat", *parts, shape=shape, axis=axis)
        if self.integer(0, 1):
            self.part(joined, axis, 0, at)

    def slices(self) -> None:
        """A part of a part, with an elementwise op between them."""
        x = self.value_of_rank(1)
        if x is None:
            return
        for _ in range(2):
            axis = self.integer(0, len(self.values[x]) - 1)
            start = self.integer(0, self.values[x][axis] - 1)
            x = self.part(x, axis, start, self.integer(start + 1, self.values[x][axis]))
            x = self.add(self.choice(("Identity", "Relu", "Tanh")), x)

    def broadcast(self) -> None:
        """An explicit expansion before an op that broadcasts by itself."""
        x = self.value_of_rank(1, 3)
        if x is None:
            return
        shape = self.values[x]
        small = self.weights(*[1] * (len(shape) - 1), shape[-1])
        wide = self.add("Expand", small_value := self.add("Tanh", self.keep(small, shape)),
                        self.ints(*shape), shape=shape)  # fmt: skip
        self.add(self.choice(("Add", "Mul")), x, wide if self.integer(0, 2) else small_value)

    def expansions(self) -> None:
        """Functions, reductions, products and further copies of an expanded value."""
        x = self.value(lambda shape: 1 <= len(shape) <= 3 and np.prod(shape) <= LARGEST // 8)
        if x is None:
            return
        shape = self.values[x]
        wide = (2, *shape)
        y = self.add("Expand", x, self.ints(*wide), shape=wide)
        match self.integer(0, 5):
            case 0:
                self.add(self.choice(("Tanh", "Neg", "Sigmoid")), y)
            case 1:
                op = self.choice(("ReduceSum", "ReduceMean", "ReduceMax"))
                self.add(op, y, self.ints(0), shape=shape, keepdims=0)
            case 2:
                self.add("Expand", y, self.ints(3, *wide), shape=(3, *wide))
            case 3:
                self.add("MatMul", y, self.weights(shape[-1], 3), shape=(*wide[:-1], 3))
            case 4:
                self.permute(y, *reversed(range(len(wide))))
            case _:
                self.part(y, 1, 0, 1)

    def tiles(self) -> None:
        x = self.value(lambda shape: len(shape) >= 1 and np.prod(shape) <= LARGEST // 8)
        if x is None:
            return
        for _ in range(2):
            repeats = [1] * len(self.values[x])
            repeats[self.integer(0, len(repeats) - 1)] = self.integer(1, 2)
            shape = tuple(a * b for a, b in zip(self.values[x], repeats, strict=True))
            x = self.add("Tile", x, self.ints(*repeats), shape=shape)

    def empty(self) -> None:
        """Work on nothing, whose result is something."""
        x = self.value_of_rank(2)
        if x is None:
            return
        shape = self.values[x]
        nothing = self.add_hidden("Slice", x, self.ints(0), self.ints(0), self.ints(len(shape) - 1))
        match self.integer(0, 2):
            case 0:
                zeros = self.add_hidden(
                    "MatMul", nothing, self.constant(np.zeros((0, shape[-1]), np.float32))
                )
                self.add("Add", x, zeros)
            case 1:
                # For -1, ONNX Runtime says that the sum is empty too.
                total = self.add_hidden("ReduceSum", nothing, self.ints(len(shape) - 1), keepdims=1)
                self.add("Add", x, total)
            case _:
                pads = self.ints(*[0] * (2 * len(shape) - 1), shape[-1])
                self.add("Mul", x, self.add_hidden("Pad", nothing, pads, self.full(0.5)))

    def joined_parts(self) -> None:
        """Parts computed the same way and joined; concats of concats; parts of concats."""
        x = self.value(lambda shape: len(shape) >= 1 and shape[-1] >= 2 and np.prod(shape) <= LARGEST // 4)
        if x is None:
            return
        shape = self.values[x]
        axis, at = len(shape) - 1, self.integer(1, shape[-1] - 1)
        op = self.choice(("Relu", "Tanh", "Neg"))
        parts = [self.add(op, self.part(x, axis, a, b)) for a, b in ((0, at), (at, shape[-1]))]
        joined = self.add("Concat", *parts, shape=shape, axis=axis)
        wide = (*shape[:-1], 2 * shape[-1])
        again = self.add("Concat", joined, x, shape=wide, axis=axis)
        start = self.integer(0, shape[-1])
        self.part(again, axis, start, self.integer(start + 1, 2 * shape[-1]))

    def pads(self) -> None:
        """Padding of padding, and parts of it."""
        x = self.value(lambda shape: len(shape) >= 1 and np.prod(shape) <= LARGEST // 16)
        if x is None:
            return
        value = self.full(self.choice((0.0, 0.5)))
        for _ in range(2):
            shape = self.values[x]
            low, high = self.integer(0, 2), self.integer(0, 2)
            rest = [0] * (len(shape) - 1)
            pads = self.ints(low, *rest, high, *rest)
            x = self.add("Pad", x, pads, value, shape=(shape[0] + low + high, *shape[1:]))
        if self.integer(0, 1):
            self.part(x, 0, self.integer(0, 1), self.values[x][0])

    def moved_constant(self) -> None:
        """A weight that is transposed, or seen in another shape, before it is used."""
        x = self.value(lambda shape: len(shape) >= 2)
        if x is None:
            return
        rows, columns = self.values[x][-2:]
        if self.integer(0, 1):
            turned = self.add_hidden("Transpose", self.weights(columns, rows), perm=[1, 0])
            self.add("Add", x, turned)
        else:
            seen = self.add_hidden("Reshape", self.weights(rows * columns), self.ints(rows, columns))
            self.add("Mul", x, seen)
