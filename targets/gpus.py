"""Descriptions of GPUs, by their architecture."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.targets.base import KIB, MIB, Target

NVPTX, AMDGCN = "nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa"
GRAPH_PIPELINES = ("graph-optimize", "lower-graph-gpu", "form-kernels", "host-plan-memory")
# The newest PTX that drivers of CUDA 12.4 load; wgmma of signed with unsigned bytes needs it.
PTX = "+ptx84"


@dataclass(frozen=True)
class GpuTarget(Target):
    """A GPU architecture. Of the fields of `Target`, `cpu` is LLVM's name of it, `vector_registers` the
    number of registers of `vector_bits` that a thread may use, `l1d` the memory of a multiprocessor for cache
    and shared memory together, and `cores` the number of multiprocessors of the largest part.

    A warp has `warp_threads` threads, a block at most `block_threads` and `shared_bytes` of shared memory. A
    multiprocessor has `registers` for the threads that it runs. With `clusters` blocks of a cluster
    read each other's shared memory, and there are tensor maps, by which hardware copies tiles.
    """

    warp_threads: int = 32
    block_threads: int = 1024
    shared_bytes: int = 48 * KIB
    registers: int = 65536
    clusters: bool = False

    @property
    def is_nvidia(self) -> bool:
        """Whether it is NVIDIA's, whose code the runtime loads. Code for others is text."""
        return self.triple == NVPTX


def _cuda(architecture: str, l1d: int, shared: int, l2: int, cores: int, clusters: bool = False) -> GpuTarget:
    """`l1d` and `shared` in KiB, `l2` in MiB (CUDA C++ programming guide, technical specifications per
    compute capability)."""
    return GpuTarget(
        name=f"cuda:{architecture}",
        triple=NVPTX,
        cpu=architecture,
        features=(PTX,),
        vector_bits=32,
        vector_registers=255,
        l1d=l1d * KIB,
        l2=l2 * MIB,
        l3=0,
        cores=cores,
        graph_pipelines=GRAPH_PIPELINES,
        kernel_pipeline="nvgpu-kernel",
        shared_bytes=shared * KIB,
        clusters=clusters,
    )


def _hip(architecture: str, l1d: int, l2: int, l3: int, cores: int) -> GpuTarget:
    """A CDNA GPU: `l1d` in KiB, with 64 KiB of shared memory, `l2` and `l3` in MiB (AMD's Instruction Set
    Architecture references, and data sheets)."""
    return GpuTarget(
        name=f"hip:{architecture}",
        triple=AMDGCN,
        cpu=architecture,
        vector_bits=32,
        vector_registers=512,
        l1d=l1d * KIB,
        l2=l2 * MIB,
        l3=l3 * MIB,
        cores=cores,
        graph_pipelines=GRAPH_PIPELINES,
        kernel_pipeline="amdgpu-kernel",
        warp_threads=64,
        shared_bytes=64 * KIB,
        registers=131072,
    )


# A100 and H100; MI210 and MI300X.
GPUS = (
    _cuda("sm_80", l1d=192, shared=163, l2=40, cores=108),
    _cuda("sm_90a", l1d=256, shared=227, l2=50, cores=132, clusters=True),
    _hip("gfx90a", l1d=80, l2=8, l3=0, cores=104),
    _hip("gfx942", l1d=96, l2=4, l3=256, cores=304),
)
