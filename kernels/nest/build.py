"""Builds the body of a kernel from the source of its function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlc.bindings import affine, arith, bufferization, ir, memref
from mlc.kernels.nest.nest_state import Array, NestBuilder
from mlc.kernels.nest.statements import run_all
from mlc.kernels.signature import Signature
from mlc.kernels.source import KernelSource
from mlc.passes.common.rewriting import collect_ops, replace_op


def build_body(
    source: KernelSource,
    signature: Signature,
    names: Mapping[str, Any],
    sizes: Mapping[str, int],
    arguments: Sequence[ir.Value],
) -> list[ir.Value]:
    """Builds the nest at the insertion point; `arguments` are the input tensors, the results the output ones.

    The nest works on buffers, but the kernel is a function of tensors like any other: bufferisation makes the
    inputs' buffers the caller's, and the outputs those into which it is asked to write.
    Raises KernelError.
    """
    nest = NestBuilder(source, names, {})
    with nest.at(source.tree):
        for parameter, value in zip(signature.inputs, arguments, strict=True):
            type_ = ir.RankedTensorType(value.type)
            buffer = bufferization.ToBufferOp(_memref(type_), value, read_only=True).result
            _declare(parameter.name, buffer, signature, nest, writable=False)
        outputs = []
        for parameter in signature.outputs:
            tensor = signature.tensor(parameter.name)
            type_ = ir.RankedTensorType.get(tensor.sizes(sizes), ir.Type.parse(tensor.element.name))
            outputs.append(memref.AllocOp(_memref(type_), [], []).result)
            _declare(parameter.name, outputs[-1], signature, nest, writable=True)
    run_all(source.tree.body, nest)
    for parameter, output in zip(signature.outputs, outputs, strict=True):
        if 0 not in ir.MemRefType(output.type).shape and not _is_written(output):
            nest.fail(f"{signature.name} never writes to its output {parameter.name}", source.tree)
    _hoist_constants(ir.InsertionPoint.current.block)
    with nest.at(source.tree):
        return [
            bufferization.ToTensorOp(_tensor(output), output, restrict=True, writable=True).result
            for output in outputs
        ]


def _is_written(buffer: ir.Value) -> bool:
    return any(use.owner.name in (affine.AffineStore.NAME, memref.Store.NAME) for use in buffer.uses)


def _declare(name: str, buffer: ir.Value, signature: Signature, nest: NestBuilder, writable: bool) -> None:
    shape = tuple(ir.MemRefType(buffer.type).shape)
    nest.scope[name] = Array(name, buffer, signature.tensor(name).element, shape, writable)


def _memref(type_: ir.RankedTensorType) -> ir.MemRefType:
    return ir.MemRefType.get(list(type_.shape), type_.element_type)


def _tensor(buffer: ir.Value) -> ir.RankedTensorType:
    type_ = ir.MemRefType(buffer.type)
    return ir.RankedTensorType.get(list(type_.shape), type_.element_type)


def _hoist_constants(block: ir.Block) -> None:
    """Puts the constants before the loops, each once: between loops they would break perfect nests."""
    first: dict[str, ir.Value] = {}
    for op in collect_ops(block.owner.operation, [arith.Constant.NAME]):
        text = op.get_asm().partition("=")[2]
        if text in first:
            replace_op(op, [first[text]])
            continue
        first[text] = arith.Constant(op).result
        op.move_before(block.operations[0].operation)
