"""The named dims of a model's inputs: which of them options fix or bound, and which may stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.frontends.option_names import dims_option, entry, option_name, shape_option
from mlc.targets import GpuTarget


def check_inputs(main: Any, names: Sequence[str], options: Options) -> None:
    """Raises CompileError naming every input of `@main`, whose names are `names`, that is no tensor of known
    rank, for a GPU also those of dynamic sizes; and for a range of an unknown dim."""
    require_ranks(main, names)
    if isinstance(options.resolved_target(), GpuTarget):
        require_static(main, names)
    for wrong in sorted(set(options.dim_ranges()) - set(dim_names(main))):
        raise unknown_dim(main, wrong, f"{option_name('shapes')} fixes it, or " if options.shapes else "")


def require_ranks(main: Any, names: Sequence[str]) -> None:
    """Raises CompileError naming every input that is no tensor of known rank."""
    from mlc.bindings import func

    types = func.Func(main.operation).function_type.inputs
    notes = [
        f"input '{name}' is a {type_}: every input must be a tensor of known rank"
        for name, type_ in zip(names, types, strict=True)
        if not (hasattr(type_, "has_rank") and type_.has_rank)
    ]
    if notes:
        raise CompileError("all inputs must be tensors of known rank", notes)


def require_static(main: Any, names: Sequence[str]) -> None:
    """Raises CompileError naming every input of unknown sizes, and the options that give them."""
    notes = []
    for name, dims in zip(names, _dims(main), strict=True):
        if all(isinstance(dim, int) for dim in dims):
            continue
        sizes = [str(dim) if isinstance(dim, int) else "?" for dim in dims]
        named = dict.fromkeys(_names(name, dims), "N")
        asked = dims_option(named) if named else f"{shape_option(name, sizes)} with integers"
        notes.append(f"input '{name}' is {'x'.join(sizes)}: give {asked}")
    if notes:
        raise CompileError("all inputs must be tensors of known sizes", notes)


def dim_names(main: Any) -> list[str]:
    """Returns the names of dynamic dims of `@main`'s inputs, each once."""
    from mlc.dialects.graph.sizes import name_of

    found = (name_of(dim) for dims in _dims(main) for dim in dims if dim is not None)
    return list(dict.fromkeys(name for name in found if name is not None))


def unknown_dim(main: Any, name: str, unless: str = "") -> CompileError:
    """Returns the error of an option for a dim that no input has; `unless` is another cause that it may
    have."""
    listed = ", ".join(map(repr, dim_names(main))) or "none"
    return CompileError(
        f"{entry('dims', name)}: {unless}the model has no dynamic dim '{name}' (it has: {listed})"
    )


def _dims(main: Any) -> list[Sequence[Any]]:
    """Returns the dims of each input: ints, sizes, None for those without a name."""
    from mlc.dialects.graph.dims.function_dims import named_dims

    return [named_dims(argument) for argument in main.operation.regions[0].blocks[0].arguments]


def _names(name: str, dims: Sequence[Any]) -> Iterator[str]:
    """Yields the names of an input's dims, without those that the importer made from the input's name."""
    from mlc.dialects.graph.sizes import name_of

    for axis, dim in enumerate(dims):
        found = name_of(dim) if dim is not None else None
        if found is not None and found != f"{name}.shape[{axis}]":
            yield found
