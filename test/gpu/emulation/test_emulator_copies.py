"""Asynchronous copies: tensor maps, swizzles, groups."""

import numpy as np
import pytest
from emulator import EmulatorError, Options, TensorMap, swizzle
from snippets import run


@pytest.mark.parametrize(("width", "chunks"), [(128, 8), (64, 4), (32, 2)])
def test_swizzle_permutes_chunks_by_the_row(width: int, chunks: int) -> None:
    """CUDA programming guide, "Shared memory bank swizzling": the pattern repeats after `chunks` rows of 128
    bytes; in row r, chunk c of each group of `chunks` is stored as chunk c xor r."""
    for offset in range(0, 2048, 16):
        row, chunk = offset // 128, offset // 16 % 8
        permuted = chunk // chunks * chunks + (chunk % chunks ^ row % chunks)
        assert swizzle(np.array(offset), width) == row * 128 + permuted * 16
    assert (swizzle(np.arange(64), 0) == np.arange(64)).all()


def test_boxes_are_clipped_and_filled_with_zeros() -> None:
    array = np.arange(1, 49, dtype=np.float32).reshape(6, 8)
    box = TensorMap(array, (4, 4), swizzle=0)
    loaded = box.load([6, -1]).view(np.float32).reshape(4, 4)
    wanted = np.zeros((4, 4), np.float32)
    wanted[1:, :2] = array[:3, 6:]
    assert (loaded == wanted).all()
    assert not box.load([100, 0]).any() and not box.load([0, -4]).any()


def test_stores_are_clipped() -> None:
    array = np.zeros((6, 8), np.float32)
    box = TensorMap(array, (4, 4), swizzle=0)
    box.store([6, 4], np.ones(16, np.float32).view(np.uint8))
    assert array.sum() == 4 and (array[4:, 6:] == 1).all()
    box.store([6, 4], np.ones(16, np.float32).view(np.uint8), np.add)
    assert array.sum() == 8


@pytest.mark.parametrize(
    ("shape", "box", "width", "message"),
    [
        ((8, 64), (64,), 128, "another rank"),
        ((8, 64), (512, 1), 0, "not in 1 to 256"),
        ((8, 64), (3, 8), 0, "no multiple of 16 bytes"),
        ((8, 128), (128, 8), 128, "wider than the swizzle"),
        ((8, 12), (8, 8), 128, "stride is no multiple"),
    ],
)
def test_tensor_maps_that_cuda_refuses(
    shape: tuple[int, ...], box: tuple[int, ...], width: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        TensorMap(np.zeros(shape, np.float16), box, width)


ROUND_TRIP = """
  %zero = arith.cmpi eq, %tid, %c0 : i32
  %bytes = arith.constant 2048 : i32
  %column = arith.constant 8 : i32
  %row = arith.constant -3 : i32
  %data = llvm.getelementptr %smem[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  scf.if %zero {
    nvvm.mbarrier.init %smem, %c1 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init
    nvvm.mbarrier.arrive.expect_tx %smem, %bytes : !llvm.ptr<3>, i32
    %to = llvm.addrspacecast %data : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %p0, %smem, box[%column, %row]
      : !llvm.ptr<7>, !llvm.ptr
    nvvm.mbarrier.try_wait.parity %smem, %c0, %c1 : !llvm.ptr<3>, i32, i32
    nvvm.cp.async.bulk.tensor.global.shared.cta %p1, %data, box[%c0, %c0] : !llvm.ptr, <3>
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 0
  }
"""


@pytest.mark.parametrize(("into", "out_of"), [(128, 128), (0, 0), (128, 0)])
def test_what_is_loaded_is_stored_if_the_swizzle_is_the_same(into: int, out_of: int) -> None:
    source = np.random.default_rng(0).integers(1, 1 << 15, (16, 72), np.uint16)
    target = np.zeros((16, 64), np.uint16)
    maps = TensorMap(source, (64, 16), into), TensorMap(target, (64, 16), out_of)
    run(ROUND_TRIP, *maps, shared_bytes=4096, options=Options(races=True))
    wanted = np.zeros_like(target)
    wanted[3:] = source[:13, 8:]
    assert (target == wanted).all() == (into == out_of)


def test_a_bulk_copy_brings_bytes_in_a_row() -> None:
    body = """
      %zero = arith.cmpi eq, %tid, %c0 : i32
      %bytes = arith.constant 96 : i32
      %data = llvm.getelementptr %smem[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %mine = llvm.getelementptr %data[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %out = llvm.getelementptr %p1[%tid] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %few = arith.constant 24 : i32
      scf.if %zero {
        nvvm.mbarrier.init %smem, %c1 : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
        nvvm.mbarrier.arrive.expect_tx %smem, %bytes : !llvm.ptr<3>, i32
        %from = llvm.addrspacecast %p0 : !llvm.ptr to !llvm.ptr<1>
        %to = llvm.addrspacecast %data : !llvm.ptr<3> to !llvm.ptr<7>
        nvvm.cp.async.bulk.shared.cluster.global %to, %from, %smem, %bytes : !llvm.ptr<7>, !llvm.ptr<1>
      }
      nvvm.bar.warp.sync %all : i32
      nvvm.mbarrier.try_wait.parity %smem, %c0, %c1 : !llvm.ptr<3>, i32, i32
      %in = arith.cmpi ult, %tid, %few : i32
      scf.if %in {
        %x = llvm.load %mine : !llvm.ptr<3> -> i32
        llvm.store %x, %out : i32, !llvm.ptr
      }
    """
    source, target = np.arange(24, dtype=np.uint32), np.zeros(24, np.uint32)
    run(body, source, target, shared_bytes=256, options=Options(races=True))
    assert (source == target).all()


GROUPS = """
  %p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %q = llvm.getelementptr %p[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %g = llvm.getelementptr %p0[%tid] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  %first = llvm.addrspacecast %g : !llvm.ptr to !llvm.ptr<1>
  %second = llvm.getelementptr %first[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  nvvm.cp.async.shared.global %p, %first, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  nvvm.cp.async.commit.group
  nvvm.cp.async.shared.global %q, %second, 4, cache = ca, %p2 : !llvm.ptr<3>, !llvm.ptr<1>, i32
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group {}
  %x = llvm.load %p : !llvm.ptr<3> -> i32
  %y = llvm.load %q : !llvm.ptr<3> -> i32
  %out = llvm.getelementptr %p1[%tid] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  %sum = arith.addi %x, %y : i32
  llvm.store %sum, %out : i32, !llvm.ptr
"""


@pytest.mark.parametrize(
    ("pending", "copied", "wanted"),
    [
        (0, 4, np.arange(32) * 2 + 32),
        # What is not copied becomes zero; a source that is not read may be outside its array.
        (0, 0, np.arange(32)),
        # The second group is still in flight: all bits one.
        (1, 4, np.arange(32) - 1),
    ],
)
def test_groups_of_copies_come_when_they_are_waited_for(
    pending: int, copied: int, wanted: np.ndarray
) -> None:
    source, target = np.arange(64 if copied else 32, dtype=np.uint32), np.zeros(32, np.uint32)
    run(GROUPS.format(pending), source, target, copied, shared_bytes=256, options=Options(early=0.0))
    assert (target == wanted.astype(np.uint32)).all()


def test_copies_must_not_outlive_their_block() -> None:
    body = ROUND_TRIP[: ROUND_TRIP.index("    nvvm.mbarrier.try_wait")] + "}"
    source = np.zeros((16, 72), np.uint16)
    with pytest.raises(EmulatorError, match="ends before copies into its shared memory"):
        run(body, TensorMap(source, (64, 16)), shared_bytes=4096, options=Options(early=0.0))


def test_a_copy_to_an_unaligned_address() -> None:
    source = np.zeros((16, 72), np.uint16)
    with pytest.raises(EmulatorError, match="not aligned to 128"):
        run(
            ROUND_TRIP.replace("%smem[1024]", "%smem[1040]"),
            TensorMap(source, (64, 16)),
            source,
            shared_bytes=4096,
        )
