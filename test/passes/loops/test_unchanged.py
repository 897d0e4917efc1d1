"""Passes report that they changed nothing, so that the driver does not verify the IR again."""

from __future__ import annotations

import pytest

from mlc.bindings import create_context, ir, parse_module
from mlc.passes.registry import lookup

KERNEL = """
func.func private @k(%x: memref<4xf32>, %i: index) attributes {tloop.kernel} {
  %0 = memref.load %x[%i] : memref<4xf32>
  memref.store %0, %x[%i] : memref<4xf32>
  return
}"""
MACHINE = "llvm.func @k(%x: !llvm.ptr) { llvm.return }"
ON_KERNELS = [
    "tloop-balance-threads",
    "tloop-lower-affine-loops",
    "tloop-lower-copies",
    "tloop-lower-windows",
    "tloop-map-parallel-loops",
    "tloop-separate-results",
    "tloop-stack-buffers",
    "tloop-unswitch-loops",
]
VERIFIERS = ["tloop-verify-in-place", "tloop-verify-loops"]
ON_MACHINE_LEVEL = [
    "kernel-entry",
    "llvm-alias-scopes",
    "llvm-nonnegative-offsets",
    "llvm-parallel-accesses",
    "llvm-verify-translatable",
]


@pytest.mark.parametrize("name", [*ON_KERNELS, *VERIFIERS, *ON_MACHINE_LEVEL])
def test_nothing_to_do(name: str) -> None:
    module = parse_module(MACHINE if name in ON_MACHINE_LEVEL else KERNEL, create_context(), "t.mlir")
    [function] = module.body.operations
    found = lookup(name)
    assert found is not None
    op, text = function.operation if name in ON_KERNELS else module.operation, str(module)
    with op.context, ir.Location.unknown():
        assert found().run(op) is False
    assert str(module) == text
