"""Fragments and products of a warp, by the tables of the PTX ISA ("Matrix fragments for mma")."""

import ml_dtypes
import numpy as np
import pytest
from emulator.fragments import left_index, result_index, right_index
from snippets import run

LANES = range(32)


def test_left_fragments_of_16_bits() -> None:
    """In m16n8k16, a0, a1, a4, a5 are in row groupID, the others 8 below; a4 and later are 8 columns on."""
    rows, columns = left_index(4, 2)
    for lane in LANES:
        for i in range(8):
            row = lane // 4 if i < 2 or 4 <= i < 6 else lane // 4 + 8
            column = lane % 4 * 2 + (i & 1) + (8 if i >= 4 else 0)
            assert (rows[lane, i // 2, i % 2], columns[lane, i // 2, i % 2]) == (row, column)


def test_left_fragments_of_8_bits() -> None:
    """In m16n8k32, a0 to a3 and a8 to a11 are in row groupID; a8 and later are 16 columns further on."""
    rows, columns = left_index(4, 4)
    for lane in LANES:
        for i in range(16):
            row = lane // 4 if i < 4 or 8 <= i < 12 else lane // 4 + 8
            column = lane % 4 * 4 + (i & 3) + (16 if i >= 8 else 0)
            assert (rows[lane, i // 4, i % 4], columns[lane, i // 4, i % 4]) == (row, column)


def test_left_fragments_of_tf32() -> None:
    """In m16n8k8, a0 and a2 are in row groupID; a2 and a3 are 4 columns further on."""
    rows, columns = left_index(4, 1)
    for lane in LANES:
        for i in range(4):
            row, column = lane // 4 + 8 * (i in (1, 3)), lane % 4 + 4 * (i >= 2)
            assert (rows[lane, i, 0], columns[lane, i, 0]) == (row, column)


@pytest.mark.parametrize("elements", [1, 2, 4])
def test_right_fragments(elements: int) -> None:
    """Element i of B is in column groupID; the second register is half of the rows further down."""
    rows, columns = right_index(2, elements)
    for lane in LANES:
        for i in range(2 * elements):
            row = lane % 4 * elements + i % elements + 4 * elements * (i >= elements)
            assert (rows[lane, i // elements, i % elements], columns[lane, 0, 0]) == (row, lane // 4)


def test_results() -> None:
    """Elements c0 and c1 are in row groupID, c2 and c3 8 below; wgmma's next four are 8 columns on."""
    rows, columns = result_index(16)
    for lane in LANES:
        for i in range(8):
            row = lane // 4 + 8 * (i % 4 >= 2)
            assert (rows[lane, i], columns[lane, i]) == (row, lane % 4 * 2 + (i & 1) + 8 * (i // 4))


LOAD = """
  %chunk = arith.constant 16 : i32
  %base = arith.muli %lane, %chunk : i32
  %row = llvm.getelementptr %smem[%base] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  %from = llvm.getelementptr %p0[%base] : (!llvm.ptr, i32) -> !llvm.ptr, i8
  %line = llvm.load %from : !llvm.ptr -> vector<4xi32>
  llvm.store %line, %row : vector<4xi32>, !llvm.ptr<3>
  %m = nvvm.ldmatrix %row {{num = 4 : i32, layout = #nvvm.mma_layout<{}>,
    shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}}
    : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %r0 = llvm.extractvalue %m[0] : !llvm.struct<(i32, i32, i32, i32)>
  %r1 = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>
  %r2 = llvm.extractvalue %m[2] : !llvm.struct<(i32, i32, i32, i32)>
  %r3 = llvm.extractvalue %m[3] : !llvm.struct<(i32, i32, i32, i32)>
"""
KEEP = """
  %v = vector.from_elements %r0, %r1, %r2, %r3 : vector<4xi32>
  %to = llvm.getelementptr %p1[%base] : (!llvm.ptr, i32) -> !llvm.ptr, i8
  llvm.store %v, %to : vector<4xi32>, !llvm.ptr
"""


@pytest.mark.parametrize("layout", ["row", "col"])
def test_ldmatrix_gives_lanes_their_elements(layout: str) -> None:
    """Lane l holds of each matrix row l / 4, columns 2 (l % 4) and on; with .trans of the transposed."""
    matrices = np.arange(4 * 64, dtype=np.uint16).reshape(4, 8, 8)
    held = np.zeros((32, 4, 2), np.uint16)
    run(LOAD.format(layout) + KEEP, matrices, held, shared_bytes=512)
    for lane in LANES:
        for matrix in range(4):
            whole = matrices[matrix] if layout == "row" else matrices[matrix].T
            assert (held[lane, matrix] == whole[lane // 4, lane % 4 * 2 :][:2]).all()


@pytest.mark.parametrize(("load", "store"), [("row", "row"), ("col", "col"), ("row", "col")])
def test_stmatrix_is_the_inverse(load: str, store: str) -> None:
    matrices = np.arange(4 * 64, dtype=np.uint16).reshape(4, 8, 8)
    result = np.zeros_like(matrices)
    body = f"""
      nvvm.stmatrix %row, %r0, %r1, %r2, %r3 {{layout = #nvvm.mma_layout<{store}>,
        shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>}}
        : !llvm.ptr<3>, i32, i32, i32, i32
      %back = llvm.load %row : !llvm.ptr<3> -> vector<4xi32>
      %to = llvm.getelementptr %p1[%base] : (!llvm.ptr, i32) -> !llvm.ptr, i8
      llvm.store %back, %to : vector<4xi32>, !llvm.ptr
    """
    run(LOAD.format(load) + body, matrices, result, shared_bytes=512)
    assert (result == (matrices if load == store else matrices.swapaxes(1, 2))).all()


def pack(matrix: np.ndarray, index: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The registers [32, n] of 4 bytes that hold a matrix."""
    return np.ascontiguousarray(matrix[index]).view(np.uint32)[..., 0]


CASES = {
    "bf16": (ml_dtypes.bfloat16, 16, 4, "f32", np.float32),
    "f16": (np.float16, 16, 4, "f32", np.float32),
    "tf32": (np.float32, 8, 4, "f32", np.float32),
    "s8": (np.int8, 32, 4, "i32", np.int32),
    "u8": (np.uint8, 32, 4, "i32", np.int32),
}


def products(element_type: str, depth: int, result: str) -> str:
    """A kernel that multiplies what lanes hold in %p0 (4 registers) and %p1 (2), and stores 4 results."""
    text = ["%l4 = arith.muli %lane, %four : i32", "%l2 = arith.muli %lane, %c2 : i32"]
    held = "vector<2xf16>" if element_type == "f16" else "i32"
    for name, parameter, start, count in (("a", "%p0", "%l4", 4), ("b", "%p1", "%l2", 2)):
        pointer = f"%{name}p = llvm.getelementptr {parameter}[{start}] : (!llvm.ptr, i32) -> !llvm.ptr, i32"
        text += [pointer, f"%{name}v = llvm.load %{name}p : !llvm.ptr -> vector<{count}xi32>"]
        for i in range(count):
            text.append(f"%{name}i{i} = vector.extract %{name}v[{i}] : i32 from vector<{count}xi32>")
            text.append(f"%{name}{i} = llvm.bitcast %{name}i{i} : i32 to {held}")
    names = ["multiplicandAPtxType", "multiplicandBPtxType"] if element_type != "f16" else []
    types = " ".join(f"{name} = #nvvm.mma_type<{element_type}>," for name in names)
    wraps = "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>," if result == "i32" else ""
    text.append(
        "%d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%one, %one, %one, %one] {layoutA ="
        f" #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, {types} {wraps}"
        f" shape = #nvvm.shape<m = 16, n = 8, k = {depth}>}}"
        f" : ({held}, {held}, {result}) -> !llvm.struct<({', '.join([result] * 4)})>"
    )
    for i in range(4):
        text.append(f"%r{i} = llvm.extractvalue %d[{i}] : !llvm.struct<({', '.join([result] * 4)})>")
    text.append(f"%v = vector.from_elements %r0, %r1, %r2, %r3 : vector<4x{result}>")
    text.append("%to = llvm.getelementptr %p2[%l4] : (!llvm.ptr, i32) -> !llvm.ptr, i32")
    text.append(f"llvm.store %v, %to : vector<4x{result}>, !llvm.ptr")
    one = "1.0 : f32" if result == "f32" else "1 : i32"
    return "\n".join([f"%one = arith.constant {one}", "%four = arith.constant 4 : i32", *text])


@pytest.mark.parametrize("element_type", CASES)
def test_mma_multiplies(element_type: str) -> None:
    dtype, depth, _, result, held = CASES[element_type]
    random = np.random.default_rng(1)
    a, b = (
        random.integers(-20 if element_type != "u8" else 0, 20, shape).astype(dtype)
        for shape in ((16, depth), (depth, 8))
    )
    elements = 4 // np.dtype(dtype).itemsize
    lefts, rights = pack(a, left_index(4, elements)), pack(b, right_index(2, elements))
    got = np.zeros((32, 4), held)
    run(products(element_type, depth, result), lefts, rights, got)
    exact = 1 + a.astype(np.int64) @ b.astype(np.int64)
    assert (got == exact[result_index(8)]).all()


def test_tf32_ignores_the_low_bits() -> None:
    a, b, got = (
        np.full((16, 8), 1 + 2**-11, np.float32),
        np.ones((8, 8), np.float32),
        np.zeros((32, 4), np.float32),
    )
    run(products("tf32", 8, "f32"), pack(a, left_index(4, 1)), pack(b, right_index(2, 1)), got)
    assert (got == 9).all()
