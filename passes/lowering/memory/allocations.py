"""Which values of a host function share a buffer, and from which step to which each buffer lives.

A buffer's life begins at the launch that writes it first and ends at the last that reads it: allocation as
late, and release as early, as the order of the launches permits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import PassFailure
from mlc.passes.graph.views import joined_offsets, view_offset, view_source
from mlc.passes.lowering.memory.arena import Lifetime
from mlc.passes.lowering.memory.in_flight import in_flight

REFERENCES = ("graph.weight", "graph.prepared")


def tensor_bytes(value: ir.Value) -> int:
    """Bytes of a tensor of static shape."""
    kind = ir.RankedTensorType(value.type)
    count = 1
    for extent in kind.shape:
        count *= extent
    return count * element_bytes(str(kind.element_type))


@dataclass(eq=False)
class Buffer:
    """`size` bytes, written first at step `first`, used last at step `last`.

    `place` is ("input" | "output" | "weight", index) for buffers that are arguments, None in the arena. A
    buffer that is a part of another has its `parent`, and lies `offset` bytes behind its begin.
    """

    size: int
    first: int
    last: int
    place: tuple[str, int] | None = None
    parent: Buffer | None = None
    offset: int = 0

    def root(self) -> tuple[Buffer, int]:
        """The outermost buffer, and where in it this one begins."""
        buffer, offset = self, 0
        while buffer.parent is not None:
            offset += buffer.offset
            buffer = buffer.parent
        return buffer, offset

    def put_into(self, parent: Buffer, offset: int = 0) -> None:
        """Makes this buffer, a root, a part of another one."""
        self.parent, self.offset = parent, offset
        parent.first, parent.last = min(parent.first, self.first), max(parent.last, self.last)


@dataclass(frozen=True)
class Copy:
    """An operand that a concatenation cannot have written in place: bytes to copy at its step."""

    value: ir.Value
    position: int


@dataclass
class Allocations:
    """The buffers of a host function whose ops run in the order of `ops`."""

    arguments: Sequence[ir.Value]
    ops: Sequence[ir.Operation]
    returned: Sequence[ir.Value]
    in_place: Mapping[str, Sequence[int]] = field(default_factory=dict)
    spans: dict[ir.Value, tuple[Buffer, int]] = field(default_factory=dict)
    weights: list[ir.Operation] = field(default_factory=list)
    copies: dict[ir.Value, list[Copy]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.outputs: dict[ir.Value, int] = {}
        for index, value in enumerate(self.returned):
            self.outputs.setdefault(view_source(value), index)
        for index, argument in enumerate(self.arguments):
            self.argument(argument, "input", index)
        # For each transfer beside launches the step that waits for it: until then it reads and writes.
        self.waits = in_flight(self.ops)
        for step, op in enumerate(self.ops):
            self.visit(op, step)
        for step, op in enumerate(self.ops):
            if op.name == "tloop.launch" and len(op.results) == 1:
                self.reuse_operand(op, step)

    def argument(self, value: ir.Value, kind: str, index: int) -> None:
        self.spans[value] = (Buffer(tensor_bytes(value), -1, -1, (kind, index)), 0)

    def where(self, value: ir.Value) -> tuple[Buffer, int]:
        """The root buffer of a value, and the byte at which it begins there."""
        buffer, offset = self.spans[value]
        root, begin = buffer.root()
        return root, begin + offset

    def sizes(self) -> list[int]:
        """Bytes of each value that has a buffer, whether or not it shares it."""
        return [tensor_bytes(value) for value in self.spans]

    def roots(self) -> Iterator[Buffer]:
        """The buffers that lie in the arena."""
        seen = set()
        for buffer, _ in self.spans.values():
            root = buffer.root()[0]
            if root.place is None and id(root) not in seen:
                seen.add(id(root))
                yield root

    def lifetimes(self) -> list[Lifetime]:
        """The lives of the arena's buffers, in the order of `roots`."""
        return [Lifetime(each.size, each.first, each.last) for each in self.roots()]

    def new(self, value: ir.Value, step: int) -> Buffer:
        place = ("output", self.outputs[value]) if value in self.outputs else None
        buffer = Buffer(tensor_bytes(value), step, step, place)
        self.spans[value] = (buffer, 0)
        return buffer

    def visit(self, op: ir.Operation, step: int) -> None:
        """Raises PassFailure for ops that a host function cannot hold."""
        if op.name in REFERENCES:
            self.argument(op.results[0], "weight", len(self.weights))
            self.weights.append(op)
        elif op.name in ("tloop.launch", "tloop.transfer"):
            self.use(op, self.waits.get(step, step))
            for result in op.results:
                self.new(result, step)
        elif op.name.startswith("graph.") and op.name != "graph.constant":
            self.visit_place(op, step)
        elif op.name not in ("func.return", "graph.constant"):
            raise _foreign(op)

    def use(self, op: ir.Operation, step: int) -> None:
        for value in op.operands:
            if value not in self.spans:
                raise PassFailure(
                    "a launch cannot read a constant, which is part of kernels; run graph-form-kernels first",
                    op.location,
                )
            root = self.where(value)[0]
            root.last = max(root.last, step)

    def visit_place(self, op: ir.Operation, step: int) -> None:
        offset, offsets = view_offset(op), joined_offsets(op)
        if offset is not None and op.operands[0] in self.spans:
            buffer, begin = self.spans[op.operands[0]]
            width = element_bytes(str(op.results[0].type.element_type))
            self.spans[op.results[0]] = (buffer, begin + offset * width)
        elif offsets is not None:
            self.join(op, offsets, step)
        elif offset is None:
            raise _foreign(op)

    def join(self, op: ir.Operation, offsets: Sequence[int], step: int) -> None:
        """Puts the operands of a concatenation into its result; copies those that lie elsewhere."""
        result = op.results[0]
        whole = self.new(result, step)
        width = element_bytes(str(result.type.element_type))
        for value, offset in zip(op.operands, offsets, strict=True):
            root, begin = self.where(value)
            root.last = max(root.last, step)
            is_own = root.place is None and root is not whole and not begin
            if is_own and root.size == tensor_bytes(value):
                root.put_into(whole, offset * width)
            else:
                self.copies.setdefault(result, []).append(Copy(value, offset))

    def reuse_operand(self, op: ir.Operation, step: int) -> None:
        """Lets the launch write over an operand that it reads last, where the kernel is made for it."""
        allowed = self.in_place.get(op.attributes["kernel"].value, ())
        if not allowed:
            return
        target = self.spans[op.results[0]][0]
        if target.place is not None or target.parent is not None or target.first != step:
            return
        for index in allowed:
            root, begin = self.where(op.operands[index])
            fits = root.place is None and root.last == step and root.size == target.size and not begin
            others = [value for position, value in enumerate(op.operands) if position not in allowed]
            if fits and root is not target and all(self.where(value)[0] is not root for value in others):
                target.put_into(root)
                return


def _foreign(op: ir.Operation) -> PassFailure:
    return PassFailure(f"a host function cannot hold '{op.name}'; run graph-form-kernels first", op.location)


def _check_static(value: ir.Value, location: ir.Location) -> None:
    """Raises PassFailure for a value whose size is not known when memory is planned."""
    if not ir.RankedTensorType(value.type).has_static_shape:
        raise PassFailure(
            f"the host program has a value with dynamic dims, {value.type}; give its sizes (--dim, --shape)",
            location,
        )


def _check_results(allocations: Allocations, location: ir.Location) -> None:
    """Raises PassFailure for a result that no launch writes, or that is another result too."""
    for index, value in enumerate(allocations.returned):
        source = view_source(value)
        span = allocations.spans.get(source)
        if span is None or span[0].place != ("output", index):
            raise PassFailure(
                f"result #{index} needs a launch of its own that writes it; run graph-form-kernels first",
                location,
            )


def allocate(
    function: ir.Operation,
    in_place: Mapping[str, Sequence[int]],
    order: Sequence[ir.Operation] | None = None,
) -> Allocations:
    """The buffers of a host function on tensors, for its ops in their own or in another order. `in_place`
    says which operands each kernel may write over. Raises PassFailure for what is no host program."""
    block = function.regions[0].blocks[0]
    ops = list(order or (each.operation for each in block.operations))
    for argument in block.arguments:
        _check_static(argument, function.location)
    for op in ops:
        for result in op.results:
            _check_static(result, op.location)
    terminator = block.operations[len(block.operations) - 1].operation
    allocations = Allocations(block.arguments, ops, terminator.operands, in_place)
    _check_results(allocations, terminator.location)
    return allocations
