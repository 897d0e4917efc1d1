"""Patterns around products and windows."""

from __future__ import annotations

from typing import Any

import numpy as np
from pattern_base import PatternBase
from random_graphs import DIMS, LARGEST


class ProductPatterns(PatternBase):
    """Convolutions, pooling and products with what folds into them."""

    def normalised_conv(self) -> None:
        """Batch normalisation, scale and bias around a convolution."""
        x = self.value(
            lambda shape: len(shape) == 4 and min(shape[2:]) >= 3 and np.prod(shape) <= LARGEST // 4
        )
        if x is None:
            return
        if self.integer(0, 3) == 0:
            x = self.batch_norm(x)
        count, inputs, *positions = self.values[x]
        outputs, kernel = int(self.rng.choice(DIMS)), self.choice((1, 3))
        pad = self.integer(0, kernel // 2)
        shape = (count, outputs, *(size + 2 * pad - kernel + 1 for size in positions))
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
        values = [self.weights(channels) for _ in range(3)]
        return self.add("BatchNormalization", x, *values, variance, epsilon=0.01)

    def padded_window(self) -> None:
        """Padding before a convolution or pooling, ReLU on either side of a maximum."""
        x = self.value(
            lambda shape: len(shape) == 4 and min(shape[2:]) >= 2 and np.prod(shape) <= LARGEST // 8
        )
        if x is None:
            return
        count, channels, *positions = self.values[x]
        before, after, own = (self.integer(0, 1) for _ in range(3))
        mode = self.choice(("constant", "constant", "reflect", "edge"))
        padded = tuple(size + before + after for size in positions)
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

    def parallel_products(self) -> None:
        """Several matmuls, some with a bias, of one value."""
        x = self.value_of_rank(2, 4)
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
                self.add("Mul", y, self.full(0.5))

    def gemm(self) -> None:
        x = self.value(lambda shape: len(shape) == 2)
        if x is None:
            return
        (m, k), n = self.values[x], int(self.rng.choice(DIMS))
        turned = self.integer(0, 1)
        weights = self.weights(*((n, k) if turned else (k, n)), scale=k**-0.5)
        bias = [self.weights(n)] if self.integer(0, 1) else []
        self.add("Gemm", x, weights, *bias, shape=(m, n), transB=turned, alpha=self.choice((1.0, 0.5)))

    def pools(self) -> None:
        """Windows of one, activations before maxima, padding with minus infinity."""
        x = self.value(
            lambda shape: len(shape) == 4 and min(shape[2:]) >= 2 and np.prod(shape) <= LARGEST // 4
        )
        if x is None:
            return
        count, channels, height, width = self.values[x]
        smaller = (count, channels, height - 1, width - 1)
        match self.integer(0, 2):
            case 0:
                op = self.choice(("MaxPool", "AveragePool"))
                self.add(op, x, kernel_shape=[1, 1])
            case 1:
                x = self.add(self.choice(("Relu", "Sigmoid", "Tanh")), x)
                self.add("MaxPool", x, shape=smaller, kernel_shape=[2, 2])
            case _:
                pads = self.ints(0, 0, 1, 0, 0, 0, 0, 0)
                padded = self.add_hidden("Pad", x, pads, self.full(-np.inf))
                self.add("MaxPool", padded, shape=(count, channels, height, width - 1), kernel_shape=[2, 2])

    def scaled_product(self) -> None:
        """A factor or offset before a product, or after one and a view of it."""
        x = self.value(lambda shape: len(shape) == 2)
        if x is None:
            return
        (m, k), n = self.values[x], int(self.choice((4, 8)))
        if self.integer(0, 1):
            x = self.add("Mul", x, self.choice((self.full(0.5), self.weights(k))))
        y = self.add("MatMul", x, self.weights(k, n, scale=k**-0.5), shape=(m, n))
        if self.integer(0, 1):
            y = self.reshape_to(y, m, n // 4, 4)
        self.add("Mul", y, self.full(2.0))
