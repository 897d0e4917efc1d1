"""The input of operators of ai.onnx.ml: rows of features."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.values import Value
from onnx import TensorProto


def rows(node: Node, wide: bool = True) -> Value:
    """Input 0 as `[N, F]` numbers: f32, or f64 where it is and `wide`. A vector is one row.

    Raises for other ranks and for F that is not known.
    """
    x = node.input(0)
    if x.rank not in (1, 2):
        raise NodeFailure(f"the input has rank {x.rank}, neither 1 nor 2")
    node.static(x.shape[-1:], "the number of features")
    x = node.reshape(x, [1, *x.shape]) if x.rank == 1 else x
    keeps = x.number == TensorProto.DOUBLE and wide
    return x if keeps else node.cast(x, TensorProto.FLOAT)


def features(x: Value) -> int:
    """How many features the rows `[N, F]` have."""
    count = x.shape[1]
    assert isinstance(count, int)
    return count
