"""Random models that hold what graph passes look for: idioms, chains that cancel, shared inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto
from random_graphs import DIMS, LARGEST, RandomGraph

NOTHING = "Identity Dropout Cast Reshape Transpose Slice Pad Concat Mul Div Add Sub".split()


class PatternGraph(RandomGraph):
    """Half of the pieces are single ops, half are patterns."""

    def pieces(self) -> tuple[Callable[[], None], ...]:
        patterns = (
            self.scalar_chain, self.scalar_chain, self.nothing, self.inverses, self.transposed_chain,
            self.reshapes, self.squeezed, self.gelu, self.silu, self.clip, self.powers, self.layer_norm,
            self.softmax, self.normalised_conv, self.normalised_conv, self.padded_window,
            self.split_and_joined, self.slices, self.parallel_products, self.gemm, self.attention,
            self.rotary, self.reductions, self.distributive, self.twice, self.broadcast,
        )  # fmt: skip
        return (*super().pieces(), *patterns)

    def add(self, op: str, *operands: str, shape: tuple[int, ...] | None = None, **attributes: Any) -> str:
        """A node; its result has the first operand's shape unless one is given. The result's name."""
        self.node(op, list(operands), self.values[operands[0]] if shape is None else shape, **attributes)
        return list(self.values)[-1]

    def number(self, value: float, *shape: int) -> str:
        return self.constant(np.full(shape, value, np.float32))

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def ranked(self, least: int, most: int = 9) -> str | None:
        return self.value(lambda shape: least <= len(shape) <= most and np.prod(shape) <= LARGEST // 2)

    def reshaped(self, x: str, *shape: int) -> str:
        return self.add("Reshape", x, self.ints(*shape), shape=shape)

    def transposed(self, x: str, *order: int) -> str:
        return self.add("Transpose", x, shape=tuple(self.values[x][axis] for axis in order), perm=order)

    def scalar_chain(self) -> None:
        """Constants that can be joined, in either operand and of several ranks; sometimes used twice."""
        x = self.value()
        for _ in range(self.integer(2, 4)):
            rank = self.integer(0, min(1, len(self.values[x])))
            number = self.number(float(self.choice((0.5, 1.0, 2.0, -1.0, 0.3, 1.7))), *[1] * rank)
            op = self.choice(("Add", "Mul", "Sub", "Div"))
            # Not a division by x, which may be zero.
            operands = [number, x] if op != "Div" and self.integer(0, 2) == 0 else [x, number]
            x = self.add(op, *operands, shape=self.values[x])

    def nothing(self) -> None:
        """An op that changes nothing."""
        x = self.value()
        shape, op = self.values[x], self.choice(NOTHING)
        rank = len(shape)
        if op in ("Identity", "Dropout"):
            self.add(op, x)
        elif op == "Cast":
            self.add(op, x, to=TensorProto.FLOAT)
        elif op == "Reshape":
            self.reshaped(x, *shape)
        elif op in ("Mul", "Div"):
            self.add(op, x, self.number(1.0))
        elif op in ("Add", "Sub"):
            self.add(op, x, self.number(self.choice((0.0, -0.0))))
        elif rank and op == "Transpose":
            self.transposed(x, *range(rank))
        elif rank and op == "Slice":
            self.add(op, x, self.ints(0), self.ints(shape[0]), self.ints(0), self.ints(1))
        elif rank and op == "Pad":
            self.add(op, x, self.ints(*[0] * (2 * rank)))
        elif rank:
            self.add("Concat", x, axis=0)

    def inverses(self) -> None:
        """Pairs that undo each other, or nearly."""
        x = self.value()
        pair = self.choice((("Neg", "Neg"), ("Relu", "Relu"), ("Abs", "Abs"), ("Neg", "Abs"), ("Abs", "Sqrt"),
                            ("Abs", "Relu"), ("Sigmoid", "Relu"), ("Floor", "Floor")))  # fmt: skip
        if pair[0] == "Floor":
            # Rounding noise before Floor would become a difference of one.
            x = self.add("Clip", x, self.number(0.25), self.number(0.75))
        for op in pair:
            x = self.add(op, x)

    def transposed_chain(self) -> None:
        """Transpose, elementwise ops, transpose: back to where it was, or elsewhere."""
        x = self.ranked(2)
        if x is None:
            return
        order = [int(each) for each in self.rng.permutation(len(self.values[x]))]
        x = self.transposed(x, *order)
        for _ in range(self.integer(0, 2)):
            op = self.choice(("Relu", "Tanh", "Mul", "Max"))
            if op in ("Mul", "Max"):
                dims = self.values[x][self.integer(0, len(order)) :]
                x = self.add(op, x, self.weights(*dims))
            else:
                x = self.add(op, x)
        back = [int(each) for each in np.argsort(order)]
        if self.integer(0, 3) == 0:
            self.rng.shuffle(back)
        self.transposed(x, *back)

    def reshapes(self) -> None:
        """Reshapes with elementwise ops between them."""
        x = self.value()
        count = int(np.prod(self.values[x]))
        factors = [each for each in DIMS if count % each == 0]
        for _ in range(self.integer(1, 3)):
            factor = int(self.choice(factors))
            x = self.reshaped(x, *((factor, count // factor) if self.integer(0, 2) else (count,)))
            if self.integer(0, 1):
                x = self.add(self.choice(("Tanh", "Relu", "Neg")), x)

    def squeezed(self) -> None:
        x = self.ranked(0, 3)
        if x is None:
            return
        axis = self.integer(0, len(self.values[x]))
        shape = self.values[x]
        x = self.add("Unsqueeze", x, self.ints(axis), shape=(*shape[:axis], 1, *shape[axis:]))
        if self.integer(0, 1):
            x = self.add("Sigmoid", x)
        self.add("Squeeze", x, self.ints(axis), shape=shape)

    def gelu(self) -> None:
        """The forms in which exporters write it."""
        x = self.value()
        half, one = self.number(0.5), self.number(1.0)
        if self.integer(0, 2) == 0:
            cube = self.add("Pow", x, self.number(3.0))
            inner = self.add("Add", x, self.add("Mul", cube, self.number(0.044715)))
            gate = self.add("Tanh", self.add("Mul", inner, self.number(math.sqrt(2 / math.pi))))
        else:
            scaled = (
                self.add("Div", x, self.number(math.sqrt(2)))
                if self.integer(0, 1)
                else self.add("Mul", x, self.number(math.sqrt(0.5)))
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

    def clip(self) -> None:
        x = self.value()
        low, high = self.number(-0.5), self.number(self.choice((0.5, 6.0)))
        if self.integer(0, 1):
            self.add("Clip", x, low, high)
        else:
            self.add("Max", self.add("Min", x, high), low)

    def powers(self) -> None:
        """Of a positive value that is not small."""
        x = self.add("Add", self.add("Abs", self.add("Tanh", self.value())), self.number(0.5))
        x = self.add("Pow", x, self.number(self.choice((2.0, 0.5, -1.0, 3.0, 1.0, -0.5, 0.0))))
        if self.integer(0, 1):
            self.add("Reciprocal", self.add("Sqrt", x))

    def layer_norm(self) -> None:
        """LayerNorm or RMSNorm as exporters take it apart, with weights."""
        x = self.ranked(1)
        if x is None:
            return
        shape, y = self.values[x], x
        mean: dict[str, Any] = {"shape": (*shape[:-1], 1), "keepdims": 1}
        if self.integer(0, 1):
            y = self.add("Sub", x, self.add("ReduceMean", x, self.ints(-1), **mean))
        square = self.add("Mul", y, y) if self.integer(0, 1) else self.add("Pow", y, self.number(2.0))
        # A large epsilon: see RandomGraph.normalise.
        variance = self.add("Add", self.add("ReduceMean", square, self.ints(-1), **mean), self.number(0.1))
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
        """As a composition."""
        x = self.ranked(1)
        if x is None:
            return
        shape = self.values[x]
        axis = self.integer(0, len(shape) - 1)
        kept: dict[str, Any] = {"shape": (*shape[:axis], 1, *shape[axis + 1 :]), "keepdims": 1}
        power = self.add("Exp", self.add("Sub", x, self.add("ReduceMax", x, self.ints(axis), **kept)))
        self.add("Div", power, self.add("ReduceSum", power, self.ints(axis), **kept))

    def normalised_conv(self) -> None:
        """Batch normalisation, scale and bias around a convolution."""
        x = self.value(
            lambda shape: len(shape) == 4 and min(shape[2:]) >= 3 and np.prod(shape) <= LARGEST // 4
        )
        if x is None:
            return
        if self.integer(0, 3) == 0:
            x = self.batch_norm(x)
        count, inputs, *places = self.values[x]
        outputs, kernel = int(self.rng.choice(DIMS)), self.choice((1, 3))
        pad = self.integer(0, kernel // 2)
        shape = (count, outputs, *(size + 2 * pad - kernel + 1 for size in places))
        if np.prod(shape) > LARGEST:
            return
        operands = [self.weights(outputs, inputs, kernel, kernel, scale=(inputs * kernel**2) ** -0.5)]
        operands += [self.weights(outputs)] if self.integer(0, 1) else []
        x = self.add("Conv", x, *operands, shape=shape, pads=[pad] * 4)
        x = self.batch_norm(x)
        if self.integer(0, 1):
            x = self.add("Mul", x, self.weights(outputs, 1, 1))
        if self.integer(0, 1):
            self.add("Relu", x)

    def batch_norm(self, x: str) -> str:
        channels = self.values[x][1]
        variance = self.constant(self.rng.uniform(0.5, 2, channels).astype(np.float32))
        numbers = [self.weights(channels) for _ in range(3)]
        return self.add("BatchNormalization", x, *numbers, variance, epsilon=0.01)

    def padded_window(self) -> None:
        """Padding in front of a convolution or pooling, ReLU on either side of a maximum."""
        x = self.value(
            lambda shape: len(shape) == 4 and min(shape[2:]) >= 2 and np.prod(shape) <= LARGEST // 8
        )
        if x is None:
            return
        count, channels, *places = self.values[x]
        before, after, own = (self.integer(0, 1) for _ in range(3))
        mode = self.choice(("constant", "constant", "reflect", "edge"))
        padded = tuple(size + before + after for size in places)
        pads = self.ints(0, 0, before, before, 0, 0, after, after)
        x = self.add("Relu", x) if self.integer(0, 1) else x
        x = self.add("Pad", x, pads, shape=(count, channels, *padded), mode=mode)
        result = (count, channels, *(size + 2 * own - 1 for size in padded))
        common: dict[str, Any] = {"shape": result, "pads": [own] * 4}
        match self.integer(0, 2):
            case 0:
                x = self.add("MaxPool", x, kernel_shape=[2, 2], **common)
            case 1:
                include = self.integer(0, 1)
                x = self.add("AveragePool", x, kernel_shape=[2, 2], count_include_pad=include, **common)
            case _:
                x = self.add("Conv", x, self.weights(channels, 1, 2, 2), group=channels, **common)
        if self.integer(0, 1):
            self.add("Relu", x)

    def split_and_joined(self) -> None:
        """Parts of a value, some changed, put together again in their order or another."""
        x = self.ranked(1)
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

    def part(self, x: str, axis: int, start: int, end: int) -> str:
        shape = self.values[x]
        sizes = (*shape[:axis], end - start, *shape[axis + 1 :])
        return self.add("Slice", x, self.ints(start), self.ints(end), self.ints(axis), shape=sizes)

    def slices(self) -> None:
        """A part of a part, with an elementwise op between them."""
        x = self.ranked(1)
        if x is None:
            return
        for _ in range(2):
            axis = self.integer(0, len(self.values[x]) - 1)
            start = self.integer(0, self.values[x][axis] - 1)
            x = self.part(x, axis, start, self.integer(start + 1, self.values[x][axis]))
            x = self.add(self.choice(("Identity", "Relu", "Tanh")), x)

    def parallel_products(self) -> None:
        """Several matmuls, some with a bias, of one value."""
        x = self.ranked(2, 4)
        if x is None:
            return
        k = self.values[x][-1]
        widths = [int(self.choice((4, 8, 16))) for _ in range(self.integer(2, 3))]
        if np.prod(self.values[x][:-1]) * max(widths) > LARGEST:
            return
        for n in widths:
            y = self.add("MatMul", x, self.weights(k, n, scale=k**-0.5), shape=(*self.values[x][:-1], n))
            y = self.add("Add", y, self.weights(n)) if self.integer(0, 1) else y
            if self.integer(0, 1):
                self.add("Mul", y, self.number(0.5))

    def gemm(self) -> None:
        x = self.value(lambda shape: len(shape) == 2)
        if x is None:
            return
        (m, k), n = self.values[x], int(self.rng.choice(DIMS))
        turned = self.integer(0, 1)
        weights = self.weights(*((n, k) if turned else (k, n)), scale=k**-0.5)
        bias = [self.weights(n)] if self.integer(0, 1) else []
        self.add("Gemm", x, weights, *bias, shape=(m, n), transB=turned, alpha=self.choice((1.0, 0.5)))

    def attention(self) -> None:
        """Two heads on a sequence, with a mask or without."""
        x = self.value(lambda shape: len(shape) >= 2 and shape[-1] >= 4 and np.prod(shape) <= 1000)
        if x is None:
            return
        width, heads, size = self.values[x][-1], 2, 4
        length = int(np.prod(self.values[x][:-1]))
        x = self.reshaped(x, 1, length, width)
        query, key, value = (self.head(x, heads, size) for _ in range(3))
        key = self.transposed(key, 0, 1, 3, 2)
        scores = self.add("MatMul", query, key, shape=(1, heads, length, length))
        scores = self.add("Mul", scores, self.number(size**-0.5)) if self.integer(0, 1) else \
            self.add("Div", scores, self.number(size**0.5))  # fmt: skip
        if self.integer(0, 1):
            mask = np.triu(np.full((length, length), -10.0, np.float32), 1)
            scores = self.add("Add", scores, self.constant(mask))
        weights = self.add("Softmax", scores, axis=-1)
        mixed = self.add("MatMul", weights, value, shape=(1, heads, length, size))
        self.reshaped(self.transposed(mixed, 0, 2, 1, 3), 1, length, heads * size)

    def head(self, x: str, heads: int, size: int) -> str:
        """`[1, heads, length, size]` of a projection of x `[1, length, width]`."""
        _, length, width = self.values[x]
        weights = self.weights(width, heads * size, scale=width**-0.5)
        y = self.add("MatMul", x, weights, shape=(1, length, heads * size))
        y = self.add("Add", y, self.weights(heads * size)) if self.integer(0, 1) else y
        return self.transposed(self.reshaped(y, 1, length, heads, size), 0, 2, 1, 3)

    def rotary(self) -> None:
        """x * cos + rotated(x) * sin."""
        x = self.value(lambda shape: len(shape) >= 2 and shape[-1] % 2 == 0)
        if x is None:
            return
        shape = self.values[x]
        axis, half = len(shape) - 1, shape[-1] // 2
        angle = self.rng.uniform(-3, 3, (shape[-2], half)).astype(np.float32)
        cos, sin = (self.constant(np.concatenate([each(angle)] * 2, -1)) for each in (np.cos, np.sin))
        turned = self.add("Neg", self.part(x, axis, half, shape[-1]))
        rotated = self.add("Concat", turned, self.part(x, axis, 0, half), shape=shape, axis=axis)
        self.add("Add", self.add("Mul", x, cos), self.add("Mul", rotated, sin))

    def reductions(self) -> None:
        """Of a transposed or reshaped value, and of a reduction."""
        x = self.ranked(2)
        if x is None:
            return
        if self.integer(0, 1):
            x = self.transposed(x, *(int(each) for each in self.rng.permutation(len(self.values[x]))))
        for _ in range(self.integer(1, 2)):
            shape = self.values[x]
            axis, keep = self.integer(0, len(shape) - 1), self.integer(0, 1)
            reduced = (*shape[:axis], *[1] * keep, *shape[axis + 1 :])
            op = self.choice(("ReduceMean", "ReduceSum", "ReduceMax"))
            x = self.add(op, x, self.ints(axis), shape=reduced, keepdims=keep)
            if not reduced:
                break

    def distributive(self) -> None:
        """Sums of products with a common factor, differences of equal values."""
        x = self.value()
        shape = self.values[x]
        y = self.value(lambda each: each == shape)
        match self.integer(0, 3):
            case 0:
                factor = self.number(self.choice((0.5, 3.0)))
                self.add("Add", self.add("Mul", x, factor), self.add("Mul", y, factor))
            case 1:
                self.add("Add", self.add("Mul", x, y), x)
            case 2:
                self.add("Sub", self.add("Add", x, y), y)
            case _:
                self.add("Add", self.add("Sub", x, x), y)

    def twice(self) -> None:
        """The same computation twice, and both used."""
        x = self.value()
        op = self.choice(("Tanh", "Sigmoid", "Softplus"))
        self.add("Sub", self.add(op, x), self.add("Mul", self.add(op, x), self.number(0.5)))

    def broadcast(self) -> None:
        """An explicit expansion before an op that broadcasts by itself."""
        x = self.ranked(1, 3)
        if x is None:
            return
        shape = self.values[x]
        small = self.weights(*[1] * (len(shape) - 1), shape[-1])
        wide = self.add("Expand", small_value := self.add("Tanh", self.kept(small, shape)),
                        self.ints(*shape), shape=shape)  # fmt: skip
        self.add(self.choice(("Add", "Mul")), x, wide if self.integer(0, 2) else small_value)

    def kept(self, constant: str, shape: tuple[int, ...]) -> str:
        """Declares a constant as a value that nodes can follow."""
        self.values[constant] = (*[1] * (len(shape) - 1), shape[-1])
        return constant
