"""host-plan-memory: the host functions from tensors to buffers: inputs, outputs, weights, and one arena."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from mlc.bindings import arith, func, ir, memref
from mlc.dialects.tloop import build_launch_into
from mlc.passes.base import Pass, PassFailure
from mlc.passes.graph.form_kernels import is_host
from mlc.passes.graph.fusion import VIEWS
from mlc.passes.lowering.arena import Lifetime, lower_bound, plan
from mlc.passes.lowering.kernel_entry import row_major_strides
from mlc.passes.tloop.stack_buffers import size_in_bytes

REFERENCES = ("graph.weight", "graph.prepared")


def memref_type(kind: ir.Type) -> ir.MemRefType:
    """The buffer of a tensor of static shape."""
    tensor = ir.RankedTensorType(kind)
    return ir.MemRefType.get(list(tensor.shape), tensor.element_type)


def check_static(value: ir.Value, location: ir.Location) -> None:
    """Raises PassFailure for a value whose size is not known when memory is planned."""
    if not ir.RankedTensorType(value.type).has_static_shape:
        raise PassFailure(
            f"the host program has a value with dynamic dims, {value.type}; give its sizes (--dim, --shape)",
            location,
        )


@dataclass
class HostPlan:
    """Where every value of a host function lives.

    `places` maps a root value (argument, weight, or launch result) to ("input" | "output" | "weight", index)
    or ("arena", offset in bytes).
    """

    function: ir.Operation
    roots: dict[ir.Value, ir.Value] = field(default_factory=dict)
    places: dict[ir.Value, tuple[str, int]] = field(default_factory=dict)
    weights: list[ir.Operation] = field(default_factory=list)
    arena_bytes: int = 0
    bound: int = 0

    @property
    def block(self) -> ir.Block:
        return self.function.regions[0].blocks[0]

    @property
    def returned(self) -> list[ir.Value]:
        return list(self.block.operations[len(self.block.operations) - 1].operands)

    def root(self, value: ir.Value) -> ir.Value:
        return self.roots.get(value, value)

    def make(self) -> None:
        """Fills the plan. Raises PassFailure for ops that a host function cannot hold."""
        for index, argument in enumerate(self.block.arguments):
            check_static(argument, self.function.location)
            self.places[argument] = ("input", index)
        lifetimes: dict[ir.Value, list[int]] = {}
        for step, op in enumerate(each.operation for each in self.block.operations):
            self.visit(op, step, lifetimes)
        self.place_results(lifetimes)
        inner = [value for value in lifetimes if value not in self.places]
        spans = [Lifetime(size_in_bytes(memref_type(value.type)), *lifetimes[value]) for value in inner]
        offsets, self.arena_bytes = plan(spans)
        self.bound = lower_bound(spans)
        self.places.update({value: ("arena", offset) for value, offset in zip(inner, offsets, strict=True)})

    def place_results(self, lifetimes: Mapping[ir.Value, list[int]]) -> None:
        """Raises PassFailure for a result that no launch writes, or that is another result too."""
        for index, value in enumerate(self.returned):
            root = self.root(value)
            if root not in lifetimes or root in self.places:
                raise PassFailure(
                    f"result #{index} needs a launch of its own that writes it; run graph-form-kernels first",
                    self.block.operations[len(self.block.operations) - 1].location,
                )
            self.places[root] = ("output", index)

    def visit(self, op: ir.Operation, step: int, lifetimes: dict[ir.Value, list[int]]) -> None:
        for result in op.results:
            check_static(result, op.location)
        if op.name in REFERENCES:
            self.places[op.results[0]] = ("weight", len(self.weights))
            self.weights.append(op)
        elif op.name in VIEWS:
            self.roots[op.results[0]] = self.root(op.operands[0])
        elif op.name == "tloop.launch":
            lifetimes.update({result: [step, step] for result in op.results})
        elif op.name not in ("func.return", "graph.constant"):
            raise PassFailure(
                f"a host function cannot hold '{op.name}'; run graph-form-kernels first", op.location
            )
        for root in map(self.root, op.operands):
            if root in lifetimes:
                lifetimes[root][1] = step
            elif op.name == "tloop.launch" and root not in self.places:
                raise PassFailure(
                    "a launch cannot read a constant, which is part of kernels; run graph-form-kernels first",
                    op.location,
                )


class HostRewriter:
    """Builds the function on buffers next to the one on tensors."""

    def __init__(self, host: HostPlan) -> None:
        self.host = host
        self.buffers: dict[tuple[ir.Value, str], ir.Value] = {}
        self.arguments: dict[str, list[ir.Value]] = {}

    def build(self) -> ir.Operation:
        host = self.host
        inputs = [memref_type(value.type) for value in host.block.arguments]
        outputs = [memref_type(value.type) for value in host.returned]
        weights = [memref_type(op.results[0].type) for op in host.weights]
        arena = ir.MemRefType.get([host.arena_bytes], ir.IntegerType.get_signless(8))
        kinds = [*inputs, *outputs, *weights, arena]
        old = host.function
        function = func.FuncOp(
            old.attributes["sym_name"].value,
            ir.FunctionType.get(kinds, []),
            loc=old.location,
            ip=ir.InsertionPoint(old),
        )
        block = function.add_entry_block()
        values = list(block.arguments)
        first_weight = len(inputs) + len(outputs)
        self.arguments = {
            "input": values[: len(inputs)],
            "output": values[len(inputs) : first_weight],
            "weight": values[first_weight:-1],
            "arena": values[-1:],
        }
        with ir.InsertionPoint(block):
            for op in [each.operation for each in host.block.operations]:
                if op.name == "tloop.launch":
                    self.launch(op)
            func.ReturnOp([], loc=old.location)
        self.describe(function.operation)
        return function.operation

    def launch(self, op: ir.Operation) -> None:
        with op.location:
            inputs = [self.buffer(value) for value in op.operands]
            outputs = [self.buffer(value) for value in op.results]
            build_launch_into(op.attributes["kernel"].value, inputs, outputs)

    def buffer(self, value: ir.Value) -> ir.Value:
        """The buffer of a value, in the value's own shape."""
        root, kind = self.host.root(value), memref_type(value.type)
        key = (root, str(kind))
        if key not in self.buffers:
            self.buffers[key] = self.view(*self.host.places[root], kind)
        return self.buffers[key]

    def view(self, where: str, index: int, kind: ir.MemRefType) -> ir.Value:
        if where == "arena":
            offset = arith.ConstantOp(
                ir.IndexType.get(), ir.IntegerAttr.get(ir.IndexType.get(), index)
            ).result
            return memref.ViewOp(kind, self.arguments["arena"][0], offset, []).result
        source = self.arguments[where][index]
        if source.type == kind:
            return source
        shape = list(kind.shape)
        return memref.ReinterpretCastOp(kind, source, [], [], [], [0], shape, row_major_strides(shape)).result

    def describe(self, function: ir.Operation) -> None:
        """What the compiler must know to call the function."""
        count = ir.IntegerType.get_signless(64)
        numbers = {
            "tloop.num_inputs": len(self.arguments["input"]),
            "tloop.num_outputs": len(self.arguments["output"]),
            "tloop.arena_bytes": self.host.arena_bytes,
            "tloop.arena_lower_bound": self.host.bound,
        }
        for name, value in numbers.items():
            function.attributes[name] = ir.IntegerAttr.get(count, value)
        function.attributes["tloop.weights"] = ir.ArrayAttr.get([_reference(op) for op in self.host.weights])


def _reference(op: ir.Operation) -> ir.Attribute:
    """The attributes of a `graph.weight` or `graph.prepared`, with its type."""
    entries: dict[str, ir.Attribute] = {name: op.attributes[name] for name in op.attributes}
    return ir.DictAttr.get(entries | {"type": ir.TypeAttr.get(op.results[0].type)})


def plan_function(function: ir.Operation) -> None:
    host = HostPlan(function)
    host.make()
    HostRewriter(host).build()
    function.erase()


@dataclass(frozen=True)
class HostPlanMemory(Pass):
    """Gives every value of `@main` and `@prepare` a place: inputs, outputs and weights are arguments,
    everything else lies at a fixed offset of the arena, where buffers share memory if they are not live
    together. Views cost nothing: a reshape is the same buffer. Launches become `tloop.launch_into`."""

    name: ClassVar[str] = "host-plan-memory"

    def run(self, op: ir.Operation) -> None:
        for function in [each.operation for each in op.regions[0].blocks[0] if is_host(each.operation)]:
            plan_function(function)
