"""The options of a compilation."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mlc.codegen.host_target import resolve_target
from mlc.codegen.pool import JobRunner
from mlc.compiler.errors import CompileError
from mlc.compiler.plugins import load_plugins
from mlc.frontends.option_names import entry
from mlc.runtime.specialisation_policy import Specialise
from mlc.targets import GpuTarget, Target, registered_targets

if TYPE_CHECKING:
    from mlc.pipelines.grammar import NestedElements

# (stage, done, total): stages are "import", "optimise", "kernels", "prepare"; total may be 0 where it is not
# known.
Progress = Callable[[str, int, int], None]
# The least and most size of a dim; most is None where only memory limits it.
Range = tuple[int, int | None]


def no_progress(_stage: str, _done: int, _total: int) -> None:
    """The default listener."""


_PRECISION_PASS, _PLACE_PASS, _CHECK_PASS = "graph-lower-precision", "graph-place", "graph-check-data"


@dataclass(frozen=True)
class Options:
    """Options of `compile_program`.

    `target`: "cpu" (this machine), a CPU name of LLVM's, a GPU ("cuda:sm_80", or "hip:gfx942", for which
    there is assembly alone), a plugin's target, or a target description. For a GPU, `blocks_on_cpu` runs the
    programs of its thread blocks on this machine, and `cubin` has NVIDIA's assembler make code of PTX;
    `unsupported="cpu"` has the processor compute what thread blocks cannot ("error": the model cannot be
    compiled). `unchecked_indices`: indices out of range are clamped, and integers divided by 0
    give 0; neither fails a call.
    `dims` fixes dynamic dims by name, or bounds them (least, most) for a program whose callers
    choose; `shapes` fixes whole inputs by name (of modules too: `graph.name`, or input0, ...). `cache`: use
    the disk cache.
    `jobs`: worker processes, 0 for one per core. `pipelines` are the graph-level pipelines, in order, by
    default the target's; wherever they hold a pass of `disable_passes` it is left out, one of
    `replace_passes` is replaced by the pipeline text given. `exactness`: the numerical changes that
    graph-level passes may make, a class of `mlc.passes.exactness`. `precision`: the element type of the
    operands of f32 matmuls and convolutions, "f32", "tf32" (on GPUs; elsewhere they stay f32), "f16" or
    "bf16".
    `schedules`: IR with `tloop.schedule` ops, whose kernels are names or patterns of names (`@"matmul_*"`);
    each replaces the default schedule of the kernels that it names.
    `pool`: worker processes of the caller's, made by `worker_pool`, that many compilations share; without one
    each compilation starts its own. `specialise`: the policy by which a program with named dims gets
    specialised ones beside it, each for one size of every dim; None: it gets none. `import_budget`: limits
    of what an ONNX model may expand to, by name, that replace those of `ImportBudget`. `strict`: a pass or a
    kernel that fails is an error, where otherwise the compiler takes a plainer one ($MLC_STRICT=1).
    `independent_dims`: names of dims that are no names: each dim of an ONNX model's inputs has its own size.
    """

    target: str = "cpu"
    dims: Mapping[str, int | Range] = field(default_factory=dict)
    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    cache: bool = True
    jobs: int = 0
    pipelines: Sequence[str] = ()
    disable_passes: Sequence[str] = ()
    replace_passes: Mapping[str, str] = field(default_factory=dict)
    exactness: str = "rounding"
    schedules: str = ""
    precision: str = "f32"
    blocks_on_cpu: bool = False
    cubin: bool = False
    unsupported: str = "error"
    unchecked_indices: bool = False
    progress: Progress = no_progress
    pool: JobRunner | None = None
    specialise: Specialise | None = None
    reproducer_dir: str | None = None
    import_budget: Mapping[str, float] = field(default_factory=dict)
    strict: bool = field(default_factory=lambda: os.environ.get("MLC_STRICT", "0") not in ("", "0"))
    independent_dims: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError for a wrong form of what callers of Python give."""
        for name in ("dims", "shapes", "replace_passes", "import_budget"):
            if not isinstance(getattr(self, name), Mapping):
                raise TypeError(f"{name} must be a mapping by name, not {getattr(self, name)!r}")
        for name, shape in self.shapes.items():
            if not isinstance(shape, Iterable):
                raise TypeError(f"shapes[{name!r}] must be a sequence of sizes, not {shape!r}")
        object.__setattr__(self, "dims", {name: _plain(size) for name, size in self.dims.items()})
        object.__setattr__(self, "shapes", {name: _plain(shape) for name, shape in self.shapes.items()})
        for name in ("pipelines", "disable_passes", "independent_dims"):
            names = getattr(self, name)
            if isinstance(names, str) or not isinstance(names, Collection):
                raise TypeError(f"{name} must be a sequence of names, not {names!r}")
        if not isinstance(self.jobs, int):
            raise TypeError(f"jobs must be an integer, not {self.jobs!r}")
        if self.jobs < 0:
            raise ValueError(f"jobs must not be negative, but is {self.jobs}")

    def fixed_dims(self) -> dict[str, int]:
        """Returns the `dims` that have one size."""
        return {name: size for name, size in self.dims.items() if not isinstance(size, (tuple, list))}

    def dim_ranges(self) -> dict[str, Range]:
        """Returns the `dims` that callers choose. Raises CompileError for a range without sizes."""
        ranges = {name: size for name, size in self.dims.items() if isinstance(size, (tuple, list))}
        for name, bounds in ranges.items():
            if wrong := _wrong_range(bounds):
                raise CompileError(f"{entry('dims', name)}: {wrong}")
        return ranges

    def resolved_target(self) -> Target:
        """Returns the target. Raises TargetError for an unknown name, CompileError for a plugin that cannot
        be loaded."""
        load_plugins()
        return resolve_target(self.target)

    def checks_data(self) -> bool:
        """Whether calls check indices and divisors; not on GPUs, whose plans cannot fail on data."""
        return not (self.unchecked_indices or isinstance(self.resolved_target(), GpuTarget))

    def uses_cache(self) -> bool:
        """Whether the disk cache is used: not for targets of plugins, which change without notice."""
        return self.cache and self.resolved_target().name not in registered_targets()

    def pipeline_names(self) -> Sequence[str]:
        """Returns the names of the graph-level pipelines."""
        return self.pipelines or self.resolved_target().graph_pipelines

    def workers(self) -> int:
        """Returns the number of worker processes."""
        return self.jobs or len(os.sched_getaffinity(0))

    def graph_pipelines(self) -> list[NestedElements]:
        """Returns the pipelines with passes disabled and replaced, and restricted to `exactness`. Raises
        PipelineError for passes that are not in them."""
        from mlc.pipelines.pass_switches import apply_switches

        replaced = dict(self.replace_passes)
        if self.precision != "f32":
            replaced[_PRECISION_PASS] = f"func.func({_PRECISION_PASS}{{to={self.precision}}})"
        if self.unchecked_indices:
            replaced.setdefault(_CHECK_PASS, f"{_CHECK_PASS}{{check=false}}")
        if self.unsupported == "cpu":
            placed = [replaced[_PLACE_PASS]] if _PLACE_PASS in replaced else []
            replaced[_PLACE_PASS] = ",".join([*placed, f"{_PLACE_PASS}{{device=cpu unsupported=true}}"])
        return apply_switches(self.pipeline_names(), self.disable_passes, replaced, self.exactness)

    def key_text(self) -> str:
        """Returns the options that change the program, as text."""
        return repr(
            (
                sorted(self.dims.items()),
                sorted((k, tuple(v)) for k, v in self.shapes.items()),
                tuple(self.pipeline_names()),
                sorted(self.disable_passes),
                sorted(self.replace_passes.items()),
                self.exactness,
                self.schedules,
                self.precision,
                self.unsupported,
                sorted(self.independent_dims),
                self.unchecked_indices,
            )
        )


def _plain(size: Any) -> Any:
    """Returns Python integers for those of NumPy, also in a sequence; what is no integer as it is."""
    if isinstance(size, Iterable) and not isinstance(size, str):
        return tuple(_plain(element) for element in size)
    return operator.index(size) if hasattr(size, "__index__") else size


def _wrong_range(sizes: Range) -> str:
    """Returns what is wrong with the bounds of a dim, or ""."""
    from mlc.frontends.input_sizes import wrong_sizes

    if len(sizes) != 2:
        return f"{sizes!r} is no range: give (least, most)"
    least, most = sizes
    if wrong := wrong_sizes([least] if most is None else sizes):
        return wrong
    return f"no size is at least {least} and at most {most}" if most is not None and most < least else ""
