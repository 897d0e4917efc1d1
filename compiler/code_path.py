"""The pipelines and jobs by which kernels and host functions become code, by target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlc.codegen.host_target import host_target
from mlc.codegen.ptxas import find_ptxas
from mlc.targets import GpuTarget, Target, TargetError

if TYPE_CHECKING:
    from mlc.compiler.options import Options

OBJECT_JOB = "mlc.compiler.kernel_job:compile_object"
DEVICE_JOB = "mlc.compiler.device.kernel_job:compile_kernel"
# The ways to treat ops that thread blocks cannot compute.
UNSUPPORTED = "error", "cpu"
# LLVM's level for kernels that run often, and for those of `@prepare`, which run once: there compiling costs
# more.
FULL_LEVEL, PREPARE_LEVEL = 3, 1


def is_loadable(processor: Target) -> bool:
    """Whether the loader of the C runtime takes objects for the processor: those of x86-64 Linux."""
    return processor.architecture == "x86_64" and "linux" in processor.triple


@dataclass(frozen=True)
class CodePath:
    """The pipelines and the job by which a host function and its kernels become code.

    Passes choose for `target`, code is for `machine`. `kernel` is the pipeline of each kernel, `host` that of
    the host function; None where a step list is interpreted instead. `job` makes the code, at LLVM's `level`.
    `assembler` selects the use of NVIDIA's assembler: "" none, "report" for the resources of kernels, or
    "code" for cubins instead of PTX. `processor` is the path of a GPU's kernels that are placed on the
    processor.
    """

    target: Target
    machine: Target
    kernel: str
    host: str | None
    job: str = OBJECT_JOB
    level: int = FULL_LEVEL
    assembler: str = ""
    processor: CodePath | None = None

    @property
    def on_gpu(self) -> bool:
        """Whether kernels are code of a GPU, which the host function's steps launch as a plan."""
        return isinstance(self.machine, GpuTarget)

    @property
    def is_text_only(self) -> bool:
        """Whether there is no runtime for the machine: kernels can be written as text alone."""
        return isinstance(self.machine, GpuTarget) and not self.machine.is_nvidia

    @property
    def is_loadable(self) -> bool:
        """Whether the runtime loads code for the machine: x86-64 Linux, NVIDIA's GPUs."""
        return not self.is_text_only if self.on_gpu else is_loadable(self.machine)

    @property
    def assembly(self) -> str:
        """The name of the assembly language that kernels become."""
        return "AMDGCN assembly" if self.is_text_only else "PTX" if self.on_gpu else "assembly"


def code_paths(options: Options) -> dict[str, CodePath]:
    """Returns the paths of `@main` and of `@prepare`, which runs once, on the machine that compiles. Raises
    TargetError."""
    host = host_target()
    return {
        "main": _main_path(options, host),
        "prepare": CodePath(host, host, host.kernel_pipeline, None, level=PREPARE_LEVEL),
    }


def _main_path(options: Options, host: Target) -> CodePath:
    target = options.resolved_target()
    if not isinstance(target, GpuTarget):
        _refuse_gpu_options(options, target)
        return CodePath(target, target, target.kernel_pipeline, "cpu-host")
    if options.unsupported not in UNSUPPORTED:
        raise TargetError(f"unsupported is {options.unsupported!r}, expected one of {', '.join(UNSUPPORTED)}")
    processor = CodePath(host, host, host.kernel_pipeline, None)
    if options.blocks_on_cpu:
        return CodePath(target, host, "accel-kernel,accel-cpu", "cpu-host", processor=processor)
    if options.cubin and not target.is_nvidia:
        raise TargetError(f"cubin is for NVIDIA's GPUs, which {target.name} is not")
    assembler = "code" if options.cubin else "report" if find_ptxas() else ""
    pipeline = target.kernel_pipeline
    return CodePath(target, target, pipeline, None, DEVICE_JOB, assembler=assembler, processor=processor)


def _refuse_gpu_options(options: Options, target: Target) -> None:
    given = {"blocks_on_cpu": options.blocks_on_cpu, "cubin": options.cubin}
    for name, is_set in {**given, "unsupported": options.unsupported != "error"}.items():
        if is_set:
            raise TargetError(f"{name} needs a GPU as target, such as cuda:sm_80; {target.name} is none")
