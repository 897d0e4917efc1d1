"""Matrix multiplication of tiles."""

from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.accel import views
from mlc.dialects.accel.dialect import SHARED, Accel, is_shared
from mlc.dialects.verification import verifier

# The accumulators' types by the operands' element type.
SUMS = {
    **dict.fromkeys(("bf16", "f8E4M3FN", "f8E5M2"), ("f32",)),
    "f16": ("f16", "f32"),
    "f32": ("f32",),
    "f64": ("f64",),
    "i8": ("i32",),
}
# Operands of f32 are multiplied exactly, or rounded to 10 bits of mantissa first.
PRECISIONS = ("exact", "tf32")
# Operands that are stored as [K, M] and [N, K], and those of unsigned integers.
TRANSPOSED, UNSIGNED = ("transpose_a", "transpose_b"), ("unsigned_a", "unsigned_b")


def are_multiplied(left: ir.Type, right: ir.Type) -> bool:
    """Whether elements of these types can be multiplied: of equal types, or floats of 8 bits."""
    return left == right or all(str(element).startswith("f8") for element in (left, right))


def _mma_fault(op: ext.Operation) -> str:
    a, b, sums = op.operation.operands
    for name, value in (("a", a), ("b", b)):
        if not (is_shared(value) or isinstance(value.type, ir.VectorType)) or value.type.rank != 2:
            return f"{name} must be a matrix, a vector or a memref in {SHARED}, but is {value.type}"
    if not isinstance(sums.type, ir.VectorType) or sums.type.rank != 2:
        return f"the accumulator must be a vector of 2 dims, but is {sums.type}"
    for flag in (*TRANSPOSED, *UNSIGNED):
        if flag in op.attributes and not isinstance(op.attributes[flag], ir.UnitAttr):
            return f"{flag} must be a unit attribute"
    return _shape_fault(op) or _type_fault(op)


def _shape_fault(op: ext.Operation) -> str:
    shapes = [list(value.type.shape) for value in op.operation.operands]
    for shape, flag in zip(shapes, TRANSPOSED, strict=False):
        if flag in op.attributes:
            shape.reverse()
    (m, k), (depth, n), sums = shapes
    if depth == k and sums == [m, n]:
        return ""
    return f"multiplies {m}x{k} by {depth}x{n}, and adds to {sums[0]}x{sums[1]}"


def _type_fault(op: ext.Operation) -> str:
    a, b, sums = (str(value.type.element_type) for value in op.operation.operands)
    if not are_multiplied(*(value.type.element_type for value in list(op.operation.operands)[:2])):
        return f"cannot multiply {a} by {b}"
    if a not in SUMS or sums not in SUMS[a]:
        known = ", ".join(f"{name} in {' or '.join(types)}" for name, types in SUMS.items())
        return f"cannot sum products of {a} in {sums}; it can {known}"
    flag = next((name for name in UNSIGNED if name in op.attributes), "")
    if flag and a != "i8":
        return f"{flag} is for operands of i8, not of {a}"
    precision = views.Mma(op).precision
    if precision not in PRECISIONS or (precision != "exact" and a != "f32"):
        return f"precision must be 'exact', or 'tf32' for operands of f32, but is '{precision}' for {a}"
    return ""


def factor_type(op: ir.Operation, operand: int) -> ir.Type:
    """Returns the element type of the operand at index `operand` of an `accel.mma`, with its signedness."""
    element = op.operands[operand].type.element_type
    return ir.IntegerType.get_unsigned(8) if UNSIGNED[operand] in op.attributes else element


class MmaOp(Accel.Operation, name="mma"):
    """Multiplies two tiles and adds the product to the accumulator: `[M, K]` times `[K, N]`, each in shared
    memory or in registers. With `transpose_a` the first one is stored as `[K, M]`, with `transpose_b` the
    second one as `[N, K]`. Elements of i8 are signed, unless `unsigned_a` or `unsigned_b` is set.

    The accumulation is in the accumulator's type, in any order. `precision` "tf32" rounds operands of f32 to
    10 bits of mantissa first; otherwise it is "exact".
    """

    FORMS = {"transpose_a": "unit", "transpose_b": "unit", "unsigned_a": "unit", "unsigned_b": "unit"}

    precision: ir.StringAttr
    a: ext.Operand[Any]
    b: ext.Operand[Any]
    accumulator: ext.Operand[Any]
    result: ext.Result[Any]

    verify_invariants = verifier(_mma_fault, precision=ir.StringAttr)
