"""Dynamic dims of a kernel while its body is lowered.

The last operand of such a kernel holds the extents, `tensor<Nxindex>`; its attribute `tloop.dims` names the
dims of each other operand, then of each result: "d0" is the first extent, "" a static dim. Lowering rules see
such dims as sizes (`mlc.dialects.graph.sizes`), and compute with them as with integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from mlc.bindings import arith, func, ir, tensor
from mlc.dialects.graph.dims.function_dims import NAMES, Dims, Shape
from mlc.dialects.graph.sizes import Name, Size, SizeFunction, symbol
from mlc.passes.base import PassError
from mlc.passes.common.constants import index_constant
from mlc.passes.common.kernel_functions import DIMS

_CURRENT: ContextVar[RunTimeDims | None] = ContextVar("run_time_dims", default=None)
UNKNOWN = ir.ShapedType.get_dynamic_size()


class RunTimeDims:
    """The dims of one kernel's values, and the extents that its dims operand holds for them."""

    def __init__(self, kernel: ir.Operation) -> None:
        block = kernel.regions[0].blocks[0]
        ops = [op.operation for op in block]
        given = block.arguments[len(block.arguments) - 1]
        arguments = [*argument_shapes(kernel), tuple(given.type.shape)]
        dims = Dims(kernel, arguments)
        self._shapes: dict[ir.Value, Sequence[int | Size]] = dict(
            zip(block.arguments, arguments, strict=True)
        )
        for op in ops:
            for index, value in enumerate(op.results):
                self._shapes[value] = _named_shape(op, index) or dims.of(value)
        with ir.InsertionPoint(ops[0]), kernel.location:
            self._extents = [
                tensor.extract(given, [index_constant(index)]) for index in range(given.type.shape[0])
            ]

    @property
    def begin(self) -> ir.InsertionPoint:
        """The insertion point after the extents, before everything else; the op there may be erased later."""
        return ir.InsertionPoint.after(self._extents[-1].owner.operation)

    def of(self, value: ir.Value) -> Sequence[int | Size]:
        """Returns the dims of a tensor. Raises PassError for one that was not noted."""
        if value not in self._shapes:
            raise PassError(f"the dims of a {value.type} are not known before it is there", value.location)
        return self._shapes[value]

    def note(self, value: ir.Value, shape: Sequence[int | Size]) -> None:
        """Records the dims of a value that a rule built."""
        self._shapes[value] = tuple(shape)

    def value_of(self, size: int | Size) -> ir.Value:
        """Computes the size at the insertion point, as a value of type index."""
        if isinstance(size, int):
            return index_constant(size)
        total: ir.Value | None = None
        for monomial, count in size.terms:
            term = index_constant(count) if count != 1 or not monomial else None
            for factor in monomial:
                value = self._factor(factor)
                term = value if term is None else arith.muli(term, value)
            assert term is not None, "a term has a coefficient or a factor"
            total = term if total is None else arith.addi(total, term)
        assert total is not None, "a size has terms"
        return total

    def _factor(self, factor: Name | SizeFunction) -> ir.Value:
        if isinstance(factor, Name):
            return self._named_extent(factor.name)
        left, right = (self.value_of(operand) for operand in factor.operands)
        if factor.name == "floordiv":
            return arith.floordivsi(left, right)
        if factor.name == "max":
            return arith.maxsi(left, right)
        one = arith.cmpi(arith.CmpIPredicate.eq, left, index_constant(1))
        return arith.select(one, right, left)

    def _named_extent(self, name: str) -> ir.Value:
        """Returns the extent that the dims operand holds for a name."""
        index = name.removeprefix("d")
        if not index.isdecimal() or int(index) >= len(self._extents):
            raise PassError(f"the dim {name} is not known when the kernel begins")
        return self._extents[int(index)]


def argument_shapes(kernel: ir.Operation) -> list[Shape]:
    """Returns the dims of a kernel's operands but the last one, which holds their extents."""
    types = list(func.Func(kernel).function_type.inputs)[:-1]
    return [_shape(type_, names) for type_, names in zip(types, kernel.attributes[DIMS], strict=False)]


def _shape(type_: ir.Type, names: ir.Attribute) -> Shape:
    """Returns the dims of a tensor type, the dynamic ones by their names."""
    pairs = zip(ir.RankedTensorType(type_).shape, names, strict=True)
    return tuple(symbol(name.value) if dim == UNKNOWN else dim for dim, name in pairs)


def _named_shape(op: ir.Operation, index: int) -> Shape | None:
    """Returns the dims that the op itself names for a result, or None."""
    return _shape(op.results[index].type, op.attributes[NAMES][index]) if NAMES in op.attributes else None


@contextmanager
def run_time_dims(kernel: ir.Operation) -> Iterator[None]:
    """Makes the kernel's dims `current()` while rules lower its ops; nothing if all its dims are static."""
    if DIMS not in kernel.attributes:
        yield
        return
    token = _CURRENT.set(RunTimeDims(kernel))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> RunTimeDims | None:
    """Returns the dims of the kernel that is being lowered, None if all are static."""
    return _CURRENT.get()


def kernel_begin(block: ir.Block) -> ir.InsertionPoint:
    """Returns the insertion point of values that the whole kernel may use."""
    dims = current()
    return dims.begin if dims is not None else ir.InsertionPoint.at_block_begin(block)


def static_and_dynamic(shape: Sequence[int | Size]) -> tuple[list[int], list[ir.Value]]:
    """Splits a shape as upstream's ops take it: static sizes with a mark for the others, and these as
    values."""
    dims = current()
    static = [size if isinstance(size, int) else UNKNOWN for size in shape]
    if dims is None:
        return static, []
    return static, [dims.value_of(size) for size in shape if isinstance(size, Size)]
