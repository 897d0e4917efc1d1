"""Reads step lists from planned host functions and their kernels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mlc.bindings import func, gpu, ir, memref
from mlc.compiler.errors import CompileError
from mlc.compiler.host_program.numpy_evaluation import TYPES, can_evaluate, can_evaluate_cast
from mlc.compiler.host_program.step_list import (
    COPY,
    WAIT,
    BufferRegion,
    EncodedConstant,
    Evaluated,
    HostStep,
    NumpyKernel,
    StepList,
)
from mlc.dialects import graph, tloop
from mlc.dialects.graph.elements import dtype_of
from mlc.passes.common.kernel_functions import HOST
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.offsets import CONTROL, STEPS, BufferAddress, buffer_addresses
from mlc.passes.host.program.rewriter import TRANSFER

NO_DEVICES: Mapping[str, str] = MappingProxyType({})


def read_step_list(
    function: ir.Operation, kernels: Mapping[str, ir.Operation], devices: Mapping[str, str] = NO_DEVICES
) -> StepList:
    """Returns the step list of a host function after `host-plan-memory`. Those of `kernels` that NumPy can
    evaluate have bodies; `devices` has the kernels that are not on the target's device. Raises CompileError
    for control flow, which a list cannot hold."""
    _check_straight(function)
    addresses = buffer_addresses(function)
    tokens: dict[ir.Value, int] = {}
    steps: list[HostStep] = []
    for op in [op.operation for op in function.regions[0].blocks[0]]:
        if op.name == gpu.Wait.NAME:
            steps += [HostStep(WAIT, (), tokens[token]) for token in op.operands]
        elif op.name in STEPS:
            regions = tuple(_region(value, addresses[value]) for value in op.operands)
            steps.append(_step(op, regions, tokens, devices))
    bodies = {name: read_body(kernel) for name, kernel in kernels.items()}
    return StepList(tuple(steps), {name: body for name, body in bodies.items() if body is not None})


def _check_straight(function: ir.Operation) -> None:
    found = collect_ops(function, CONTROL)
    if found:
        name = func.Func(function).sym_name
        raise CompileError(
            f"@{name} holds control flow, which only processors run",
            [f"'{found[0].name}' from {found[0].location}"],
        )


def _step(
    op: ir.Operation,
    regions: tuple[BufferRegion, ...],
    tokens: dict[ir.Value, int],
    devices: Mapping[str, str],
) -> HostStep:
    if op.name == tloop.LaunchInto.NAME:
        kernel = tloop.LaunchInto(op).kernel
        return HostStep(kernel, regions, None, devices.get(kernel, HOST), tloop.LaunchInto(op).num_outputs)
    to = op.attributes[TRANSFER].value if TRANSFER in op.attributes else HOST
    if op.name == memref.Copy.NAME:
        return HostStep(COPY, regions, None, to, 1)
    # `gpu.memcpy` has its destination first.
    transfer = len(tokens)
    tokens[op.result] = transfer
    return HostStep(COPY, regions[::-1], transfer, to, 1)


def _region(value: ir.Value, address: BufferAddress) -> BufferRegion:
    type_ = ir.ShapedType(value.type)
    return BufferRegion(
        address.argument, address.offset, dtype_of(str(type_.element_type)).name, tuple(type_.shape)
    )


def read_body(kernel: ir.Operation) -> NumpyKernel | None:
    """Returns the kernel's computation, or None if it has an op that NumPy does not evaluate as kernels
    do."""
    block = kernel.regions[0].blocks[0]
    indices: dict[ir.Value, int] = {value: index for index, value in enumerate(block.arguments)}
    items: list[EncodedConstant | Evaluated] = []
    for op in [op.operation for op in block.operations]:
        if op.name == func.Return.NAME:
            return NumpyKernel(tuple(items), tuple(indices[value] for value in op.operands))
        item = _item(op, [indices[value] for value in op.operands])
        if item is None:
            return None
        items.append(item)
        indices[op.result] = len(indices)
    return None


def _item(op: ir.Operation, operands: list[int]) -> EncodedConstant | Evaluated | None:
    name = op.name.removeprefix("graph.")
    spec = graph.specs().get(name)
    if spec is None or len(op.results) != 1 or not _is_static(op.result):
        return None
    attributes: dict[str, Any] = {
        attribute.name: graph.attribute(op, attribute.name) for attribute in spec.attributes
    }
    dtype = dtype_of(str(graph.element_type(op.result))).name
    if name == "constant":
        return EncodedConstant.of(attributes["value"]) if dtype in TYPES else None
    if name == "cast":
        if not can_evaluate_cast(dtype_of(str(graph.element_type(graph.Cast(op).x))).name, dtype):
            return None
        attributes = {"to": dtype}
    elif not can_evaluate(name, attributes, dtype, len(operands)):
        return None
    return Evaluated(name, attributes, tuple(operands), tuple(op.result.type.shape))


def _is_static(value: ir.Value) -> bool:
    return bool(value.type.has_rank and value.type.has_static_shape)
