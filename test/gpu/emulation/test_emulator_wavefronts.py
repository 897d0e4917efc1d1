"""Wavefronts of AMD's GPUs in the emulator: what lanes exchange, and which lane has what of a matrix."""

from __future__ import annotations

import numpy as np
import pytest
from emulator import EmulatorError, launch

THREADS = 128


def kernel(body: str, parameters: str = "%x: !llvm.ptr<1>, %y: !llvm.ptr<1>") -> str:
    """A kernel whose thread `%t` has `%v`, its number of x, and stores `%r` in y."""
    return f"""llvm.func @k({parameters}) attributes {{rocdl.kernel,
        rocdl.reqd_work_group_size = array<i32: {THREADS}, 1, 1>}} {{
      %t = rocdl.workitem.id.x : i32
      %from = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %to = llvm.getelementptr %y[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %v = llvm.load %from : !llvm.ptr<1> -> i32
      {body}
      llvm.store %r, %to : i32, !llvm.ptr<1>
      llvm.return
    }}"""


def run(body: str) -> np.ndarray:
    """Returns, per thread, the thread that its result of `body` comes from."""
    x, y = np.arange(THREADS, dtype=np.uint32), np.zeros(THREADS, np.uint32)
    launch(kernel(body), x, y)
    return y


def move(control: int) -> str:
    return f"%r = rocdl.update.dpp %v, %v with {control}, 15, 15, true : i32"


def swizzle(pattern: int) -> str:
    return f"""%p = llvm.mlir.constant({pattern} : i32) : i32
      %r = rocdl.ds_swizzle %v, %p : (i32, i32) -> i32"""


ACROSS = """%far = llvm.mlir.constant(32 : i32) : i32
      %bytes = llvm.mlir.constant(4 : i32) : i32
      %other = llvm.xor %t, %far : i32
      %at = llvm.mul %other, %bytes : i32
      %r = rocdl.ds_bpermute %at, %v : (i32, i32) -> i32"""


@pytest.mark.parametrize(
    ("distance", "body"),
    [
        (1, move(0xB1)),
        (2, move(0x4E)),
        (4, swizzle(0x101F)),
        (8, move(0x128)),
        (16, swizzle(0x401F)),
        (32, ACROSS),
    ],
)
def test_lanes_exchange_what_they_have(distance: int, body: str) -> None:
    assert np.array_equal(run(body), np.arange(THREADS) ^ distance)


def test_rows_rotate_to_the_right() -> None:
    lanes = np.arange(THREADS)
    assert np.array_equal(run(move(0x121)), lanes // 16 * 16 + (lanes - 1) % 16)


def test_a_matrix_instruction_needs_all_lanes() -> None:
    body = """%half = llvm.mlir.constant(32 : i32) : i32
      %some = llvm.icmp "ult" %t, %half : i32
      %r = scf.if %some -> (i32) {
        %u = rocdl.update.dpp %v, %v with 177, 15, 15, true : i32
        scf.yield %u : i32
      } else {
        scf.yield %v : i32
      }"""
    with pytest.raises(EmulatorError, match="needs all lanes of a wavefront"):
        run(body)


def test_a_product_of_f16() -> None:
    """Lane l holds A's row l % 16, from index 4 (l / 16) of the reduction, and sums from row 4 (l / 16)."""
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(16, 16)).astype(np.float16) for _ in range(2))
    lanes = np.arange(64)
    steps = 4 * (lanes[:, None] // 16) + np.arange(4)
    given_a, given_b = a[lanes[:, None] % 16, steps], b[steps, lanes[:, None] % 16]
    found = np.zeros((64, 4), np.float32)
    text = """llvm.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %z: !llvm.ptr<1>) attributes {rocdl.kernel,
        rocdl.reqd_work_group_size = array<i32: 64, 1, 1>} {
      %t = rocdl.workitem.id.x : i32
      %pa = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf16>
      %pb = llvm.getelementptr %y[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf16>
      %pc = llvm.getelementptr %z[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
      %a = llvm.load %pa : !llvm.ptr<1> -> vector<4xf16>
      %b = llvm.load %pb : !llvm.ptr<1> -> vector<4xf16>
      %c = arith.constant dense<1.0> : vector<4xf32>
      %r = rocdl.mfma.f32.16x16x16f16 %a, %b, %c, 0, 0, none :
        (vector<4xf16>, vector<4xf16>, vector<4xf32>) -> vector<4xf32>
      llvm.store %r, %pc : vector<4xf32>, !llvm.ptr<1>
      llvm.return
    }"""
    launch(text, np.ascontiguousarray(given_a), np.ascontiguousarray(given_b), found)
    wanted = 1 + a.astype(np.float32) @ b.astype(np.float32)
    assert np.allclose(
        found, wanted[4 * (lanes[:, None] // 16) + np.arange(4), lanes[:, None] % 16], rtol=1e-5
    )
