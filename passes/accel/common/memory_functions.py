"""Kernels on memrefs in place of kernels on tensors."""

from __future__ import annotations

from mlc.bindings import func, ir
from mlc.passes.common.rewriting import attributes_of


def on_memory(kernel: ir.Operation) -> ir.Block:
    """The empty body of a new function in front of `kernel`, of its name: it takes the inputs, then the
    outputs, and returns nothing. The caller fills it, and erases the kernel."""
    kind = kernel.attributes["function_type"].value
    types = [_memory_type(each) for each in (*kind.inputs, *kind.results)]
    name = kernel.attributes["sym_name"].value
    with ir.InsertionPoint(kernel), kernel.location:
        function = func.FuncOp(name, (types, []), visibility="private").operation
    for key, attribute in attributes_of(kernel).items():
        if key not in function.attributes and not key.endswith("_attrs"):
            function.attributes[key] = attribute
    return function.regions[0].blocks.append(*types, arg_locs=[kernel.location] * len(types))


def _memory_type(kind: ir.Type) -> ir.Type:
    if not isinstance(kind, ir.RankedTensorType):
        return kind
    return ir.MemRefType.get(list(kind.shape), kind.element_type)
