"""A classifier of fashion-MNIST's images, 784-128-10: kernels in Python, called by a graph function.

    python examples/fashion_mlp.py          compiles and runs it, and compares with NumPy
    python examples/fashion_mlp.py --mlir   prints the module: the program, then the kernels that it launches

The weights are random, with a fixed seed: the example is about how kernels become a program.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import mlc
from mlc.kernels import Output, Tensor, axis, block, compute, dims, exp, f32, max, ops, sum

M, N, K = dims("M N K")
IMAGES, PIXELS, HIDDEN, CLASSES = 1, 784, 128, 10

_random = np.random.default_rng(28)
W1 = _random.standard_normal((PIXELS, HIDDEN), np.float32) / np.float32(np.sqrt(PIXELS))
B1 = _random.standard_normal(HIDDEN, np.float32)
W2 = _random.standard_normal((HIDDEN, CLASSES), np.float32) / np.float32(np.sqrt(HIDDEN))
B2 = _random.standard_normal(CLASSES, np.float32)


@mlc.kernel
def linear(x: Tensor[f32, M, K], w: Tensor[f32, K, N], bias: Tensor[f32, N], y: Output[f32, M, N]) -> None:
    """Explicit loops; the innermost one runs along rows of `w` and `y`, so that it vectorises."""
    for i in range(M):
        for j in range(N):
            with block("bias"):
                y[i, j] = bias[j]
        for k in range(K):
            for j in range(N):
                with block("product"):
                    y[i, j] += x[i, k] * w[k, j]


@mlc.expression
def softmax(x: Tensor[f32, M, N]) -> Any:
    """A tensor expression of four computations, each defined by its elements."""
    j, k = axis(N), axis(N)
    top = compute(M, lambda i: max(x[i, j], j), name="top")
    power = compute((M, N), lambda i, j: exp(x[i, j] - top[i]), name="power")
    total = compute(M, lambda i: sum(power[i, k], k), name="total")
    return compute((M, N), lambda i, j: power[i, j] / total[i], name="probability")


@mlc.graph_function
def classify(images: Tensor[f32, IMAGES, 28, 28]) -> Any:
    """Combines kernels with ops of the graph dialect (`reshape` and `relu`)."""
    x = ops.reshape(images, shape=[IMAGES, PIXELS])
    return softmax(linear(ops.relu(linear(x, W1, B1)), W2, B2))


def reference(images: np.ndarray) -> np.ndarray:
    """Computes the same in NumPy, in double precision."""
    x = images.reshape(IMAGES, PIXELS).astype(np.float64)
    scores = np.maximum(x @ W1 + B1, 0) @ W2 + B2
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def main() -> None:
    """Prints the classes' probabilities for a random image, and the largest error against NumPy."""
    images = np.random.default_rng(1).uniform(0, 1, (IMAGES, 28, 28)).astype(np.float32)
    # `classify(images)` compiles as well; an executable can also be stored.
    executable = mlc.compile(classify)
    [probabilities] = executable(images)
    print(executable)
    print(" ".join(f"{probability:.3f}" for probability in probabilities[0]))
    print(f"largest error {np.abs(probabilities - reference(images)).max():.1e}")


if __name__ == "__main__":
    if "--mlir" in sys.argv:
        print(classify.mlir())
    else:
        main()
