"""What tiling needs of elementwise computations: places that are sums of loops, and few dims."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import affine, func, ir, linalg, tensor
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.rewriting import collect_ops, defining_op, replace_op, users
from mlc.passes.schedule.common.transform_script import HANDLE, match, run_script

# Marks a computation while its dims become one.
_FLAT = "tloop.flat"


def read_computed_places(kernel: ir.Operation) -> None:
    """Operands in memory whose places are no sums of loops (quotients, remainders, from the end on) are read
    by `tensor.extract` in the body: a tile of such a computation reads no slice of them."""
    for op in collect_ops(kernel, linalg.Generic.NAME):
        maps = [each.value for each in op.attributes["indexing_maps"]]
        inputs = range(op.attributes["operandSegmentSizes"][0])
        computed = [each for each in inputs if not all(map(_is_sum, maps[each].results))]
        if computed and all(defining_op(op.operands[each], linalg.Generic.NAME) is None for each in computed):
            with ir.InsertionPoint(op), op.location:
                replace_op(op, list(_with_extracts(op, maps, computed).results))


def _is_sum(expression: ir.AffineExpr) -> bool:
    if isinstance(expression, ir.AffineDimExpr):
        return True
    if isinstance(expression, ir.AffineConstantExpr):
        return bool(ir.AffineConstantExpr(expression).value >= 0)
    if not isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        return False
    binary = ir.AffineBinaryExpr(expression)
    return _is_sum(binary.lhs) and _is_sum(binary.rhs)


def _with_extracts(op: ir.Operation, maps: Sequence[ir.AffineMap], computed: Sequence[int]) -> ir.Operation:
    """The computation without the operands `computed`, whose elements its body reads itself."""
    inputs = op.attributes["operandSegmentSizes"][0]
    kept = [index for index in range(len(op.operands)) if index not in computed]
    made = linalg.GenericOp(
        [result.type for result in op.results],
        [op.operands[each] for each in kept if each < inputs],
        list(op.operands)[inputs:],
        ir.ArrayAttr.get([ir.AffineMapAttr.get(maps[each]) for each in kept]),
        op.attributes["iterator_types"],
    )
    old = op.regions[0].blocks[0]
    body = made.regions[0].blocks.append(*[old.arguments[each].type for each in kept])
    values = dict(zip([old.arguments[each] for each in kept], body.arguments, strict=True))
    with ir.InsertionPoint(body):
        indices = [linalg.IndexOp(dim).result for dim in range(maps[0].n_dims)]
        for each in computed:
            places = [_applied(maps[each], result, indices) for result in maps[each].results]
            values[old.arguments[each]] = tensor.extract(op.operands[each], places)
        clone_ops([each.operation for each in old.operations], values)
    return made.operation


def _applied(access: ir.AffineMap, result: ir.AffineExpr, indices: Sequence[ir.Value]) -> ir.Value:
    return affine.AffineApplyOp(ir.AffineMap.get(access.n_dims, 0, [result]), list(indices)).result


def flatten_elementwise(kernel: ir.Operation) -> None:
    """Results that are computed element by element from inputs of the same shape get one dim: its tiles
    seldom have padding."""
    for op in collect_ops(kernel, linalg.Generic.NAME):
        if _is_plain(op):
            op.attributes[_FLAT] = ir.UnitAttr.get()
            flatten = f"transform.structured.flatten_elementwise %b : ({HANDLE}) -> {HANDLE}"
            run_script(kernel, f"{match('b', _FLAT)}\n%flat = {flatten}")


def _is_plain(op: ir.Operation) -> bool:
    """Whether all operands are read in the result's order, and only inputs are read and only results made."""
    maps = [each.value for each in op.attributes["indexing_maps"]]
    identity = ir.AffineMap.get_identity(maps[0].n_dims)
    inputs = list(op.operands)[: op.attributes["operandSegmentSizes"][0]]
    return (
        maps[0].n_dims > 1
        and len(op.results) == 1
        and all(each == identity for each in maps)
        and all(isinstance(each.type, ir.RankedTensorType) and defining_op(each) is None for each in inputs)
        and all(func.Return.isa(user) for user in users(op.results[0]))
        and not collect_ops(op, (linalg.Index.NAME, tensor.Extract.NAME))
    )
