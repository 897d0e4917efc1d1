"""The named dims of a model's inputs: which of them options fix or bound, and which may stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.frontends.option_names import dims_option, entry, option_name, shape_option
from mlc.targets import GpuTarget


def check_inputs(main: Any, names: Sequence[str], options: Options) -> None:
    """Raises CompileError naming every input of `@main`, which are called `names`, that is no tensor of known
    rank, for a GPU also those of unknown sizes; and for a range of a dim that there is not."""
    require_ranks(main, names)
    if isinstance(options.resolved_target(), GpuTarget):
        require_static(main, names)
    for wrong in sorted(set(options.dim_ranges()) - set(dim_names(main))):
        raise unknown_dim(main, wrong, f"{option_name('shapes')} fixes it, or " if options.shapes else "")


def require_ranks(main: Any, names: Sequence[str]) -> None:
    """Raises CompileError naming every input that is no tensor of known rank."""
    kinds = main.operation.attributes["function_type"].value.inputs
    notes = [
        f"input '{name}' is a {kind}: every input must be a tensor of known rank"
        for name, kind in zip(names, kinds, strict=True)
        if not (hasattr(kind, "has_rank") and kind.has_rank)
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
        asked = dims_option(named) if named else f"{shape_option(name, sizes)} with numbers"
        notes.append(f"input '{name}' is {'x'.join(sizes)}: give {asked}")
    if notes:
        raise CompileError("all inputs must be tensors of known sizes", notes)


def dim_names(main: Any) -> list[str]:
    """The names of dims of `@main`'s inputs that are not known, each once."""
    from mlc.dialects.graph.sizes import name_of

    found = (name_of(dim) for dims in _dims(main) for dim in dims if dim is not None)
    return list(dict.fromkeys(name for name in found if name is not None))


def unknown_dim(main: Any, name: str, unless: str = "") -> CompileError:
    """What is said of an option for a dim that no input has; `unless` is another cause that it may have."""
    listed = ", ".join(f"'{each}'" for each in dim_names(main)) or "none"
    return CompileError(
        f"{entry('dims', name)}: {unless}the model has no dynamic dim '{name}' (it has: {listed})"
    )


def _dims(main: Any) -> list[Sequence[Any]]:
    """Per input its dims: numbers, sizes, None for those without a name."""
    from mlc.dialects.graph.dims.function_dims import named_dims

    return [named_dims(argument) for argument in main.operation.regions[0].blocks[0].arguments]


def _names(name: str, dims: Sequence[Any]) -> Iterator[str]:
    """The names of an input's dims, but for those that the importer made of the input's own."""
    from mlc.dialects.graph.sizes import name_of

    for axis, dim in enumerate(dims):
        found = name_of(dim) if dim is not None else None
        if found is not None and found != f"{name}.shape[{axis}]":
            yield found
