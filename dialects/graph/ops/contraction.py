"""Matrix products and determinants."""

from __future__ import annotations

from mlc.dialects.graph.elements import FLOAT, NUMERIC
from mlc.dialects.graph.shape_rules import broadcast, check_rank, merge
from mlc.dialects.graph.spec import (
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    ShapeFunction,
    define,
    define_family,
)

FAMILY = define_family("contraction", "Sums of products; the result has the operands' element type.")


def _matmul(call: OpCall) -> GraphTensor:
    a, b = call.a.shape, call.b.shape
    for name in ("a", "b"):
        if not call[name].shape:
            raise ShapeError(name, f"is a scalar: {call[name]}")
    merge("a, b", a[-1], b[-2] if len(b) > 1 else b[0], f"reduction dims of {call.a} and {call.b} differ")
    batch = broadcast(a=a[:-2], b=b[:-2])
    return GraphTensor(batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ()), call.a.element)


def _matmul_packed(call: OpCall) -> GraphTensor:
    if call.a.rank < 2:
        raise ShapeError("a", f"needs rank 2 or more: {call.a}")
    if call.b.rank not in (3, 4):
        raise ShapeError("b", f"needs rank 3 or 4 ([batch], N/t, K, t): {call.b}")
    *batch, blocks, reduction, tile = call.b.shape
    if batch:
        check_rank("a", call.a, 3, " ([batch, M, K], as b is batched)")
        merge("a, b", call.a.shape[0], batch[0], f"batch dims of {call.a} and {call.b} differ")
    merge("a, b", call.a.shape[-1], reduction, f"reduction dims of {call.a} and {call.b} differ")
    return GraphTensor((*call.a.shape[:-1], blocks, tile), call.a.element)


def contraction(name: str, summary: str, shapes: str, onnx: str, infer: ShapeFunction) -> None:
    """Defines a product of `a` and `b`, of one element type."""
    operands = (OperandSpec("a", NUMERIC), OperandSpec("b", NUMERIC, like="a"))
    define(OpSpec(name, FAMILY, summary, shapes, (onnx,), operands, infer))


contraction(
    "matmul",
    "matrix product, batched over the leading dims",
    "NumPy's: `[..., M, K]` by `[..., K, N]` gives `[..., M, N]`, batch dims broadcast; a one-dimensional "
    "operand is a row (a) or a column (b) whose dim of 1 the result lacks.",
    "MatMul, Gemm",
    _matmul,
)
contraction(
    "matmul_packed",
    "matrix product with b packed into column panels of width t",
    "a `[..., M, K]`, b `[N/t, K, t]`, result `[..., M, N/t, t]`: column n of the product is element `[n / "
    "t, n % t]`. Batched: a `[B, M, K]`, b `[B, N/t, K, t]`, result `[B, M, N/t, t]`.",
    "made by layout passes",
    _matmul_packed,
)


def _det(call: OpCall) -> GraphTensor:
    if call.x.rank < 2:
        raise ShapeError("x", f"needs rank 2 or more: {call.x}")
    rows, columns = call.x.shape[-2:]
    merge("x", rows, columns, f"the last two dims of {call.x} differ")
    return GraphTensor(call.x.shape[:-2], call.x.element)


define(
    OpSpec(
        "det",
        FAMILY,
        "determinants of square matrices",
        "x `[..., N, N]` gives `[...]`.",
        ("Det",),
        (OperandSpec("x", FLOAT),),
        _det,
    )
)
