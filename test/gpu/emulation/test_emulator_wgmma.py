"""Instruction wgmma: types, swizzles and layouts of its operands in shared memory."""

import ml_dtypes
import numpy as np
import pytest
from emulator import EmulatorError, Options, TensorMap
from snippets import run

TYPES = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "tf32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8,
}
COLUMNS, RIGHT = 64, 16384
_LAYOUT = {0: 0, 128: 1, 64: 2, 32: 3}


def descriptor(offset: int, leading: int, stride: int, width: int) -> int:
    """The word for an operand at an offset in dynamic shared memory, which begins at 1024; signed."""
    word = (1024 + offset) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | _LAYOUT[width] << 62
    return word - (1 << 64) if word >> 63 else word


def kernel(element_type: str, depth: int, left: int, right: int, transposed: tuple[bool, bool]) -> str:
    """Boxes of the maps %p0 and %p1 are loaded, multiplied, and the sums stored to %p2."""
    count = COLUMNS // 2
    result = "i32" if element_type == "s8" else "f32"
    sum_type = "s32" if element_type == "s8" else "f32"
    opcode = f"wgmma.mma_async.sync.aligned.m64n{COLUMNS}k{depth}.{sum_type}.{element_type}.{element_type}"
    sums = ", ".join(f"${i}" for i in range(count))
    flags = "" if element_type == "s8" else ", 1, 1"
    flags += f", {int(transposed[0])}, {int(transposed[1])}" if element_type in ("bf16", "f16") else ""
    text = f"{{ .reg .pred p; setp.ne.b32 p, ${count + 2}, 0; {opcode} {{{sums}}}, ${count}, ${count + 1}, p"
    text += f"{flags}; }}"
    struct = f"!llvm.struct<({', '.join([result] * count)})>"
    constraints = ",".join(["=r" if element_type == "s8" else "=f"] * count + ["l", "l", "n"])
    stores = "\n".join(
        f"%v{i} = llvm.extractvalue %d[{i}] : {struct}\n"
        f"%q{i} = llvm.getelementptr %mine[{i}] : (!llvm.ptr) -> !llvm.ptr, i32\n"
        f"llvm.store %v{i}, %q{i} : {result}, !llvm.ptr"
        for i in range(count)
    )
    return f"""
      %zero = arith.cmpi eq, %tid, %c0 : i32
      %right = llvm.getelementptr %smem[{RIGHT}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %signal = llvm.getelementptr %smem[{2 * RIGHT}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      scf.if %zero {{
        nvvm.mbarrier.init %signal, %c1 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
        nvvm.mbarrier.arrive.expect_tx %signal, %p3 : !llvm.ptr<3>, i32
        %to = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>
        %there = llvm.addrspacecast %right : !llvm.ptr<3> to !llvm.ptr<7>
        nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %p0, %signal, box[%c0, %c0]
          : !llvm.ptr<7>, !llvm.ptr
        nvvm.cp.async.bulk.tensor.shared.cluster.global %there, %p1, %signal, box[%c0, %c0]
          : !llvm.ptr<7>, !llvm.ptr
      }}
      nvvm.barrier
      nvvm.mbarrier.try_wait.parity %signal, %c0, %c1 : !llvm.ptr<3>, i32, i32
      %a = arith.constant {left} : i64
      %b = arith.constant {right} : i64
      nvvm.wgmma.fence.aligned
      %d = llvm.inline_asm has_side_effects
        "{text}",
        "{constraints}" %a, %b, %c0 : (i64, i64, i32) -> {struct}
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      %size = arith.constant {4 * count} : i32
      %start = arith.muli %tid, %size : i32
      %mine = llvm.getelementptr %p2[%start] : (!llvm.ptr, i32) -> !llvm.ptr, i8
      {stores}
    """


def matrix_of(held: np.ndarray) -> np.ndarray:
    """64 rows from what 128 threads hold (PTX ISA, "Register fragments for wgmma", matrix D)."""
    matrix = np.zeros((64, COLUMNS), held.dtype)
    for thread in range(128):
        for i in range(COLUMNS // 2):
            row = 16 * (thread // 32) + thread % 32 // 4 + 8 * (i // 2 % 2)
            matrix[row, 8 * (i // 4) + thread % 4 * 2 + i % 2] = held[thread, i]
    return matrix


def check(element_type: str, width: int, warps: int, transposed: tuple[bool, bool] = (False, False)) -> None:
    """Multiply [64, k] and [COLUMNS, k]^T, a row of either as wide as the swizzle; k is its begin."""
    dtype = np.dtype(TYPES[element_type])
    depth, side = 32 // dtype.itemsize, width // dtype.itemsize
    random, strides = np.random.default_rng(0), []
    arrays, factors = [], []
    for along_rows in transposed:
        # By columns: 16 rows of k, each with `side` of the 64 rows or columns.
        shape = (depth, side) if along_rows else (64, side)
        array = random.integers(-8, 8, shape).astype(dtype)
        arrays.append(array)
        factors.append(array.astype(np.float64).T if along_rows else array[:, :depth].astype(np.float64))
        strides.append((1024, 8 * width) if along_rows else (16, 8 * width))
    words = [descriptor(RIGHT * i, *pair, width) for i, pair in enumerate(strides)]
    maps = [TensorMap(array, array.shape[::-1], width) for array in arrays]
    held = np.zeros((128, COLUMNS // 2), np.int32 if element_type == "s8" else np.float32)
    size = sum(tensor_map.bytes for tensor_map in maps)
    options = Options(1, races=True, warps_per_unit=warps)
    body = kernel(element_type, depth, words[0], words[1], transposed)
    run(body, *maps, held, size, threads=128, shared_bytes=2 * RIGHT + 64, options=options)
    assert (matrix_of(held) == factors[0] @ factors[1].T).all()


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("element_type", TYPES)
def test_types(element_type: str, warps: int) -> None:
    check(element_type, 128, warps)


@pytest.mark.parametrize("width", [64, 32])
def test_narrow_swizzles(width: int) -> None:
    check("bf16", width, 4)


@pytest.mark.parametrize("transposed", [(True, False), (False, True), (True, True)])
def test_operands_by_columns(transposed: tuple[bool, bool]) -> None:
    check("f16", 128, 4, transposed)


def test_only_16_bits_can_be_transposed() -> None:
    body = kernel("e4m3", 32, descriptor(0, 16, 1024, 128), descriptor(RIGHT, 16, 1024, 128), (False, False))
    body = body.replace("p, 1, 1;", "p, 1, 1, 0, 1;")
    maps = [TensorMap(np.zeros((64, 128), np.int8), (128, 64), 128)] * 2
    held = np.zeros((128, COLUMNS // 2), np.float32)
    with pytest.raises(EmulatorError, match="cannot be transposed"):
        run(body, *maps, held, 16384, threads=128, shared_bytes=2 * RIGHT + 64)
