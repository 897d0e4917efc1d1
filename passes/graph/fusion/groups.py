"""Groups of graph ops that share a kernel.

What kernels compute as they read it, and what they cut off as they write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.tloop import OPERAND_LIMIT
from mlc.passes.common.narrow_floats import MULTIPLIED
from mlc.passes.common.rewriting import defining_op, has_one_use, has_one_user, users
from mlc.passes.common.target import target_of
from mlc.passes.graph.common.op_families import (
    ATTENTION,
    ELEMENTWISE,
    LOOKED_UP,
    LOOKUP,
    PRODUCTS,
    ROWS,
    TAKES_EPILOGUE,
    TAKES_OPERANDS,
    TAKES_PADDING,
    TAKES_PROLOGUE,
    WINDOWS,
    WINOGRAD,
)
from mlc.passes.graph.common.rematerialization import REMATERIALIZE
from mlc.passes.graph.common.views import CONSTANTS, needs_no_kernel
from mlc.passes.graph.fusion.place import place_of
from mlc.passes.graph.winograd.strips import strip_of
from mlc.passes.remarks import listening, report_missed
from mlc.targets import GpuTarget


def is_cleared_cut(op: ir.Operation) -> bool:
    """Whether a slice cuts off the ends of dims, of which only a constant padding of at least that size reads
    the rest: the whole can be written, and the ends cleared."""
    readers = users(op.results[0])
    if (
        len(readers) != 1
        or readers[0].name != graph.Pad.NAME
        or graph.attribute(readers[0], "mode") != "constant"
    ):
        return False
    if any(graph.attribute(op, "starts")) or set(graph.attribute(op, "steps")) != {1}:
        return False
    whole, rest = graph.dims_of(op.operands[0]), graph.dims_of(op.results[0])
    cut = [size - kept for size, kept in zip(whole, rest, strict=True)]
    high = graph.attribute(readers[0], "high")
    return all(isinstance(rows, int) and rows <= more for rows, more in zip(cut, high, strict=True))


def readers_of(op: ir.Operation) -> frozenset[str]:
    """The ops that do what `op`, which is marked as read so, does as they read."""
    if op.name != graph.Cast.NAME:
        return PRODUCTS | WINDOWS
    read, made = (graph.element_type(value) for value in (graph.Cast(op).x, graph.Cast(op).result))
    multiplied = isinstance(made, ir.IntegerType) or isinstance(read, MULTIPLIED)
    return ELEMENTWISE | TAKES_PROLOGUE | (PRODUCTS | WINDOWS if multiplied else frozenset())


def can_look_up(producer: Sequence[ir.Operation], group: Sequence[ir.Operation]) -> bool:
    """Whether what a producer's ops look up, if they do, can be looked up in a group of ops: not in the
    epilogue of a kernel of another category."""
    return LOOKUP not in {op.name for op in producer} or all(op.name in LOOKED_UP for op in group)


def can_read_through(producer: Sequence[ir.Operation], op: ir.Operation, position: int) -> bool:
    """Whether `op` can compute operand `position` as it reads it: elementwise ops before a row
    reduction, of another elementwise op of their shape or of a gather of single elements; gathers in
    before elementwise ops; what is marked as read so, a transpose before a product, all of a
    Winograd convolution whose parts would not stay in caches."""
    last, result = producer[-1], producer[-1].results[0]
    if REMATERIALIZE in op.attributes:
        return REMATERIALIZE in last.attributes
    if REMATERIALIZE in last.attributes:
        return op.name in readers_of(last)
    if op.name in WINDOWS:
        return False
    if op.name in ELEMENTWISE:
        return all(made.name in LOOKED_UP for made in producer) and graph.same_shape(result, op.results[0])
    is_elementwise = all(made.name in ELEMENTWISE for made in producer)
    if op.name == LOOKUP:
        # Each index is read once: the data has one dim.
        return position == 1 and is_elementwise and graph.same_shape(result, op.results[0])
    if op.name in TAKES_PROLOGUE:
        return is_elementwise and graph.same_shape(result, op.operands[position])
    names = [made.name for made in producer]
    if names == [graph.WinogradInput.NAME]:
        return _is_strip(op)
    return names == [graph.Transpose.NAME] and _takes_transposed(op, position, producer[0])


def _is_strip(product: ir.Operation) -> bool:
    """Whether a Winograd convolution of this product is computed strip by strip."""
    back = [user for user in users(product.results[0]) if user.name == graph.WinogradOutput.NAME]
    return has_one_use(product.results[0]) and bool(back) and strip_of(back[0]) is not None


def _takes_transposed(op: ir.Operation, position: int, transpose: ir.Operation) -> bool:
    """Whether a product or attention can read operand `position` as it was before the transpose."""
    permutation = graph.attribute(transpose, "permutation")
    in_place = permutation[-1] == len(permutation) - 1
    if op.name == ATTENTION:
        return position < 3 and in_place
    return position == 0 or in_place


# Ops of a kernel: the time to compile one grows faster than its size, and what the next one reads again is
# little beside them.
MOST_OPS = 128

# What the host program does without kernels.
_HOST = {*graph.CONTROL_OPS, graph.Yield.NAME, graph.CallRuntime.NAME, graph.Check.NAME}


@dataclass(eq=False)
class Group:
    """Ops of one kernel, in program order.

    `anchor` names the op that decides how the kernel is scheduled. A closed group takes no further op.
    """

    ops: list[ir.Operation] = field(default_factory=list)
    anchor: str = ""
    closed: bool = False

    def inputs(self) -> set[ir.Value]:
        """The values from outside that the group reads."""
        made = {result for op in self.ops for result in op.results}
        return {value for op in self.ops for value in op.operands} - made

    @property
    def result(self) -> ir.Value:
        """The first result of the last op."""
        return self.ops[-1].results[0]

    @property
    def device(self) -> str:
        """The device of its ops, "" for the target."""
        return place_of(self.ops[0])


def is_computed(op: ir.Operation) -> bool:
    """Whether the op needs a kernel: constants, views, control flow, checks and calls of the runtime do
    not."""
    return op.name.startswith("graph.") and op.name not in CONSTANTS | _HOST and not needs_no_kernel(op)


def stands_alone(op: ir.Operation) -> bool:
    """Whether nothing can follow in the op's kernel: LRN on blocks is lowered to vectors, not to a
    computation whose tiles others could read."""
    blocked_lrn = op.name == graph.Lrn.NAME and graph.Lrn(op).layout == "NCHWc"
    return len(op.results) != 1 or op.name == graph.Concat.NAME or blocked_lrn


class Fusion:
    """Greedy fusion along single uses, in program order. A group's result is its last op's; all others
    stay inside."""

    def __init__(self) -> None:
        # In launch order: a group moves to the end whenever it grows, after everything that it reads.
        self.groups: dict[Group, None] = {}
        self.by_result: dict[ir.Value, Group] = {}

    def add(self, op: ir.Operation) -> None:
        """Puts `op` into its producer's group, takes producers into its own, or starts a group."""
        producer = self.producer_for(op)
        if producer is not None:
            del self.by_result[producer.result]
            producer.ops.append(op)
            producer.closed = op.name == graph.Pad.NAME
            group = producer
        else:
            group = Group([op], op.name, stands_alone(op))
        if op.name in TAKES_OPERANDS or REMATERIALIZE in op.attributes:
            self.take_operands(group, op)
        self.groups.pop(group, None)
        self.groups[group] = None
        for result in op.results:
            self.by_result[result] = group

    def producer_for(self, op: ir.Operation) -> Group | None:
        """The group that `op` can finish: the one with the heaviest anchor where there are several."""
        if REMATERIALIZE in op.attributes:
            return None
        candidates = [
            self.by_result[value] for value in op.operands if value in self.by_result and has_one_user(value)
        ]
        fitting = [group for group in candidates if not group.closed and self.accepts(group, op)]
        if not fitting and listening():
            self.explain(op)
        return max(
            fitting,
            key=lambda group: (
                group.anchor in PRODUCTS | WINDOWS,
                group.anchor in ROWS,
                group.anchor not in ELEMENTWISE,
            ),
            default=None,
        )

    def accepts(self, group: Group, op: ir.Operation) -> bool:
        """Whether `op` can end the kernel of `group`."""
        if len(group.ops) >= MOST_OPS or place_of(op) != group.device:
            return False
        # One operand of the launch is the result.
        if len(group.inputs()) + len(op.operands) >= OPERAND_LIMIT:
            return False
        same_shape = graph.same_shape(group.result, op.results[0])
        if op.name in ELEMENTWISE:
            return group.anchor in TAKES_EPILOGUE and same_shape
        if op.name == graph.WinogradOutput.NAME:
            return [member.name for member in group.ops] == list(WINOGRAD) and strip_of(op) is not None
        if op.name == graph.Slice.NAME:
            return group.anchor in TAKES_PADDING and is_cleared_cut(op)
        if op.name == graph.Pad.NAME:
            return self.takes_padding(group) and graph.Pad(op).mode == "constant"
        if op.name == graph.Transpose.NAME:
            # A product's tile is stored transposed; that needs the columns to stay the innermost dim.
            last = len(graph.shape_of(graph.Transpose(op).result)) - 1
            return (
                group.anchor in (graph.Matmul.NAME, ATTENTION)
                and graph.Transpose(op).permutation[last] == last
            )
        return False

    def takes_padding(self, group: Group) -> bool:
        """Whether the group can write its result into what a pad makes: not where blocks multiply tiles."""
        if group.anchor in PRODUCTS | WINDOWS and isinstance(target_of(group.ops[0]), GpuTarget):
            return False
        return group.anchor in TAKES_PADDING

    def explain(self, op: ir.Operation) -> None:
        """Says why an op that could end another kernel begins one."""
        values = [value for value in op.operands if value in self.by_result]
        if not values or op.name not in ELEMENTWISE | {graph.Pad.NAME, graph.Transpose.NAME}:
            return
        group = self.by_result[values[0]]
        if not has_one_user(values[0]):
            reason = "its operand has other readers, for which it must be in memory"
        elif len(group.ops) >= MOST_OPS:
            reason = f"the kernel of its operand has {len(group.ops)} ops already"
        elif group.device != place_of(op):
            reason = "its operand is computed on another device"
        elif group.closed or group.anchor not in TAKES_EPILOGUE:
            reason = f"nothing can follow in a kernel of '{group.ops[-1].name}'"
        elif not graph.same_shape(group.result, op.results[0]):
            reason = "its operand is broadcast: the kernel would compute it again for each element"
        else:
            reason = f"a kernel of '{group.anchor}' cannot end with it"
        report_missed(op, "fusion", reason)

    def take_operands(self, group: Group, op: ir.Operation) -> None:
        """Moves producers that only `op` reads into `group`, where that pays."""
        for position, value in enumerate(op.operands):
            producer = self.by_result.get(value)
            if producer is None or producer is group or not has_one_use(value) or producer.closed:
                continue
            if producer.device != group.device or len(producer.ops) + len(group.ops) > MOST_OPS:
                continue
            # One operand of the launch is the result.
            if len(group.inputs() | producer.inputs()) >= OPERAND_LIMIT:
                continue
            if can_read_through(producer.ops, op, position) and can_look_up(producer.ops, group.ops):
                del self.groups[producer]
                del self.by_result[value]
                group.ops[:0] = producer.ops


def fuse(block: ir.Block) -> list[Group]:
    """The groups of a block's computed ops, ordered so that each follows the groups that it reads. Ops in
    bodies of control flow stay there: they run as often as these do."""
    fusion = Fusion()
    for op in block:
        if is_computed(op.operation):
            fusion.add(op.operation)
    return list(fusion.groups)


def separate(block: ir.Block) -> list[Group]:
    """A group for each computed op of the block, in program order."""
    ops = [op.operation for op in block]
    return [Group([op], op.name) for op in ops if is_computed(op)]


def small_constant(value: ir.Value) -> bool:
    """Constants of at most 1 KiB are part of the kernel."""
    return defining_op(value, graph.Constant.NAME) is not None
