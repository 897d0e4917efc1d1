"""Dims of a kernel that are known only when it runs, while its body is lowered.

The last operand of such a kernel is a vector of numbers, `tensor<Nxindex>`; its attribute `tloop.dims`
names for each other operand, then for each result, its dims: "d0" is the first number, "" a dim that the
type tells. Lowering rules see such dims as sizes (`mlc.dialects.graph.sizes`), and compute with them as
with numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from mlc.bindings import arith, ir, tensor
from mlc.dialects.graph.dims.function_dims import NAMES, Dims, Shape
from mlc.dialects.graph.sizes import Name, Size, SizeFunction, symbol
from mlc.passes.base import PassError
from mlc.passes.common.constants import index_constant
from mlc.passes.common.kernel_functions import DIMS

_CURRENT: ContextVar[RunTimeDims | None] = ContextVar("run_time_dims", default=None)
UNKNOWN = ir.ShapedType.get_dynamic_size()


class RunTimeDims:
    """The dims of one kernel's values, and the numbers that its dims operand gives for them."""

    def __init__(self, kernel: ir.Operation) -> None:
        block = kernel.regions[0].blocks[0]
        ops = [each.operation for each in block]
        given = block.arguments[len(block.arguments) - 1]
        arguments = [*argument_shapes(kernel), tuple(given.type.shape)]
        dims = Dims(kernel, arguments)
        self._shapes: dict[ir.Value, Sequence[int | Size]] = dict(
            zip(block.arguments, arguments, strict=True)
        )
        for op in ops:
            for index, value in enumerate(op.results):
                self._shapes[value] = _named(op, index) or dims.of(value)
        with ir.InsertionPoint(ops[0]), kernel.location:
            self._numbers = [
                tensor.extract(given, [index_constant(place)]) for place in range(given.type.shape[0])
            ]

    @property
    def begin(self) -> ir.InsertionPoint:
        """Behind the numbers, in front of everything else; what stands there now may be erased later."""
        return ir.InsertionPoint.after(self._numbers[-1].owner.operation)

    def of(self, value: ir.Value) -> Sequence[int | Size]:
        """The dims of a tensor. Raises PassError for one that nobody noted."""
        if value not in self._shapes:
            raise PassError(f"the dims of a {value.type} are not known before it is there", value.location)
        return self._shapes[value]

    def note(self, value: ir.Value, shape: Sequence[int | Size]) -> None:
        """Says the dims of a value that a rule made."""
        self._shapes[value] = tuple(shape)

    def number(self, size: int | Size) -> ir.Value:
        """The size as a value of type index, computed at the insertion point."""
        if isinstance(size, int):
            return index_constant(size)
        total: ir.Value | None = None
        for monomial, count in size.terms:
            term = index_constant(count) if count != 1 or not monomial else None
            for factor in monomial:
                value = self._factor(factor)
                term = value if term is None else arith.muli(term, value)
            assert term is not None, "a term has a number or a factor"
            total = term if total is None else arith.addi(total, term)
        assert total is not None, "a size has terms"
        return total

    def _factor(self, factor: Name | SizeFunction) -> ir.Value:
        if isinstance(factor, Name):
            return self._named_number(factor.name)
        left, right = (self.number(operand) for operand in factor.operands)
        if factor.name == "floordiv":
            return arith.floordivsi(left, right)
        if factor.name == "max":
            return arith.maxsi(left, right)
        one = arith.cmpi(arith.CmpIPredicate.eq, left, index_constant(1))
        return arith.select(one, right, left)

    def _named_number(self, name: str) -> ir.Value:
        """The number that the dims operand gives for a name."""
        place = name.removeprefix("d")
        if not place.isdecimal() or int(place) >= len(self._numbers):
            raise PassError(f"the dim {name} is not known when the kernel begins")
        return self._numbers[int(place)]


def argument_shapes(kernel: ir.Operation) -> list[Shape]:
    """The dims of a kernel's operands but the last one, which gives them."""
    kinds = list(kernel.attributes["function_type"].value.inputs)[:-1]
    return [_shape(kind, names) for kind, names in zip(kinds, kernel.attributes[DIMS], strict=False)]


def _shape(kind: ir.Type, names: ir.Attribute) -> Shape:
    """The dims of a tensor type, the open ones by their names."""
    pairs = zip(ir.RankedTensorType(kind).shape, names, strict=True)
    return tuple(symbol(name.value) if dim == UNKNOWN else dim for dim, name in pairs)


def _named(op: ir.Operation, index: int) -> Shape | None:
    """The dims that the op itself names for a result, where it does."""
    return _shape(op.results[index].type, op.attributes[NAMES][index]) if NAMES in op.attributes else None


@contextmanager
def run_time_dims(kernel: ir.Operation) -> Iterator[None]:
    """While rules lower the kernel's ops; nothing where all its dims are known."""
    if DIMS not in kernel.attributes:
        yield
        return
    token = _CURRENT.set(RunTimeDims(kernel))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> RunTimeDims | None:
    """The dims of the kernel that is being lowered, None where all are numbers."""
    return _CURRENT.get()


def kernel_begin(block: ir.Block) -> ir.InsertionPoint:
    """Where values that all of the kernel may use are made."""
    dims = current()
    return dims.begin if dims is not None else ir.InsertionPoint.at_block_begin(block)


def static_and_dynamic(shape: Sequence[int | Size]) -> tuple[list[int], list[ir.Value]]:
    """A shape as upstream's ops take it: static sizes with a mark for the others, and these as values."""
    dims = current()
    static = [each if isinstance(each, int) else UNKNOWN for each in shape]
    if dims is None:
        return static, []
    return static, [dims.number(each) for each in shape if isinstance(each, Size)]
