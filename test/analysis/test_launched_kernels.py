"""The kernels that a program launches, as data; with dynamic dims their costs are formulas."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest

from mlc.analysis.launched_kernels import launched_kernels
from mlc.analysis.value_sizes import UnknownSizeError, shape, symbolic_sizes
from mlc.bindings import func, parse_module
from mlc.dialects import create_context
from mlc.dialects.graph.dims.function_dims import Dims
from mlc.pipelines.driver import run_pipeline
from mlc.runtime.profiling.formula import evaluate

# Of $N rows; $NAMES are the names of the argument's dims.
PRODUCTS = """
func.func @main(%x: tensor<$NxTYPE> $NAMES) -> tensor<$NxTYPE> {
  %w = "graph.weight"() {source = "w", offset = 0, size = 256, hash = "a"} : () -> tensor<8x8xf32>
  %0 = "graph.matmul"(%x, %w) : (tensor<$NxTYPE>, tensor<8x8xf32>) -> tensor<$NxTYPE> loc("first")
  %1 = "graph.relu"(%0) : (tensor<$NxTYPE>) -> tensor<$NxTYPE> loc("relu")
  %2 = "graph.softmax"(%1) {axis = 1} : (tensor<$NxTYPE>) -> tensor<$NxTYPE> loc("rows")
  %3 = "graph.matmul"(%2, %w) : (tensor<$NxTYPE>, tensor<8x8xf32>) -> tensor<$NxTYPE> loc("second")
  %4 = "graph.relu"(%3) : (tensor<$NxTYPE>) -> tensor<$NxTYPE> loc("again")
  return %4 : tensor<$NxTYPE>
}
""".replace("TYPE", "8xf32")
POOL = """
func.func @main(%x: tensor<1x4x$Nx16xf32> $NAMES) -> tensor<1x4x$Mx8xf32> {
  %0 = "graph.max_pool"(%x) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
    pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
    : (tensor<1x4x$Nx16xf32>) -> tensor<1x4x$Mx8xf32>
  return %0 : tensor<1x4x$Mx8xf32>
}
"""
# At most all of the table is read.
GATHER = """
func.func @main(%table: tensor<100x8xf32>, %i: tensor<$Nxi64> $NAMES) -> tensor<$Nx8xf32> {
  %0 = "graph.gather"(%table, %i) {axis = 0} : (tensor<100x8xf32>, tensor<$Nxi64>) -> tensor<$Nx8xf32>
  return %0 : tensor<$Nx8xf32>
}
"""
CASES = {
    "products": (PRODUCTS, '["n", ""]'),
    "pool": (POOL, '["", "", "n", ""]'),
    "gather": (GATHER, '["n"]'),
}


def kernels(text: str) -> list[dict[str, Any]]:
    module = parse_module(text, create_context(), "t.mlir")
    run_pipeline("builtin.module(graph-name-dims,form-kernels,host-plan-memory)", module)
    return [kernel.to_json("") for kernel in launched_kernels(module.operation)]


def of_rows(text: str, rows: int) -> list[dict[str, Any]]:
    sizes = {"$NAMES": "", "$N": str(rows), "$M": str((rows + 1) // 2)}
    return kernels(reduce(lambda text, size: text.replace(*size), sizes.items(), text))


def of_any_rows(text: str, names: str) -> list[dict[str, Any]]:
    sizes = {"$NAMES": f"{{graph.dims = {names}}}", "$N": "?", "$M": "?"}
    return kernels(reduce(lambda text, size: text.replace(*size), sizes.items(), text))


def test_kernels_are_listed_once_with_all_nodes() -> None:
    product, rows = of_rows(PRODUCTS, 2)
    assert product["nodes"] == ["first", "relu", "second", "again"] and rows["nodes"] == ["rows"]
    assert product["flops"] == 2 * 2 * 8 * 8 + 2 * 8 and product["bytes"] == 4 * (2 * 2 * 8 + 64)
    assert product["dtype"] == "float32" and "dims" not in product


@pytest.mark.parametrize("name", CASES)
def test_formulas_give_what_static_sizes_give(name: str) -> None:
    text, names = CASES[name]
    general = of_any_rows(text, names)
    for rows in (1, 2, 7, 300):
        for own, kernel in zip(of_rows(text, rows), general, strict=True):
            dims = [rows, (rows + 1) // 2][: kernel["dims"]]
            assert evaluate(kernel["flops"], dims) == own["flops"]
            assert evaluate(kernel["bytes"], dims) == own["bytes"]
            assert kernel["nodes"] == own["nodes"] and kernel["dtype"] == own["dtype"]


def test_the_type_is_that_of_the_products_operands() -> None:
    text = """func.func @main(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>) -> tensor<4x4xf32> {
      %0 = "graph.matmul"(%a, %b) : (tensor<4x8xf16>, tensor<8x4xf16>) -> tensor<4x4xf16>
      %1 = "graph.cast"(%0) : (tensor<4x4xf16>) -> tensor<4x4xf32>
      return %1 : tensor<4x4xf32>
    }"""
    assert [kernel["dtype"] for kernel in kernels(text)] == ["float16"]


def test_a_module_without_main() -> None:
    module = parse_module("module {}", create_context(), "t.mlir")
    assert launched_kernels(module.operation) == []


def test_sizes_are_symbolic_only_inside() -> None:
    text = """func.func @f(%x: tensor<?x8xf32> {graph.dims = ["n", ""]}) { return }"""
    module = parse_module(text, create_context(), "t.mlir")
    function = next(op.operation for op in module.body if func.Func.isa(op))
    value = function.regions[0].blocks[0].arguments[0]
    with symbolic_sizes(Dims(function)):
        assert list(map(str, shape(value))) == ["n", "8"]
    with pytest.raises(UnknownSizeError, match="dim 0 of a value"):
        shape(value)
