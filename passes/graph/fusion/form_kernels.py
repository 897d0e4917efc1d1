"""graph-form-kernels: fused groups of ops become kernels, launched by the host functions.

Dynamic dims of one kernel: each size that the kernel needs is one integer, d0, d1, ...
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.function_dims import NAMES, named_dims, names_attribute
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.graph.sizes import Size
from mlc.dialects.tloop import build_launch
from mlc.passes.base import Pass, PassError, option
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.kernel_functions import DEVICE, DIMS, IN_PLACE, MARK
from mlc.passes.graph.common.op_families import ATTENTION, ELEMENTWISE
from mlc.passes.graph.common.rematerialization import read_apart
from mlc.passes.graph.fusion.groups import Group, fuse, separate, small_constant
from mlc.passes.graph.fusion.host_copies import (
    bodies,
    copy_body_values,
    copy_constant_operands,
    copy_reshaped_constants,
    copy_trivial_results,
)
from mlc.passes.graph.fusion.loop_rows import take_rows
from mlc.passes.graph.shapes.dynamic_sizes import is_dynamic, settle_sizes


class KernelDims:
    """The dims of a kernel, named by the host's sizes."""

    def __init__(self) -> None:
        self.names: dict[Size, str] = {}

    def name(self, values: Sequence[ir.Value]) -> None:
        """Gives each size among the values' dims an index. Raises PassError for a dim that is no size."""
        for value in values:
            for dim in named_dims(value):
                if dim is None:
                    raise PassError(f"unknown dims of this {value.type}", value.location)
                if isinstance(dim, Size):
                    self.names.setdefault(dim, f"d{len(self.names)}")

    def operand_types(self) -> list[ir.Type]:
        """The type of the operand that holds the sizes, if there are any."""
        return [ir.RankedTensorType.get([len(self.names)], ir.IndexType.get())] if self.names else []

    def of(self, value: ir.Value) -> ir.Attribute:
        """The value's dims in the kernel."""
        texts = [self.names[dim] if isinstance(dim, Size) else "" for dim in named_dims(value)]
        return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])

    def describe_kernel(
        self, kernel: ir.Operation, arguments: Sequence[ir.Value], results: Sequence[ir.Value]
    ) -> None:
        """Writes the dims of the arguments and results to `kernel`, if it has named sizes."""
        if self.names:
            kernel.attributes[DIMS] = ir.ArrayAttr.get(
                [self.of(argument) for argument in (*arguments, *results)]
            )

    def describe_copy(self, op: ir.Operation, copy: ir.Operation) -> None:
        """Has an op of the kernel name its results' dims as the kernel does."""
        if NAMES in copy.attributes:
            copy.attributes[NAMES] = ir.ArrayAttr.get([self.of(result) for result in op.results])

    def describe_launch(self, launch: ir.Operation, results: Sequence[ir.Value]) -> None:
        """Writes its results' dims, and the sizes d0, d1, ..., at the launch."""
        if not self.names:
            return
        launch.attributes[DIMS] = ir.ArrayAttr.get([ir.StringAttr.get(str(size)) for size in self.names])
        shapes = [named_dims(result) for result in results]
        if any(isinstance(dim, Size) for shape in shapes for dim in shape):
            launch.attributes[NAMES] = names_attribute(shapes)


HOST_FUNCTIONS = ("main", "prepare")
PLACEHOLDER = "kernel"


def is_host(op: ir.Operation) -> bool:
    """Whether `op` is `@main` or `@prepare`."""
    return op.name == func.Func.NAME and func.Func(op).sym_name in HOST_FUNCTIONS


def host_functions(module: ir.Operation) -> list[ir.Operation]:
    """`@main`, and `@prepare` if there is one."""
    return [child.operation for child in module.regions[0].blocks[0] if is_host(child.operation)]


class Outliner:
    """Makes kernels; equal ones become one. Those whose names are in `divide` become kernels of single
    ops."""

    def __init__(self, module: ir.Operation, divide: Sequence[str] = ()) -> None:
        self.module = module
        self.divide = frozenset(divide)
        self.names: set[str] = set()

    def outline(self, group: Group) -> None:
        """Replaces the group's ops by a launch at the last of them."""
        last = group.ops[-1]
        arguments = self.arguments(group)
        results = list(last.results)
        dims = KernelDims()
        kernel = self.build(group, arguments, results, dims)
        name = _name(kernel, group)
        if name in self.divide and len(group.ops) > 1:
            kernel.erase()
            for op in group.ops:
                self.outline(Group([op], op.name))
            return
        self.add(kernel, name)
        types = [value.type for value in results]
        with ir.InsertionPoint(last), _location(group):
            launch = build_launch(name, arguments, types)
            dims.describe_launch(launch, results)
        for old, new in zip(results, launch.results, strict=True):
            old.replace_all_uses_with(new)
        for op in reversed(group.ops):
            op.erase()

    def arguments(self, group: Group) -> list[ir.Value]:
        """The values from outside that the group reads, small constants excepted."""
        inside = {result for op in group.ops for result in op.results}
        outside: dict[ir.Value, None] = {}
        for op in group.ops:
            for value in op.operands:
                if value not in inside and not small_constant(value):
                    outside[value] = None
        return list(outside)

    def build(
        self, group: Group, arguments: list[ir.Value], results: list[ir.Value], dims: KernelDims
    ) -> ir.Operation:
        """Builds the kernel function of `group`, with its ops cloned, at the end of the module."""
        dims.name([*arguments, *(value for op in group.ops for value in op.results)])
        inputs = [*(value.type for value in arguments), *dims.operand_types()]
        function_type = ir.FunctionType.get(inputs, [value.type for value in results])
        body = self.module.regions[0].blocks[0]
        function = func.FuncOp(
            PLACEHOLDER, function_type, visibility="private", loc=_location(group), ip=ir.InsertionPoint(body)
        )
        function.operation.attributes[MARK] = ir.UnitAttr.get()
        block = function.add_entry_block()
        values = dict(zip(arguments, block.arguments, strict=False))
        with ir.InsertionPoint(block):
            for op in group.ops:
                dims.describe_copy(op, self.copy(op, values))
            func.ReturnOp([values[value] for value in results], loc=_location(group))
        dims.describe_kernel(function.operation, arguments, results)
        if group.device:
            function.operation.attributes[DEVICE] = ir.StringAttr.get(group.device)
        if shared := in_place_operands(group, arguments):
            function.operation.attributes[IN_PLACE] = ir.DenseI64ArrayAttr.get(shared)
        return function.operation

    def copy(self, op: ir.Operation, values: dict[ir.Value, ir.Value]) -> ir.Operation:
        """Clones `op` with the small constants that it reads; `values` maps originals to clones."""
        for value in op.operands:
            if value not in values:
                values[value] = value.owner.operation.clone().results[0]
        return clone_ops([op], values)[0]

    def add(self, kernel: ir.Operation, name: str) -> None:
        """Gives the kernel its name; erases it if there is one of that name."""
        if name in self.names:
            kernel.erase()
            return
        self.names.add(name)
        kernel.attributes["sym_name"] = ir.StringAttr.get(name)


def _name(kernel: ir.Operation, group: Group) -> str:
    """The name of a kernel: its ops and a hash of its text, so that equal kernels have one name in every
    model."""
    text = kernel.get_asm(use_local_scope=True, assume_verified=True)
    return f"{_describe(group)}_{hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"


def in_place_operands(group: Group, arguments: Sequence[ir.Value]) -> list[int]:
    """The arguments that a kernel of elementwise ops may write its result over: each element is read only
    to compute the one with the same index."""
    whole = group.result
    is_elementwise = all(op.name in ELEMENTWISE and _same_addresses(op.results[0], whole) for op in group.ops)
    return [
        index for index, value in enumerate(arguments) if is_elementwise and _same_addresses(value, whole)
    ]


def _same_addresses(one: ir.Value, other: ir.Value) -> bool:
    """Whether two tensors have their elements at the same bytes."""
    widths = [element_bytes(str(tensor.type.element_type)) for tensor in (one, other)]
    return graph.same_shape(one, other) and widths[0] == widths[1]


def _describe(group: Group) -> str:
    """The ops' names, at most four; attention without the transposes that it reads and writes through."""
    named = [op for op in group.ops if group.anchor != ATTENTION or op.name != graph.Transpose.NAME]
    names = [op.name.removeprefix("graph.") for op in named]
    return "_".join(names if len(names) <= 4 else [*names[:3], "etc"])


def _location(group: Group) -> ir.Location:
    """The locations of all ops of the group, so that messages name every ONNX node of a kernel."""
    locations = list(dict.fromkeys(op.location for op in group.ops))
    return locations[0] if len(locations) == 1 else ir.Location.fused(locations)


@dataclass(frozen=True)
class FormKernels(Pass):
    """Fuse the ops of `@main` and `@prepare` into kernels: elementwise chains, epilogues and padding after
    products, convolutions, pooling and normalisations, elementwise ops before row reductions, transposes
    around products. Each kernel becomes a private function marked `tloop.kernel`, named by its content; the
    host launches it. Bodies of control flow launch separate kernels; a row that a loop's body gathers by
    its iteration is a `tloop.row`, and no kernel.

    Dynamic dims are integers d0, d1, ... to a kernel, which its last operand gives; the launch
    specifies by `tloop.dims` what sizes they are. Values that follow from sizes are `tloop.size_values`, not
    computed by kernels; names that stand for elements of a tensor are read by `tloop.read_sizes`."""

    name: ClassVar[str] = "graph-form-kernels"

    fuse: bool = option(True, help="put ops together; otherwise each op is a separate kernel")
    divide: tuple[str, ...] = option((), help="names of kernels whose ops are separate kernels instead")

    def run(self, op: ir.Operation) -> None:
        outliner = Outliner(op, self.divide)
        for function in host_functions(op):
            dynamic = is_dynamic(function)
            if not dynamic:
                take_rows(function)
            copy_reshaped_constants(function)
            copy_trivial_results(function)
            copy_constant_operands(function)
            copy_body_values(function)
            read_apart(function)
            if dynamic:
                settle_sizes(function)
            for block in [function.regions[0].blocks[0], *bodies(function)]:
                for group in fuse(block) if self.fuse else separate(block):
                    outliner.outline(group)
