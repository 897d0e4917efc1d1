"""How the kernels and the host functions of a model become code: pipelines and jobs, by target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlc.codegen.host import host_target
from mlc.codegen.ptxas import find_ptxas
from mlc.targets import GpuTarget, Target, TargetError

if TYPE_CHECKING:
    from mlc.compiler.options import Options

OBJECT_JOB = "mlc.compiler.kernel_job:compile_object"
DEVICE_JOB = "mlc.compiler.device_job:compile_kernel"
# LLVM's level for kernels that run often, and for those of `@prepare`, which run once: there compiling costs
# more.
FULL_LEVEL, PREPARE_LEVEL = 3, 1


@dataclass(frozen=True)
class CodePath:
    """How a host function with its kernels becomes code.

    Passes choose for `target`, code is for `machine`. `kernel` is the pipeline of each kernel, `host` that of
    the host function; None where its steps are data, a tape, instead. `job` makes the code, at LLVM's
    `level`. `assembler` says what NVIDIA's assembler does: "" nothing, "report" on what kernels need, or
    "code" in the place of PTX.
    """

    target: Target
    machine: Target
    kernel: str
    host: str | None
    job: str = OBJECT_JOB
    level: int = FULL_LEVEL
    assembler: str = ""

    @property
    def on_gpu(self) -> bool:
        """Whether kernels are code of a GPU, which the host function's steps launch as a plan."""
        return isinstance(self.machine, GpuTarget)


def code_paths(options: Options) -> dict[str, CodePath]:
    """Those of `@main` and of `@prepare`, which runs once, on the machine that compiles. Raises
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
    if options.blocks_on_cpu:
        return CodePath(target, host, "accel-kernel,accel-cpu", "cpu-host")
    assembler = "code" if options.cubin else "report" if find_ptxas() else ""
    return CodePath(target, target, target.kernel_pipeline, None, DEVICE_JOB, assembler=assembler)


def _refuse_gpu_options(options: Options, target: Target) -> None:
    for name in ("blocks_on_cpu", "cubin"):
        if getattr(options, name):
            raise TargetError(f"{name} needs a GPU as target, such as cuda:sm_80; {target.name} is none")
