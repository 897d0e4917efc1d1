"""The input of operators of ai.onnx.ml: rows of features."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import sliced
from mlc.frontends.onnx.values import Value


def rows(node: Node, wide: bool = True) -> Value:
    """Input 0 as `[N, F]` numbers: f32, or f64 where it is and `wide`. A vector is one row.

    Raises for other ranks.
    """
    x = node.input(0)
    if x.rank not in (1, 2):
        raise NodeError(f"the input has rank {x.rank}, neither 1 nor 2")
    x = node.reshape(x, [1, *x.shape]) if x.rank == 1 else x
    keeps = x.number == TensorProto.DOUBLE and wide
    return x if keeps else node.cast(x, TensorProto.FLOAT)


def with_features(node: Node, x: Value, count: int) -> Value:
    """The rows `[N, F]`, where F follows from the attributes if only a call tells it, which must have as
    many."""
    return x if isinstance(x.shape[1], int) else node.reshape(x, [x.shape[0], count])


def with_least_features(node: Node, x: Value, count: int) -> Value:
    """The first features of the rows, where only a call tells how many there are: as many as are read."""
    return x if isinstance(x.shape[1], int) else sliced(node, x, {1: (0, count, 1)})


def features(x: Value) -> int:
    """How many features the rows `[N, F]` have, which is known."""
    count = x.shape[1]
    assert isinstance(count, int)
    return count
