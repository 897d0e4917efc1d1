"""Kernels on memrefs, which replace kernels on tensors."""

from __future__ import annotations

from mlc.bindings import func, ir
from mlc.passes.common.rewriting import attributes_of


def on_memory(kernel: ir.Operation) -> ir.Block:
    """Creates a function before `kernel` with its name and returns its empty body. The function takes the
    inputs, then the outputs, and returns nothing. The caller fills it, and erases the kernel."""
    signature = ir.FunctionType(func.Func(kernel).function_type)
    types = [_memory_type(tensor) for tensor in (*signature.inputs, *signature.results)]
    with ir.InsertionPoint(kernel), kernel.location:
        function = func.FuncOp(func.Func(kernel).sym_name, (types, []), visibility="private").operation
    for key, attribute in attributes_of(kernel).items():
        if key not in function.attributes and not key.endswith("_attrs"):
            function.attributes[key] = attribute
    return func.Func(function).body.blocks.append(*types, arg_locs=[kernel.location] * len(types))


def _memory_type(value_type: ir.Type) -> ir.Type:
    if not isinstance(value_type, ir.RankedTensorType):
        return value_type
    return ir.MemRefType.get(list(value_type.shape), value_type.element_type)
