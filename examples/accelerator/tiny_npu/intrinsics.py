"""The instructions of the matrix unit as intrinsics for `tloop.tensorize`."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.common.computation import Computation
from mlc.passes.schedule.structured.tensorize import IMPLEMENTATION
from tiny_npu.machine import TILE

# Attribute of a structured op: the function of the simulator that computes it.
FUNCTION = "tiny_npu.function"
# The accumulators' type, and the body's ops, by the operands' type.
_SUMS = {"f16": "f32", "i8": "i32"}
_BODIES = {
    "f16": ("arith.extf", "arith.extf", "arith.mulf", "arith.addf", "linalg.yield"),
    "i8": ("arith.extsi", "arith.extsi", "arith.muli", "arith.addi", "linalg.yield"),
}
_LEFT, _RIGHT, _RIGHT_TRANSPOSED, _RESULT = ("(m, k)", "(k, n)", "(n, k)", "(m, n)")


@dataclass(frozen=True)
class MatrixInstruction:
    """One instruction of the matrix unit: the operands' type, and whether the right operand is transposed."""

    element: str
    transposed: bool

    @property
    def function(self) -> str:
        """The function of the simulator that computes it."""
        return f"npu_mma_{self.element}{'_transposed' if self.transposed else ''}"

    @property
    def maps(self) -> str:
        """The indexing maps of the iteration space (m, n, k)."""
        right = _RIGHT_TRANSPOSED if self.transposed else _RIGHT
        return ", ".join(f"affine_map<(m, n, k) -> {result}>" for result in (_LEFT, right, _RESULT))


def product_of(computation: Computation) -> MatrixInstruction | None:
    """Returns the instruction that computes tiles of `computation`, or None."""
    types = [str(getattr(operand.type, "element_type", None)) for operand in computation.op.operands]
    body = tuple(op.operation.name for op in computation.op.regions[0].blocks[0])
    if len(types) != 3 or types != [types[0], types[0], _SUMS.get(types[0])] or body != _BODIES[types[0]]:
        return None
    products = (MatrixInstruction(types[0], transposed) for transposed in (False, True))
    return next((product for product in products if _maps(product) == computation.maps), None)


def _maps(product: MatrixInstruction) -> list[ir.AffineMap]:
    return [attribute.value for attribute in ir.ArrayAttr.parse(f"[{product.maps}]")]


def declare(product: MatrixInstruction, kernel: ir.Operation) -> str:
    """Inserts the intrinsic's pattern and implementation after `kernel`, unless its module has them; returns
    the pattern's name."""
    name = f"{product.function}_pattern"
    if all(function.operation.attributes["sym_name"].value != name for function in _functions(kernel.parent)):
        functions = ir.Module.parse(_TEXT.format(**_fields(product, name)))
        for op in functions.body.operations:
            op.operation.clone(ip=ir.InsertionPoint.after(kernel))
    return name


def remove_intrinsics(module: ir.Operation) -> None:
    """Erases all patterns and implementations."""
    functions = _functions(module)
    marked = [
        function.operation.attributes
        for function in functions
        if IMPLEMENTATION in function.operation.attributes
    ]
    names = [attributes[name].value for attributes in marked for name in ("sym_name", IMPLEMENTATION)]
    for function in functions:
        if function.operation.attributes["sym_name"].value in names:
            function.operation.erase()


def _functions(module: ir.Operation) -> list[ir.OpView]:
    return [op for op in module.regions[0].blocks[0] if op.operation.name == "func.func"]


def _fields(product: MatrixInstruction, name: str) -> dict[str, str]:
    sums, (widen, _, multiply, add, _) = _SUMS[product.element], _BODIES[product.element]
    return {
        "pattern": name,
        "implementation": f"{product.function}_tile",
        "function": product.function,
        "maps": product.maps,
        "operand": f"tensor<{TILE}x{TILE}x{product.element}>",
        "result": f"tensor<{TILE}x{TILE}x{sums}>",
        "body": f"""
  ^bb0(%x: {product.element}, %y: {product.element}, %sum: {sums}):
    %0 = {widen} %x : {product.element} to {sums}
    %1 = {widen} %y : {product.element} to {sums}
    %2 = {multiply} %0, %1 : {sums}
    %3 = {add} %sum, %2 : {sums}
    linalg.yield %3 : {sums}
  """,
    }


# The pattern is what a tile of the kernel must be. The implementation is the same computation with the name
# of the function that computes it: it stays a structured op, which is bufferised like any other.
_TEXT = """
func.func private @{pattern}(%a: {operand}, %b: {operand}, %c: {result}) -> {result}
    attributes {{tloop.implementation = @{implementation}}} {{
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : {operand}, {operand}) outs(%c : {result}) {{{body}}} -> {result}
  return %r : {result}
}}
func.func private @{implementation}(%a: {operand}, %b: {operand}, %c: {result}) -> {result} {{
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : {operand}, {operand}) outs(%c : {result})
      attrs = {{tiny_npu.function = "{function}"}} {{{body}}} -> {result}
  return %r : {result}
}}
"""
