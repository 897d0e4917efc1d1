"""The input of operators of ai.onnx.ml: rows of features."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.values import Value


def rows(node: Node, wide: bool = True) -> Value:
    """Returns input 0 as `[N, F]` of f32, or f64 where it is and `wide`; a vector is one row.

    Raises NodeError for other ranks.
    """
    x = node.input(0)
    if x.rank not in (1, 2):
        raise NodeError(f"the input has rank {x.rank}, neither 1 nor 2")
    x = node.reshape(x, [1, *x.shape]) if x.rank == 1 else x
    keeps = x.onnx_type == TensorProto.DOUBLE and wide
    return x if keeps else node.cast(x, TensorProto.FLOAT)


def with_features(node: Node, x: Value, count: int) -> Value:
    """Returns rows `[N, F]` of dynamic F with `count` features, as the attributes require; others
    unchanged."""
    return x if isinstance(x.shape[1], int) else node.reshape(x, [x.shape[0], count])


def with_least_features(node: Node, x: Value, count: int) -> Value:
    """Returns the first `count` features, those that are read, of rows with a dynamic number of features."""
    return x if isinstance(x.shape[1], int) else slice_axes(node, x, {1: (0, count, 1)})


def features(x: Value) -> int:
    """Returns the number of features of the rows `[N, F]`, which is static."""
    count = x.shape[1]
    assert isinstance(count, int)
    return count
