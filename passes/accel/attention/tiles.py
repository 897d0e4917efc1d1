"""Vectors of rows and columns, as programs of attention use them."""

from __future__ import annotations

from mlc.bindings import arith, ir, vector
from mlc.dialects import accel
from mlc.passes.common.vector_builders import splat


def floats(*shape: int) -> ir.VectorType:
    """Vectors of f32."""
    return ir.VectorType.get(list(shape), ir.F32Type.get())


def filled(like: ir.Value, number: float) -> ir.Value:
    """A vector of equal numbers, of the type of another one."""
    return splat(like.type, number)


def across(rows: ir.Value, columns: int) -> ir.Value:
    """`[rows]` as `[rows, columns]`, each element along its row."""
    (count,), element = rows.type.shape, rows.type.element_type
    column = vector.ShapeCastOp(ir.VectorType.get([count, 1], element), rows).result
    return vector.BroadcastOp(ir.VectorType.get([count, columns], element), column).result


def reduced_rows(kind: str, matrix: ir.Value, start: ir.Value) -> ir.Value:
    """`start` joined with the elements of each row."""
    attribute = ir.Attribute.parse(f"#vector.kind<{kind}>")
    return vector.MultiDimReductionOp(attribute, matrix, start, ir.DenseI64ArrayAttr.get([1])).result


def partial_sums(matrix: ir.Value, start: ir.Value) -> ir.Value:
    """`start` and the sums of every so many elements of each row, as many as it has columns: those of one
    column of `start` are a thread's, where tensor units computed the matrix."""
    rows, columns = matrix.type.shape
    parts = start.type.shape[1]
    cut = ir.VectorType.get([rows, columns // parts, parts], matrix.type.element_type)
    pieces = vector.ShapeCastOp(cut, matrix).result
    attribute = ir.Attribute.parse("#vector.kind<add>")
    return vector.MultiDimReductionOp(attribute, pieces, start, ir.DenseI64ArrayAttr.get([1])).result


def numbered(count: int, first: ir.Value) -> ir.Value:
    """`first`, `first + 1` and so on."""
    kind = ir.VectorType.get([count], ir.IndexType.get())
    return arith.addi(vector.StepOp(kind).result, vector.BroadcastOp(kind, first).result)


def product(
    a: ir.Value, b: ir.Value, sums: ir.Value, precision: str, *, transpose_b: bool = False
) -> ir.Value:
    """`a b + sums`."""
    attributes: dict[str, ir.Attribute] = {"precision": ir.StringAttr.get(precision)}
    if transpose_b:
        attributes["transpose_b"] = ir.UnitAttr.get()
    return ir.Operation.create(accel.Mma.NAME, [sums.type], [a, b, sums], attributes).results[0]
