"""Sizes as values of the host program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from mlc.bindings import arith, cf, func, ir, memref
from mlc.dialects.graph.sizes import Name, Size, SizeFunction, name_of, product
from mlc.dialects.tloop import build_check
from mlc.passes.base import PassError
from mlc.passes.common.constants import index_constant
from mlc.passes.host.memory.buffers import sizes_of


class SizeValues:
    """Index values of sizes, built at the insertion point, once per block and the blocks inside."""

    def __init__(self, names: Mapping[str, ir.Value] | None = None) -> None:
        self._names = dict(names or {})
        self._made: dict[Size, ir.Value] = {}
        # The op for which sizes are computed, as messages call it.
        self.who = ""

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Forgets the values built in the `with` block at its end."""
        names, made = dict(self._names), dict(self._made)
        yield
        self._names, self._made = names, made

    @contextmanager
    def named_by(self, who: str) -> Iterator[None]:
        """Begins the messages of checks that are built in the `with` block with `who`."""
        outer, self.who = self.who, who
        yield
        self.who = outer

    def _message(self, text: str) -> str:
        """Returns a message of the op that is built, which may have no name."""
        return f"{self.who}: {_readable(text)}" if self.who else _readable(text)

    def name(self, name: str, value: ir.Value) -> None:
        """Sets the value of a name."""
        self._names[name] = value

    def names(self) -> dict[str, ir.Value]:
        """Returns the values of names."""
        return dict(self._names)

    def dynamic(self, sizes: Sequence[int | Size]) -> list[ir.Value]:
        """Returns the values of those sizes that are dynamic."""
        return [self.of(size) for size in sizes if isinstance(size, Size)]

    def of(self, size: int | Size) -> ir.Value:
        """Returns the size as a value of type index. Raises PassError for names without a value."""
        if isinstance(size, int):
            return index_constant(size)
        if size not in self._made:
            self._made[size] = self._build(size)
        return self._made[size]

    def _build(self, size: Size) -> ir.Value:
        total: ir.Value | None = None
        for monomial, count in size.terms:
            term = self.of(count) if count != 1 or not monomial else None
            for factor in monomial:
                value = self._factor(factor)
                term = value if term is None else self._product(term, value, size)
            assert term is not None, "a term has a coefficient or a factor"
            total = term if total is None else arith.AddIOp(total, term).result
        assert total is not None, "a size has terms"
        return total

    def _factor(self, factor: Name | SizeFunction) -> ir.Value:
        if isinstance(factor, Name):
            if factor.name not in self._names:
                raise PassError(
                    f"the dim '{factor.name}' is not known when memory for it is allocated",
                    ir.Location.current,
                )
            return self._names[factor.name]
        left, right = (self.of(operand) for operand in factor.operands)
        if factor.name == "floordiv":
            return self.divide(left, right, factor.text)
        if factor.name == "max":
            return arith.MaxSIOp(left, right).result
        is_one = arith.CmpIOp(arith.CmpIPredicate.eq, left, self.of(1)).result
        joined = arith.SelectOp(is_one, right, left).result
        texts = [str(operand) for operand in factor.operands]
        self.check(right, joined, "broadcast", f"{texts[1]} and {texts[0]} do not broadcast")
        return joined

    def _product(self, left: ir.Value, right: ir.Value, size: Size) -> ir.Value:
        """Multiplies sizes, which may be data of any size: the call fails if 64 bits do not hold the
        product."""
        self.check(left, right, "product", f"a product in the size {size} is too large")
        return arith.MulIOp(left, right).result

    def divide(self, left: ir.Value, right: ir.Value, text: str) -> ir.Value:
        """Divides sizes, rounding down; the call fails for a divisor of 0."""
        is_divisor = arith.CmpIOp(arith.CmpIPredicate.ne, right, self.of(0)).result
        cf.AssertOp(is_divisor, self._message(f"the size {text} is divided by 0"))
        return arith.FloorDivSIOp(left, right).result

    def check(self, left: ir.Value, right: ir.Value, relation: str, message: str) -> None:
        """Lets the call fail with the message, and both values, unless they are in the relation."""
        build_check(left, right, relation, self._message(message))


def _readable(text: str) -> str:
    """A text in which elements of vectors, such as `read#3.shape[0]`, are called as the model calls them."""
    return re.sub(r"\bread#\d+\.", "", text)


def reinterpret(
    values: SizeValues,
    source: ir.Value,
    type_: ir.MemRefType,
    sizes: Sequence[int | Size],
    offset: int | ir.Value = 0,
) -> ir.Value:
    """Casts the buffer `source`, from an element on, to a type and its sizes."""
    strides: list[int | Size] = [product(sizes[axis + 1 :]) for axis in range(len(sizes))]
    mark = ir.ShapedType.get_dynamic_stride_or_offset()
    steps = [stride if isinstance(stride, int) else mark for stride in strides]
    first, moving = (offset, []) if isinstance(offset, int) else (mark, [offset])
    if first:
        layout = ir.StridedLayoutAttr.get(first, steps)
        type_ = ir.MemRefType.get(list(type_.shape), type_.element_type, layout)
    dynamic, moved = values.dynamic(sizes), values.dynamic(strides)
    return memref.ReinterpretCastOp(
        type_, source, moving, dynamic, moved, [first], list(type_.shape), steps
    ).result


def input_names(function: ir.Operation) -> list[list[str]]:
    """Names of the dims per argument, "" for static ones. Raises PassError for other sizes."""
    result = []
    for argument in func.Func(function).arguments:
        names = ["" if isinstance(dim, int) else name_of(dim) for dim in sizes_of(argument)]
        if None in names:
            raise PassError("the dims of arguments are static or names", function.location)
        result.append([name or "" for name in names])
    return result
