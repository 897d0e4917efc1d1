"""graph-lower-objects: strings and sequences become the integers that represent them in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import graph
from mlc.dialects.graph.ops.objects import OBJECTS
from mlc.passes.base import Pass
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import collect_ops, replace_op

_CONVERSIONS = (graph.Objects.NAME, graph.ObjectIds.NAME)


@dataclass(frozen=True)
class LowerObjects(Pass):
    """Give tensors of `!graph.string` and `!graph.sequence` elements of type i64; `graph.objects` and
    `graph.object_ids` go.

    Every op that takes objects only moves integers then, or compares them, or is a `graph.call_runtime`,
    whose function knows what they are. Runs before all passes that ask for the size of an element.
    """

    name: ClassVar[str] = "graph-lower-objects"

    def run(self, op: ir.Operation) -> None:
        functions = [child.operation for child in op.regions[0].blocks[0] if func.Func.isa(child)]
        for function in functions:
            ops = collect_ops(function)
            values = [*_arguments(function, ops), *(value for inner in ops for value in inner.results)]
            for value in values:
                value.set_type(_with_ids(value.type))
            for conversion in [conversion for conversion in ops if conversion.name in _CONVERSIONS]:
                replace_op(conversion, conversion.operands[0])
            object_type = function.attributes["function_type"].value
            sides = (
                [_with_ids(value_type) for value_type in side]
                for side in (object_type.inputs, object_type.results)
            )
            function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*sides))


def _arguments(function: ir.Operation, ops: list[ir.Operation]) -> Iterator[ir.Value]:
    for op in (function, *ops):
        for region in op.regions:
            for block in region.blocks:
                yield from block.arguments


def _with_ids(object_type: ir.Type) -> ir.Type:
    if not isinstance(object_type, ir.RankedTensorType) or str(object_type.element_type) not in OBJECTS:
        return object_type
    return ir.RankedTensorType.get(list(object_type.shape), i64())
