"""Functions as exporters take them apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pattern_base import PatternBase


class IdiomPatterns(PatternBase):
    """Activations, normalisations, softmax, attention, rotary embedding."""

    def gelu(self) -> None:
        """The forms in which exporters write it."""
        x = self.value()
        half, one = self.full(0.5), self.full(1.0)
        if self.integer(0, 2) == 0:
            cube = self.add("Pow", x, self.full(3.0))
            inner = self.add("Add", x, self.add("Mul", cube, self.full(0.044715)))
            gate = self.add("Tanh", self.add("Mul", inner, self.full(math.sqrt(2 / math.pi))))
        else:
            scaled = (
                self.add("Div", x, self.full(math.sqrt(2)))
                if self.integer(0, 1)
                else self.add("Mul", x, self.full(math.sqrt(0.5)))
            )
            gate = self.add("Erf", scaled)
        gate = self.add("Add", gate, one)
        match self.integer(0, 2):
            case 0:
                self.add("Mul", self.add("Mul", x, gate), half)
            case 1:
                self.add("Mul", self.add("Mul", x, half), gate)
            case _:
                self.add("Mul", x, self.add("Mul", gate, half))

    def silu(self) -> None:
        x = self.value()
        gate = self.choice(("Sigmoid", "HardSigmoid", "Softplus"))
        y = self.add(gate, x, alpha=1 / 6) if gate == "HardSigmoid" else self.add(gate, x)
        y = self.add("Tanh", y) if gate == "Softplus" else y
        self.add("Mul", *((x, y) if self.integer(0, 1) else (y, x)))

    def layer_norm(self) -> None:
        """LayerNorm or RMSNorm as exporters take it apart, with weights."""
        x = self.value_of_rank(1)
        if x is None:
            return
        shape, y = self.values[x], x
        mean: dict[str, Any] = {"shape": (*shape[:-1], 1), "keepdims": 1}
        if self.integer(0, 1):
            y = self.add("Sub", x, self.add("ReduceMean", x, self.ints(-1), **mean))
        square = self.add("Mul", y, y) if self.integer(0, 1) else self.add("Pow", y, self.full(2.0))
        # A large epsilon: see RandomGraph.normalise.
        variance = self.add("Add", self.add("ReduceMean", square, self.ints(-1), **mean), self.full(0.1))
        root = self.add("Sqrt", variance)
        y = (
            self.add("Mul", y, self.add("Reciprocal", root))
            if self.integer(0, 1)
            else self.add("Div", y, root)
        )
        y = self.add("Mul", y, self.weights(shape[-1]))
        if self.integer(0, 1):
            self.add("Add", y, self.weights(shape[-1]))

    def softmax(self) -> None:
        """Softmax as a composition."""
        x = self.value_of_rank(1)
        if x is None:
            return
        shape = self.values[x]
        axis = self.integer(0, len(shape) - 1)
        kept: dict[str, Any] = {"shape": (*shape[:axis], 1, *shape[axis + 1 :]), "keepdims": 1}
        power = self.add("Exp", self.add("Sub", x, self.add("ReduceMax", x, self.ints(axis), **kept)))
        self.add("Div", power, self.add("ReduceSum", power, self.ints(axis), **kept))

    def attention(self) -> None:
        """Two heads on a sequence, with a mask or without."""
        x = self.value(lambda shape: len(shape) >= 2 and shape[-1] >= 4 and np.prod(shape) <= 1000)
        if x is None:
            return
        width, heads, size = self.values[x][-1], 2, 4
        length = int(np.prod(self.values[x][:-1]))
        x = self.reshape_to(x, 1, length, width)
        query, key, value = (self.head(x, heads, size) for _ in range(3))
        key = self.permute(key, 0, 1, 3, 2)
        scores = self.add("MatMul", query, key, shape=(1, heads, length, length))
        scores = self.add("Mul", scores, self.full(size**-0.5)) if self.integer(0, 1) else \
            self.add("Div", scores, self.full(size**0.5))  # fmt: skip
        if self.integer(0, 1):
            mask = np.triu(np.full((length, length), -10.0, np.float32), 1)
            scores = self.add("Add", scores, self.constant(mask))
        weights = self.add("Softmax", scores, axis=-1)
        mixed = self.add("MatMul", weights, value, shape=(1, heads, length, size))
        self.reshape_to(self.permute(mixed, 0, 2, 1, 3), 1, length, heads * size)

    def head(self, x: str, heads: int, size: int) -> str:
        """`[1, heads, length, size]` of a projection of x `[1, length, width]`."""
        _, length, width = self.values[x]
        weights = self.weights(width, heads * size, scale=width**-0.5)
        y = self.add("MatMul", x, weights, shape=(1, length, heads * size))
        y = self.add("Add", y, self.weights(heads * size)) if self.integer(0, 1) else y
        return self.permute(self.reshape_to(y, 1, length, heads, size), 0, 2, 1, 3)

    def rotary(self) -> None:
        """Rotary embedding: x * cos + rotated(x) * sin."""
        x = self.value(lambda shape: len(shape) >= 2 and shape[-1] % 2 == 0)
        if x is None:
            return
        shape = self.values[x]
        axis, half = len(shape) - 1, shape[-1] // 2
        angle = self.rng.uniform(-3, 3, (shape[-2], half)).astype(np.float32)
        cos, sin = (self.constant(np.concatenate([function(angle)] * 2, -1)) for function in (np.cos, np.sin))
        turned = self.add("Neg", self.part(x, axis, half, shape[-1]))
        rotated = self.add("Concat", turned, self.part(x, axis, 0, half), shape=shape, axis=axis)
        self.add("Add", self.add("Mul", x, cos), self.add("Mul", rotated, sin))

    def activations(self) -> None:
        """Less usual forms of activations, of values whose exponential is not large."""
        x = self.add("Tanh", self.value())
        one = self.full(1.0)
        match self.integer(0, 3):
            case 0:
                self.add("Mul", x, self.add("Sigmoid", self.add("Mul", x, self.full(1.702))))
            case 1:
                self.add("Log", self.add("Add", self.add("Exp", x), one))
            case 2:
                gate = self.add("Clip", self.add("Add", x, self.full(3.0)), self.full(0.0), self.full(6.0))
                self.add("Mul", x, self.add("Div", gate, self.full(6.0)))
            case _:
                soft = self.add("Log", self.add("Add", self.add("Exp", x), one))
                large = self.add_hidden("Greater", x, self.full(20.0))
                self.add("Where", large, x, soft, shape=self.values[x])

    def logarithms(self) -> None:
        """Softmax and its logarithm in their forms."""
        x = self.value_of_rank(1)
        if x is None:
            return
        shape, x = self.values[x], self.add("Tanh", x)
        match self.integer(0, 2):
            case 0:
                self.add("Log", self.add("Softmax", x, axis=-1))
            case 1:
                total = self.last("ReduceSum", self.add("Exp", x), shape)
                self.add("Sub", x, self.add("Log", total))
            case _:
                power = self.add("Exp", x)
                self.add("Div", power, self.last("ReduceSum", power, shape))

    def last(self, op: str, x: str, shape: tuple[int, ...]) -> str:
        """A reduction over the last axis, which stays with 1."""
        return self.add(op, x, self.ints(-1), shape=(*shape[:-1], 1), keepdims=1)

    def folded_norm(self) -> None:
        """Layer normalisation as TensorFlow writes it."""
        x = self.value_of_rank(1)
        if x is None:
            return
        shape = self.values[x]
        mean = self.last("ReduceMean", x, shape)
        centred = self.add("Sub", x, mean)
        variance = self.last("ReduceMean", self.add("Mul", centred, centred), shape)
        root = self.add("Reciprocal", self.add("Sqrt", self.add("Add", variance, self.full(0.1))))
        factor = self.add("Mul", root, self.weights(shape[-1]), shape=shape)
        offset = self.weights(shape[-1])
        shifted = self.add("Sub", offset, self.add("Mul", mean, factor, shape=shape), shape=shape)
        self.add("Add", self.add("Mul", x, factor), shifted)

    def rotary_by_halves(self) -> None:
        x = self.value(lambda shape: len(shape) >= 2 and shape[-1] % 2 == 0)
        if x is None:
            return
        shape = self.values[x]
        axis, half = len(shape) - 1, shape[-1] // 2
        cos, sin = (self.weights(shape[-2], half) for _ in range(2))
        one, two = self.part(x, axis, 0, half), self.part(x, axis, half, shape[-1])
        first = self.add("Sub", self.add("Mul", one, cos), self.add("Mul", two, sin))
        second = self.add("Add", self.add("Mul", two, cos), self.add("Mul", one, sin))
        self.add("Concat", first, second, shape=shape, axis=axis)
