"""Signed and unsigned integers to signless ones, which are all that upstream's arithmetic knows.

Graph ops and lowering rules keep signedness in the type, because it decides which op is built (`divui` or
`divsi`). Once the ops are built, it has said all it has to say.
"""

from __future__ import annotations

from mlc.bindings import ir


def signless(kind: ir.Type) -> ir.Type:
    """`kind` with signless integers: a scalar, a ranked tensor, a vector, or any other type, which stays."""
    if isinstance(kind, ir.IntegerType):
        return kind if kind.is_signless else ir.IntegerType.get_signless(kind.width)
    if isinstance(kind, ir.RankedTensorType):
        element = signless(kind.element_type)
        return kind if element == kind.element_type else ir.RankedTensorType.get(kind.shape, element)
    if isinstance(kind, ir.VectorType):
        return ir.VectorType.get(kind.shape, signless(kind.element_type))
    return kind


def _signless_constant(value: ir.Attribute) -> ir.Attribute:
    kind = signless(value.type)
    if kind == value.type:
        return value
    if isinstance(value, ir.IntegerAttr):
        return ir.IntegerAttr.get(kind, _wrapped(value.value, kind.width))
    element = ir.IntegerType(ir.RankedTensorType(kind).element_type)
    parts = [
        ir.IntegerAttr.get(element, _wrapped(each, element.width)) for each in ir.DenseIntElementsAttr(value)
    ]
    if value.is_splat:
        return ir.DenseElementsAttr.get_splat(kind, parts[0])
    return ir.DenseElementsAttr.get(parts, kind)


def _wrapped(value: int, width: int) -> int:
    """The signed number with the same bits."""
    return value - (1 << width) if value >= 1 << (width - 1) else value


def drop_signedness(function: ir.Operation) -> None:
    """Makes every type in `function` signless, its own included."""

    def visit(op: ir.Operation) -> ir.WalkResult:
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_type(signless(argument.type))
        for result in op.results:
            result.set_type(signless(result.type))
        if op.name == "arith.constant":
            op.attributes["value"] = _signless_constant(op.attributes["value"])
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    kind = function.attributes["function_type"].value
    inputs, results = [signless(each) for each in kind.inputs], [signless(each) for each in kind.results]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))
