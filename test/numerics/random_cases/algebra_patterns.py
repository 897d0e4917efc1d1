"""Patterns for the rules of algebra."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from pattern_base import PatternBase

NOTHING = "Identity Dropout Cast Reshape Transpose Slice Pad Concat Mul Div Add Sub".split()


class AlgebraPatterns(PatternBase):
    """Chains of constants, inverses, powers, comparisons, reductions."""

    def scalar_chain(self) -> None:
        """Constants that can be joined, in either operand and of several ranks; sometimes used twice."""
        x = self.value()
        for _ in range(self.integer(2, 4)):
            rank = self.integer(0, min(1, len(self.values[x])))
            value = self.full(float(self.choice((0.5, 1.0, 2.0, -1.0, 0.3, 1.7))), *[1] * rank)
            op = self.choice(("Add", "Mul", "Sub", "Div"))
            # Not a division by x, which may be zero.
            operands = [value, x] if op != "Div" and self.integer(0, 2) == 0 else [x, value]
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
            self.reshape_to(x, *shape)
        elif op in ("Mul", "Div"):
            self.add(op, x, self.full(1.0))
        elif op in ("Add", "Sub"):
            self.add(op, x, self.full(self.choice((0.0, -0.0))))
        elif rank and op == "Transpose":
            self.permute(x, *range(rank))
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
            x = self.add("Clip", x, self.full(0.25), self.full(0.75))
        for op in pair:
            x = self.add(op, x)

    def clip(self) -> None:
        x = self.value()
        low, high = self.full(-0.5), self.full(self.choice((0.5, 6.0)))
        if self.integer(0, 1):
            self.add("Clip", x, low, high)
        else:
            self.add("Max", self.add("Min", x, high), low)

    def powers(self) -> None:
        """Powers of a positive value that is not small."""
        x = self.add("Add", self.add("Abs", self.add("Tanh", self.value())), self.full(0.5))
        x = self.add("Pow", x, self.full(self.choice((2.0, 0.5, -1.0, 3.0, 1.0, -0.5, 0.0))))
        if self.integer(0, 1):
            self.add("Reciprocal", self.add("Sqrt", x))

    def distributive(self) -> None:
        """Sums of products with a common factor, differences of equal values."""
        x = self.value()
        shape = self.values[x]
        # Bounded: repeated products must not overflow.
        y = self.add("Tanh", self.value(lambda other: other == shape))
        match self.integer(0, 3):
            case 0:
                factor = self.full(self.choice((0.5, 3.0)))
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
        self.add("Sub", self.add(op, x), self.add("Mul", self.add(op, x), self.full(0.5)))

    def reductions(self) -> None:
        """Reductions of a transposed or reshaped value, and of a reduction."""
        x = self.value_of_rank(2)
        if x is None:
            return
        if self.integer(0, 1):
            x = self.permute(x, *(int(axis) for axis in self.rng.permutation(len(self.values[x]))))
        for _ in range(self.integer(1, 2)):
            shape = self.values[x]
            axis, keep = self.integer(0, len(shape) - 1), self.integer(0, 1)
            reduced = (*shape[:axis], *[1] * keep, *shape[axis + 1 :])
            op = self.choice(("ReduceMean", "ReduceSum", "ReduceMax"))
            x = self.add(op, x, self.ints(axis), shape=reduced, keepdims=keep)
            if not reduced:
                break

    def opposites(self) -> None:
        """Functions that undo each other on positive values."""
        x = self.positive()
        pair = self.choice((("Log", "Exp"), ("Exp", "Log"), ("Reciprocal", "Reciprocal"), ("Sqrt", "Mul"),
                            ("Mul", "Sqrt"), ("Abs", "Mul"), ("Neg", "Mul")))  # fmt: skip
        for op in pair:
            x = self.add("Mul", x, x) if op == "Mul" else self.add(op, x)

    def negations(self) -> None:
        x = self.value()
        y = self.value(lambda other: other == self.values[x])
        x, minus = (self.add("Neg", x) if self.integer(0, 1) else x), self.add("Neg", y)
        self.add(
            self.choice(("Add", "Sub", "Mul", "Max")), *((x, minus) if self.integer(0, 1) else (minus, x))
        )

    def cancelling(self) -> None:
        """A value with itself, with nothing, and with one."""
        x = self.positive()
        zero, one = self.full(0.0), self.full(1.0)
        match self.integer(0, 5):
            case 0:
                self.add("Div", x, x)
            case 1:
                self.add("Sub", zero, x, shape=self.values[x])
            case 2:
                self.add("Mul", x, zero)
            case 3:
                self.add("Div", one, x, shape=self.values[x])
            case 4:
                self.add("Div", one, self.add("Sqrt", x), shape=self.values[x])
            case _:
                self.add("Div", x, self.add("Sqrt", self.positive_like(x)))

    def positive_like(self, x: str) -> str:
        return self.add("Add", self.add("Mul", x, x), self.full(0.5))

    def choices(self) -> None:
        """Selection by comparisons, also turned round, of equal values, and by constants."""
        x = self.value()
        shape = self.values[x]
        y = self.value(lambda other: other == shape)
        # Far from equal: rounding must not turn the comparison.
        other = self.add("Add", self.add("Abs", x), self.full(0.5))
        condition = self.add_hidden(self.choice(("Less", "GreaterOrEqual", "Equal")), x, other)
        match self.integer(0, 3):
            case 0:
                condition = self.add_hidden("Not", condition)
            case 1:
                y = x
            case 2:
                condition = self.constant(self.rng.integers(0, 2, shape).astype(bool))
            case _:
                condition = self.constant(np.array(bool(self.integer(0, 1))))
        self.add("Where", condition, x, y, shape=shape)

    def common_factors(self) -> None:
        x = self.value()
        shape = self.values[x]
        y, z = (self.add("Tanh", self.value(lambda other: other == shape)) for _ in range(2))
        if self.integer(0, 1) or not shape:
            op = self.choice(("Add", "Sub"))
            self.add(op, self.add("Mul", x, y), self.add("Mul", *((x, z) if self.integer(0, 1) else (z, x))))
        else:
            weights = self.weights(shape[-1], 4, scale=shape[-1] ** -0.5)
            result = {"shape": (*shape[:-1], 4)}
            self.add("Add", *(self.add("MatMul", operand, weights, **result) for operand in (x, y)), **result)

    def bounds(self) -> None:
        """Limits of limits."""
        x = self.value()
        for _ in range(2):
            op, value = (
                self.choice(("Max", "Min", "Relu", "Clip")),
                self.full(self.choice((-0.3, 0.0, 0.4))),
            )
            x = self.add(op, x, *([value] if op != "Relu" else []))

    def casts(self) -> None:
        """To a wider type and back, once or twice."""
        x = self.value()
        wide = self.add_hidden("Cast", x, to=TensorProto.DOUBLE)
        if self.integer(0, 1):
            wide = self.add_hidden(
                "Cast", self.add_hidden("Cast", wide, to=TensorProto.FLOAT), to=TensorProto.DOUBLE
            )
        self.add("Cast", wide, shape=self.values[x], to=TensorProto.FLOAT)

    def reduced_twice(self) -> None:
        """The same reduction over one axis after the other, or over everything."""
        x = self.value_of_rank(2)
        if x is None:
            return
        shape, op = self.values[x], self.choice(("ReduceSum", "ReduceMax", "ReduceMean", "ReduceMin"))
        if self.integer(0, 1):
            self.add(op, x, self.ints(*range(len(shape))), shape=(), keepdims=0)
            return
        x = self.add(op, x, self.ints(0), shape=(1, *shape[1:]), keepdims=1)
        self.add(op, x, self.ints(1), shape=(1, 1, *shape[2:]), keepdims=1)
