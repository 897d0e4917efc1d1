"""The public functions of the Python API."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from mlc.threads import importing

if TYPE_CHECKING:
    import onnx

    from mlc.bindings import ir
    from mlc.codegen.pool import JobRunner
    from mlc.passes.schedule.api.schedule import Schedule
    from mlc.runtime import Executable, Specialise
    from mlc.targets import Target


MOST_THREADS = 256


def compile(
    model: str | os.PathLike[str] | bytes | onnx.ModelProto | ir.Module,
    target: str | Target = "cpu",
    *,
    threads: int | None = None,
    dims: Mapping[str, int | tuple[int, int | None]] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    cache: bool = True,
    jobs: int = 0,
    pool: JobRunner | None = None,
    disable_passes: Sequence[str] = (),
    replace_passes: Mapping[str, str] | None = None,
    exactness: str = "rounding",
    schedules: str | Schedule = "",
    precision: str = "f32",
    specialise: str | Sequence[Mapping[str, int]] | Specialise = "auto",
    blocks_on_cpu: bool = False,
    unsupported: str = "error",
    import_budget: Mapping[str, float] | None = None,
    independent_dims: Sequence[str] = (),
    unchecked_indices: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> Executable:
    """Compiles a model and loads it.

    `model`: a path to an .onnx or .mlir file, the bytes of an ONNX model, a ModelProto, or a module of the
    graph dialect. `target`: "cpu" for this machine, a CPU name, or a GPU ("cuda:sm_80"), which the first call
    needs. `threads`: threads that a call uses, None for one per core. Dynamic dims stay so, and every
    call chooses their sizes: `dims` bounds them by name ((1, 512), or (1, None)) or fixes them (8), `shapes`
    fixes whole inputs. GPUs take fixed sizes only. `cache=False` neither reads nor writes the disk cache.
    `jobs`: worker processes that compile kernels, 0 for one per core; `pool`: those of a
    `mlc.compiler.worker_pool`, which many calls share, instead of new ones. `disable_passes` are left out of
    the graph-level pipelines, `replace_passes` maps names of passes to the pipeline text for them:
    `{"graph-form-kernels": "graph-form-kernels{fuse=false}"}`. `exactness`: what graph-level passes may do to
    results: "exact" (nothing), "rounding", or "approximate" (assume that there is no NaN or infinity, say).
    `schedules`: a Schedule, or IR with `tloop.schedule` ops, that replace the default schedules of the
    kernels that they name, by name or by pattern. `precision`: "bf16" rounds the operands of products and
    convolutions to it. `specialise`: whether sizes that come often get a specialised program while the
    general one serves, "auto" or "off"; or sizes of all named dims that get one now,
    [{"batch": 1}, {"batch": 8}]; or a `mlc.Specialise`, which sets the thresholds.
    `blocks_on_cpu` compiles a GPU's program of thread blocks for this machine, to compare its results.
    `unsupported="cpu"` lets the processor compute what thread blocks cannot ("error": the model cannot be
    compiled for a GPU); `report()["processor"]` says what that is.
    `import_budget`: limits of what an ONNX model may expand to, by name: {"nodes": 10**6}.
    `independent_dims`: names that inputs share without having the same sizes.
    A call with indices out of range, or integer divisors of 0, raises ValueError; with `unchecked_indices`
    indices are clamped and quotients by 0 are 0 instead, as they are on GPUs.
    `progress` is called with (stage, done, total).

    Several threads may compile at the same time. A module of the graph dialect, and the other modules of its
    MLIR context, belong to one thread. Compilations share the interpreter lock
    while they optimise graphs, and workers only if they are given the same `pool`. A process may fork when
    none of its threads compiles; the child starts new workers.

    Raises mlc.CompileError, mlc.ModelError for a model that cannot be read, mlc.TargetError for an unknown
    CPU, mlc.PassError for a pass that fails on the model or cannot be switched, ValueError for a bad number
    of threads or jobs or a wrong `specialise`, TypeError for options of another type.
    """
    if threads is not None and not isinstance(threads, int):
        raise TypeError(f"threads must be an integer, not {threads!r}")
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"threads must be 1 to {MOST_THREADS}, but is {threads}")
    with importing:
        from mlc.compiler import Options, compile_program
        from mlc.compiler.options import no_progress
        from mlc.runtime.specialisation_policy import policy_of

    options = Options(
        target=str(target),
        dims=dims or {},
        shapes=shapes or {},
        cache=cache,
        jobs=jobs,
        pool=pool,
        disable_passes=disable_passes,
        replace_passes=replace_passes or {},
        exactness=exactness,
        schedules=str(schedules),
        precision=precision,
        specialise=policy_of(specialise),
        blocks_on_cpu=blocks_on_cpu,
        unsupported=unsupported,
        import_budget=import_budget or {},
        independent_dims=independent_dims,
        unchecked_indices=unchecked_indices,
        progress=progress or no_progress,
    )
    return compile_program(model, options).executable(threads)
