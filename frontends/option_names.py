"""The spelling of a compilation's options in messages: arguments of Python, or flags of a command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_are_flags: ContextVar[bool] = ContextVar("option_names", default=False)


@contextmanager
def named_as_flags() -> Iterator[None]:
    """Makes messages name flags, as --dim and --shape, inside the `with` block."""
    token = _are_flags.set(True)
    try:
        yield
    finally:
        _are_flags.reset(token)


def option_name(argument: str) -> str:
    """Returns the spelling of the option "dims", "shapes", "independent_dims" or "specialise"."""
    return f"--{argument.removesuffix('s').replace('_', '-')}" if _are_flags.get() else argument


def entry(argument: str, name: str) -> str:
    """Returns the spelling of the entry `name` of "dims", "shapes" or "independent_dims"."""
    return f"{option_name(argument)} {name}" if _are_flags.get() else f"{argument}[{name!r}]"


def dims_option(sizes: Mapping[str, object]) -> str:
    """Returns the spelling of the option that gives dims these sizes."""
    if _are_flags.get():
        return " ".join(f"--dim {name}={size}" for name, size in sizes.items())
    return f"dims={{{', '.join(f'{name!r}: {size}' for name, size in sizes.items())}}}"


def shape_option(name: str, sizes: Sequence[object] | None = None) -> str:
    """Returns the spelling of the option that gives an input a shape; without `sizes` the shape is elided."""
    if _are_flags.get():
        return f"--shape {name}:{'...' if sizes is None else 'x'.join(map(str, sizes))}"
    return f"shapes={{{name!r}: {'...' if sizes is None else _format_list(sizes)}}}"


def specialise_option(sizes: Mapping[str, object]) -> str:
    """Returns the spelling of the option that asks for a program specialised to these sizes."""
    if _are_flags.get():
        return f"--specialise {','.join(f'{name}={size}' for name, size in sizes.items())}"
    return f"specialise=[{dict(sizes)!r}]"


def import_budget_option(limit: str) -> str:
    """Returns the spelling of the option that sets a limit of the import budget."""
    return f"--import-budget {limit}=N" if _are_flags.get() else f"import_budget={{{limit!r}: N}}"


def _format_list(sizes: Sequence[object]) -> str:
    return f"[{', '.join(map(str, sizes))}]"
