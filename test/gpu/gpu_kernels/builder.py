"""Building kernels op by op: integers with operators, pointers, control flow."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mlc.bindings import arith, ir, llvm, nvvm, scf

TENSOR_MAP = "!llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}"
_PREDICATES = {"eq": 0, "slt": 2, "sle": 3, "ult": 6}
_DYNAMIC = -(1 << 31)


def i32(value: int) -> ir.Value:
    """A constant."""
    element_type = ir.IntegerType.get_signless(32)
    return arith.ConstantOp(element_type, ir.IntegerAttr.get(element_type, value)).result


def f32(value: float) -> ir.Value:
    """A constant."""
    return arith.ConstantOp(ir.F32Type.get(), ir.FloatAttr.get(ir.F32Type.get(), value)).result


@dataclass(frozen=True)
class Int32:
    """An i32 with Python's operators; division and comparison are unsigned."""

    value: ir.Value

    @staticmethod
    def of(value: Operand) -> Int32:
        """A constant, or `value` itself."""
        return value if isinstance(value, Int32) else Int32(i32(value))

    def __add__(self, other: Operand) -> Int32:
        return Int32(arith.AddIOp(self.value, raw(other)).result)

    def __sub__(self, other: Operand) -> Int32:
        return Int32(arith.SubIOp(self.value, raw(other)).result)

    def __mul__(self, other: Operand) -> Int32:
        return Int32(arith.MulIOp(self.value, raw(other)).result)

    def __floordiv__(self, other: Operand) -> Int32:
        return Int32(arith.DivUIOp(self.value, raw(other)).result)

    def __mod__(self, other: Operand) -> Int32:
        return Int32(arith.RemUIOp(self.value, raw(other)).result)

    def __xor__(self, other: Operand) -> Int32:
        return Int32(arith.XOrIOp(self.value, raw(other)).result)

    def __and__(self, other: Operand) -> Int32:
        return Int32(arith.AndIOp(self.value, raw(other)).result)

    def __lshift__(self, other: Operand) -> Int32:
        return Int32(arith.ShLIOp(self.value, raw(other)).result)

    def __rshift__(self, other: Operand) -> Int32:
        return Int32(arith.ShRUIOp(self.value, raw(other)).result)

    def minimum(self, other: Operand) -> Int32:
        """The smaller, unsigned."""
        return Int32(arith.MinUIOp(self.value, raw(other)).result)

    def compare(self, predicate: str, other: Operand) -> ir.Value:
        """An i1; `predicate` is "eq", "slt", "sle" or "ult"."""
        code = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _PREDICATES[predicate])
        return arith.CmpIOp(code, self.value, raw(other)).result

    def equals(self, other: Operand) -> ir.Value:
        """An i1."""
        return self.compare("eq", other)

    def round_up(self, unit: int) -> Int32:
        """Returns how many `unit`s cover it."""
        return (self + (unit - 1)) // unit


Operand = Int32 | int


def raw(value: Operand) -> ir.Value:
    """Returns the value of an `Int32`, or a constant."""
    return Int32.of(value).value


def choose(condition: ir.Value, yes: Operand, no: Operand) -> Int32:
    """`yes` where the condition holds, otherwise `no`."""
    return Int32(arith.SelectOp(condition, raw(yes), raw(no)).result)


def pointer(space: int = 0) -> ir.Type:
    """The type of pointers into an address space."""
    return ir.Type.parse(f"!llvm.ptr<{space}>" if space else "!llvm.ptr")


def at(base: ir.Value, offset: Operand) -> ir.Value:
    """The pointer `offset` bytes after `base`."""
    byte = ir.Type.parse("i8")
    if isinstance(offset, int):
        return llvm.GEPOp(base.type, base, [], [offset], byte, 0).result
    return llvm.GEPOp(base.type, base, [offset.value], [_DYNAMIC], byte, 0).result


def special(op: Any) -> Int32:
    """A special register: `special(nvvm.ThreadIdXOp)`."""
    return Int32(op().result)


@contextmanager
def when(condition: ir.Value) -> Iterator[None]:
    """Builds an `scf.if`: ops built inside run where `condition` holds."""
    op = scf.IfOp(condition)
    with ir.InsertionPoint(op.regions[0].blocks[0]):
        yield
        scf.YieldOp([])


def either(condition: ir.Value, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """`then` builds what runs where `condition` holds, `otherwise` what runs elsewhere."""
    op = scf.IfOp(condition, has_else=True)
    for region, build in zip(op.regions, (then, otherwise), strict=True):
        with ir.InsertionPoint(region.blocks[0]):
            build()
            scf.YieldOp([])


Body = Callable[..., Sequence[Any]]


def loop(low: Operand, high: Operand, step: Operand, initial: Sequence[Any], body: Body) -> list[Any]:
    """`body(i, *carried)` builds an iteration, and returns what is carried on. What the last one returned."""
    values = [_value(value) for value in initial]
    op = scf.ForOp(raw(low), raw(high), raw(step), values)
    with ir.InsertionPoint(op.body):
        carried = [_like(arg, old) for arg, old in zip(op.inner_iter_args, initial, strict=True)]
        scf.YieldOp([_value(value) for value in body(Int32(op.induction_variable), *carried)])
    return [_like(result, old) for result, old in zip(op.results, initial, strict=True)]


def _value(value: Any) -> ir.Value:
    return raw(value) if isinstance(value, Int32 | int) else value


def _like(value: ir.Value, old: Any) -> Any:
    return Int32(value) if isinstance(old, Int32 | int) else value


@contextmanager
def kernel(
    name: str, parameters: Sequence[str], threads: int, attributes: str = ""
) -> Generator[Any, None, None]:
    """A module with one kernel, and dynamic shared memory @smem; gives the module and the parameters. What is
    built inside is the kernel's body."""
    listed = ", ".join(f"%a{i}: {element_type}" for i, element_type in enumerate(parameters))
    module = ir.Module.parse(f"""
      module attributes {{gpu.container_module}} {{ gpu.module @kernels {{
       llvm.mlir.global external @smem() {{addr_space = 3 : i32, alignment = 1024 : i64}}
           : !llvm.array<0 x i8>
       llvm.func @{name}({listed}) attributes {{nvvm.kernel, nvvm.reqntid = array<i32: {threads}, 1, 1>,
            nvvm.minctasm = 1 : i32{attributes}}} {{ llvm.return }} }} }}""")
    block = module.body.operations[0].regions[0].blocks[0].operations[1].regions[0].blocks[0]
    with ir.InsertionPoint(block.operations[0]):
        yield module, [_parameter(argument) for argument in block.arguments]


def _parameter(argument: ir.Value) -> Any:
    return Int32(argument) if isinstance(argument.type, ir.IntegerType) else argument


def shared_base() -> ir.Value:
    """The address of dynamic shared memory."""
    return llvm.AddressOfOp(pointer(3), ir.FlatSymbolRefAttr.get("smem")).result


def uniform(value: Int32) -> Int32:
    """The first lane's value in all lanes of the warp, which LLVM then knows to be the same."""
    mode = ir.Attribute.parse("#nvvm<shfl_kind idx>")
    return Int32(nvvm.shfl_sync(i32(-1), value.value, i32(0), i32(31), mode))
