"""Programs for single sizes beside one with named dims: those that are asked for, and who makes others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace

from mlc.compiler.build import worker_pool
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.programs.program import Program
from mlc.compiler.sources.onnx_model import OnnxSource
from mlc.compiler.sources.open_source import Source
from mlc.compiler.specialisation_worker import SizeMaker
from mlc.frontends.input_sizes import wrong_sizes
from mlc.frontends.option_names import option_name, specialise_option

Compile = Callable[[Source, Options], Program]


def specialised(program: Program, source: Source, options: Options, compile: Compile) -> Program:
    """`program` with programs for the sizes of `options.specialise`, and with what makes others as it runs.

    That needs a model that another process can read and compile to the same: an ONNX one without operators of
    this process. Raises CompileError for sizes that the program does not have, and what `compile` raises.
    """
    policy, dims = options.specialise, program.main.dims
    assert policy is not None, "asked for by the caller"
    if not dims:
        if policy.sizes:
            raise CompileError(
                f"{option_name('specialise')}: the model has no dims whose sizes callers choose"
            )
        return program
    bindings = [_checked(each, dims, options) for each in policy.sizes]
    single = {tuple(each.values()): each for each in bindings}
    pool = nullcontext(options.pool) if options.pool or not single else worker_pool(options.workers())
    with pool as workers:
        shared = replace(options, pool=workers, specialise=None)
        programs = [(each, compile(source, for_sizes(program, shared, each))) for each in single.values()]
    return replace(program, specialised=programs, policy=policy, make=_maker(program, source, options))


def _maker(program: Program, source: Source, options: Options) -> SizeMaker | None:
    assert options.specialise is not None
    if not (options.specialise.automatic and isinstance(source, OnnxSource)) or source.digest() is None:
        return None
    base = replace(options, specialise=None, pool=None)
    return SizeMaker(source, lambda sizes: for_sizes(program, base, _binding(program, sizes)))


def _binding(program: Program, sizes: Sequence[int]) -> dict[str, int]:
    return dict(zip(program.main.dims or (), sizes, strict=True))


def for_sizes(program: Program, options: Options, sizes: Mapping[str, int]) -> Options:
    """Options under which the model of `program` has these sizes."""
    shapes = dict(options.shapes)
    nameless: set[str] = set()
    for name, info in zip(program.inputs, program.main.inputs, strict=True):
        # Dims that the model does not name are called so; they are given with the input's shape.
        own = {str(dim) for axis, dim in enumerate(info.shape) if dim == f"{name}.shape[{axis}]"}
        nameless |= own
        if own:
            shapes[name] = [sizes[dim] if isinstance(dim, str) else dim for dim in info.shape]
    named = {name: size for name, size in sizes.items() if name not in nameless}
    return replace(options, dims={**options.fixed_dims(), **named}, shapes=shapes)


def _checked(sizes: Mapping[str, int], dims: Sequence[str], options: Options) -> dict[str, int]:
    """The sizes in the order of the dims. Raises CompileError."""
    option = specialise_option(sizes)
    if sorted(sizes) != sorted(dims):
        raise CompileError(f"{option}: give a size to each of the model's dims: {', '.join(dims)}")
    for name, size in sizes.items():
        if wrong := wrong_sizes([size]):
            raise CompileError(f"{option}: {name}: {wrong}")
    for name, (least, most) in options.dim_ranges().items():
        if sizes[name] < least or (most is not None and sizes[name] > most):
            bounds = f"{least}..{'' if most is None else most}"
            raise CompileError(f"{option}: {name} is {bounds}")
    return {name: sizes[name] for name in dims}
