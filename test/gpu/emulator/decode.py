"""MLIR to what the interpreter runs: ops with numbered values and attributes in Python's types.

The bindings cost microseconds per question; an op of a loop is asked once here instead of in every iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlc.bindings import ir

from .errors import UnknownOp
from .registry import OPS, Handler, is_blocking
from .values import LANES, ValueType, value_type

_FUNCTIONS = ("llvm.func", "gpu.func")
# Lanes of a wavefront of AMD's CDNA GPUs.
WAVEFRONT = 64


@dataclass(slots=True)
class Block:
    """A straight line of ops; values are numbers of slots in a unit's environment."""

    arguments: tuple[int, ...]
    index: int  # position in its region
    ops: list[Op] = field(default_factory=list)


@dataclass(slots=True)
class Op:
    """One op. `groups` are the operands by segment, where the op has `operandSegmentSizes`."""

    name: str
    operands: tuple[int, ...]
    results: tuple[int, ...]
    operand_types: tuple[ValueType, ...]
    result_types: tuple[ValueType, ...]
    attributes: dict[str, Any]
    regions: tuple[tuple[Block, ...], ...]
    successors: tuple[Block, ...]
    location: str
    handler: Handler
    blocking: bool
    memo: dict[Any, Any] = field(default_factory=dict)  # for handlers, what they work out once

    @property
    def variant(self) -> str:
        """The case of the enum attribute that selects a variant of the op: "wait" of "<wait>"."""
        return str(self.attributes["kind"]).removesuffix(">").split("<")[-1].split()[-1]

    def groups(self, values: tuple[Any, ...]) -> list[list[Any]]:
        """`values` (one per operand) by the op's operand segments."""
        rest = iter(values)
        return [[next(rest) for _ in range(size)] for size in self.attributes["operandSegmentSizes"]]


@dataclass(frozen=True)
class Kernel:
    """A decoded kernel. `shared` gives the offsets of its globals in shared memory, `static_bytes` their
    end. One that `overlaps` may begin before those before it have ended."""

    name: str
    blocks: tuple[Block, ...]
    slots: int
    parameters: tuple[ValueType, ...]
    attributes: dict[str, Any]
    shared: dict[str, int]
    static_bytes: int
    overlaps: bool

    @property
    def lanes(self) -> int:
        """Threads that run in step: those of a warp or of a wavefront."""
        return WAVEFRONT if "rocdl.kernel" in self.attributes else LANES


def decode_kernel(module: ir.Module, name: str = "") -> Kernel:
    """The kernel called `name`, or the only one of `module`, which may hold gpu.modules.

    Raises `ValueError` if there is none or no single one, `UnknownOp` for ops without a function.
    """
    ops = list(_symbols(module.operation))
    kernels = [op for op in ops if op.name in _FUNCTIONS and _is_kernel(op)]
    chosen = [kernel for kernel in kernels if name in ("", _symbol(kernel))]
    if len(chosen) != 1:
        raise ValueError(
            f"kernels: {', '.join(map(_symbol, kernels)) or 'none'}; wanted one: {name or 'any'}"
        )
    shared, end = _allocate_shared([op for op in ops if op.name == "llvm.mlir.global"])
    return _Decoder().kernel(chosen[0], shared, end)


def _symbols(op: ir.Operation) -> Iterator[ir.Operation]:
    for inner in op.regions[0].blocks[0].operations:
        if inner.operation.name == "gpu.module":
            yield from _symbols(inner.operation)
        else:
            yield inner.operation


def _is_kernel(op: ir.Operation) -> bool:
    return any(name in op.attributes for name in ("nvvm.kernel", "rocdl.kernel", "gpu.kernel", "kernel"))


def _symbol(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _allocate_shared(variables: list[ir.Operation]) -> tuple[dict[str, int], int]:
    """Returns the globals' offsets in shared memory; dynamic ones, without a size, share the end."""
    sizes = {}
    for variable in variables:
        attributes = _attributes(variable)
        if attributes.get("addr_space") == 3:
            size = value_type(attributes["global_type"]).bytes
            sizes[attributes["sym_name"]] = (size, attributes.get("alignment", 16))
    offsets, end = {}, 0
    for symbol, (size, alignment) in sorted(sizes.items(), key=lambda item: item[1][0] == 0):
        end = -(-end // alignment) * alignment
        offsets[symbol] = end
        end += size
    return offsets, end


def _attributes(op: ir.Operation) -> dict[str, Any]:
    return {name: decode_attribute(op.attributes[name]) for name in op.attributes}


def decode_attribute(attribute: ir.Attribute) -> Any:
    """An attribute in Python's types; those of dialects as text."""
    for attribute_type in (
        ir.IntegerAttr,
        ir.BoolAttr,
        ir.FloatAttr,
        ir.StringAttr,
        ir.TypeAttr,
        ir.FlatSymbolRefAttr,
    ):
        if isinstance(attribute, attribute_type):
            return attribute.value
    if isinstance(attribute, (ir.DenseI32ArrayAttr, ir.DenseI64ArrayAttr, ir.DenseBoolArrayAttr)):
        return list(attribute)
    if isinstance(attribute, ir.ArrayAttr):
        return [decode_attribute(element) for element in attribute]
    if isinstance(attribute, ir.DenseElementsAttr):
        return _elements(attribute)
    return True if isinstance(attribute, ir.UnitAttr) else str(attribute)


def _elements(attribute: ir.DenseElementsAttr) -> np.ndarray:
    if attribute.is_splat:
        return np.full(tuple(ir.ShapedType(attribute.type).shape), attribute.get_splat_value().value)
    return np.array([attribute[i] for i in range(len(attribute))]).reshape(tuple(attribute.type.shape))


class _Decoder:
    """Decodes one function and assigns slots to its values."""

    def __init__(self) -> None:
        self.slots: dict[ir.Value, int] = {}
        self.overlaps = False

    def kernel(self, function: ir.Operation, shared: dict[str, int], static_bytes: int) -> Kernel:
        blocks = self._region(function.regions[0])
        parameters = tuple(value_type(argument.type) for argument in function.regions[0].blocks[0].arguments)
        name, attributes, slots = _symbol(function), _attributes(function), len(self.slots)
        return Kernel(name, blocks, slots, parameters, attributes, shared, static_bytes, self.overlaps)

    def _slot(self, value: ir.Value) -> int:
        return self.slots.setdefault(value, len(self.slots))

    def _region(self, region: ir.Region) -> tuple[Block, ...]:
        sources = list(region.blocks)
        blocks = tuple(Block(tuple(map(self._slot, source.arguments)), i) for i, source in enumerate(sources))
        for block, source in zip(blocks, sources, strict=True):
            block.ops = [self._op(op.operation, sources, blocks) for op in source.operations]
        return blocks

    def _op(self, op: ir.Operation, sources: list[ir.Block], blocks: tuple[Block, ...]) -> Op:
        if op.name not in OPS:
            raise UnknownOp(f"the emulator has no function for {op.name} ({op.location})")
        handler = OPS[op.name]
        self.overlaps |= op.name == "nvvm.griddepcontrol"
        operands, results = list(op.operands), list(op.results)
        return Op(
            op.name,
            tuple(map(self._slot, operands)),
            tuple(map(self._slot, results)),
            tuple(_type(operand) for operand in operands),
            tuple(_type(result) for result in results),
            _attributes(op),
            tuple(self._region(region) for region in op.regions),
            tuple(blocks[sources.index(successor)] for successor in op.successors),
            str(op.location),
            handler,
            is_blocking(handler),
        )


def _type(value: ir.Value) -> ValueType:
    return value_type(value.type)
