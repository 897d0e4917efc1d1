"""A linear layer and its ReLU as one explicit loop nest.

python examples/linear_relu.py          compiles and runs it, and compares with NumPy
python examples/linear_relu.py --mlir   prints the loops that the source becomes
"""

from __future__ import annotations

import sys

import numpy as np

import mlc
from mlc.kernels import Output, Tensor, block, dims, f32

M, N, K = dims("M N K")


@mlc.kernel
def linear_relu(
    x: Tensor[f32, M, K], w: Tensor[f32, K, N], bias: Tensor[f32, N], y: Output[f32, M, N]
) -> None:
    """Row by row: bias, products, ReLU; a row of `y` stays in the cache in between."""
    for i in range(M):
        for j in range(N):
            with block("bias"):
                y[i, j] = bias[j]
        for k in range(K):
            for j in range(N):
                with block("product"):
                    y[i, j] += x[i, k] * w[k, j]
        for j in range(N):
            with block("relu"):
                y[i, j] = max(y[i, j], 0.0)


def main(rows: int = 32, inputs: int = 64, outputs: int = 48) -> None:
    """Prints the largest error against NumPy in double precision, relative to the largest result."""
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(shape, np.float32) for shape in ((rows, inputs), (inputs, outputs)))
    bias = random.standard_normal(outputs, np.float32)
    expected = np.maximum(x.astype(np.float64) @ w + bias, 0)
    error = np.abs(linear_relu(x, w, bias) - expected).max() / expected.max()
    print(f"linear_relu, {rows}x{inputs} times {inputs}x{outputs}: largest error {error:.1e}")


if __name__ == "__main__":
    if "--mlir" in sys.argv:
        print(linear_relu.mlir(M=32, K=64, N=48))
    else:
        main()
