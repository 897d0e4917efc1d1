"""Kernels of other forms, arguments, special registers, functions."""

import numpy as np
import pytest
from emulator import EmulatorError, Options, RaceFound, launch, load_kernel
from snippets import per_thread, run

GPU_FUNC = """
gpu.module @m {
  gpu.func @scale(%p: !llvm.ptr, %scale: i32) kernel {
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %width = gpu.block_dim x
    %block = gpu.block_id x
    %height = gpu.block_dim y
    %row = arith.muli %block, %height : index
    %line = arith.addi %row, %y : index
    %before = arith.muli %line, %width : index
    %number = arith.addi %before, %x : index
    %i = arith.index_cast %number : index to i32
    %value = arith.muli %i, %scale : i32
    gpu.barrier
    %q = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
    llvm.store %value, %q : i32, !llvm.ptr
    gpu.return
  }
}
"""


def test_gpu_functions_with_blocks_of_two_dims() -> None:
    array = np.zeros(3 * 64, np.uint32)
    launch(GPU_FUNC, array, 7, grid=(3,), block=(8, 8))
    assert (array == 7 * np.arange(192)).all()


def test_arguments_must_fit() -> None:
    kernel = load_kernel(GPU_FUNC, "scale")
    with pytest.raises(ValueError, match="has 2 parameters, not 1"):
        launch(kernel, np.zeros(4), block=(32,))
    with pytest.raises(ValueError, match="how many threads"):
        launch(kernel, np.zeros(4), 1)
    with pytest.raises(ValueError, match="contiguous"):
        launch(kernel, np.zeros((4, 4))[:, 0], 1, block=(32,))
    with pytest.raises(ValueError, match="wanted one: other"):
        load_kernel(GPU_FUNC, "other")


@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("nvvm.ex2 %x : f32", np.exp2),
        ("nvvm.rcp.approx.ftz.f %x : f32", lambda x: 1 / x),
        ("math.rsqrt %x : f32", lambda x: 1 / np.sqrt(x)),
        ("math.log2 %x : f32", np.log2),
        ("llvm.intr.fma(%x, %x, %x) : (f32, f32, f32) -> f32", lambda x: x * x + x),
        ('llvm.call_intrinsic "llvm.nvvm.sqrt.approx.ftz.f"(%x) : (f32) -> f32', np.sqrt),
    ],
)
def test_functions(op: str, function: np.ufunc) -> None:
    body = f"""
      %n = arith.addi %tid, %c1 : i32
      %x = arith.uitofp %n : i32 to f32
      %r = {op}
    """
    exact = function(np.arange(1, 33, dtype=np.float64)).astype(np.float32)
    assert (per_thread(body, element_type="f32") == exact).all()


NEIGHBOUR = """
  %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
  %p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %value = arith.addi %tid, %rank : i32
  llvm.store %value, %p : i32, !llvm.ptr<3>
  nvvm.cluster.arrive
  {}
  %other = arith.xori %rank, %c1 : i32
  %there = nvvm.mapa %p, %other : !llvm.ptr<3> -> !llvm.ptr<7>
  %x = llvm.load %there : !llvm.ptr<7> -> i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %row = arith.muli %block, %c32 : i32
  %index = arith.addi %row, %tid : i32
  %q = llvm.getelementptr %p0[%index] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  llvm.store %x, %q : i32, !llvm.ptr
  nvvm.cluster.arrive
  {}
"""
WAIT = "nvvm.cluster.wait"
IN_CLUSTERS = {"blocks": 4, "cluster": 2, "shared_bytes": 128, "options": Options(races=True)}


def test_blocks_of_a_cluster_read_one_another() -> None:
    array = np.zeros((4, 32), np.uint32)
    run(NEIGHBOUR.format(WAIT, WAIT), array, **IN_CLUSTERS)
    assert (array == np.arange(32) + np.array([1, 0, 1, 0])[:, None]).all()


def test_without_waiting_for_the_cluster_it_is_a_race() -> None:
    with pytest.raises(RaceFound):
        run(NEIGHBOUR.format("", ""), np.zeros((4, 32), np.uint32), **IN_CLUSTERS)


@pytest.mark.parametrize("seed", range(3))
def test_a_block_that_others_read_must_not_end(seed: int) -> None:
    options = {**IN_CLUSTERS, "options": Options(seed=seed, races=True)}
    with pytest.raises(RaceFound, match=r"the block ends|keeps the block from ending"):
        run(NEIGHBOUR.format(WAIT, ""), np.zeros((4, 32), np.uint32), **options)


def test_there_is_no_other_block_without_a_cluster() -> None:
    with pytest.raises(EmulatorError, match="block 1 of a cluster of 1"):
        run(NEIGHBOUR.format(WAIT, WAIT), np.zeros((1, 32), np.uint32), shared_bytes=128)


def test_a_compare_and_swap_lets_one_lane_in() -> None:
    lock, winners = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    body = """
      %pair = llvm.cmpxchg %p0, %c0, %c1 monotonic monotonic : !llvm.ptr, i32
      %won = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>
      scf.if %won { %old = llvm.atomicrmw add %p1, %c1 monotonic : !llvm.ptr, i32 }
    """
    run(body, lock, winners, threads=64, blocks=2)
    assert (lock[0], winners[0]) == (1, 1)


def test_copies_arrive_at_an_mbarrier() -> None:
    body = """
      %zero = arith.cmpi eq, %tid, %c0 : i32
      scf.if %zero { nvvm.mbarrier.init %smem, %c32 : !llvm.ptr<3>, i32 }
      nvvm.barrier
      %data = llvm.getelementptr %smem[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %mine = llvm.getelementptr %data[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %g = llvm.getelementptr %p0[%tid] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %from = llvm.addrspacecast %g : !llvm.ptr to !llvm.ptr<1>
      nvvm.cp.async.shared.global %mine, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
      nvvm.cp.async.mbarrier.arrive %smem {noinc = true} : !llvm.ptr<3>
      nvvm.mbarrier.try_wait.parity %smem, %c0, %c1 : !llvm.ptr<3>, i32, i32
      %r = llvm.load %mine : !llvm.ptr<3> -> i32
    """
    source = np.arange(100, 132, dtype=np.uint32)
    assert (
        per_thread(body, source, shared_bytes=256, options=Options(early=0.0, races=True)) == source
    ).all()
