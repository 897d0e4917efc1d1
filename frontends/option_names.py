"""How messages call the options of a compilation: as arguments of Python, or as flags of a command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_are_flags: ContextVar[bool] = ContextVar("option_names", default=False)


@contextmanager
def named_as_flags() -> Iterator[None]:
    """Inside the `with` block messages speak of --dim, --shape and --specialise."""
    token = _are_flags.set(True)
    try:
        yield
    finally:
        _are_flags.reset(token)


def option_name(argument: str) -> str:
    """Of "dims", "shapes" or "specialise"."""
    return f"--{argument.removesuffix('s')}" if _are_flags.get() else argument


def entry(argument: str, name: str) -> str:
    """What "dims" or "shapes" say of a dim or an input."""
    return f"{option_name(argument)} {name}" if _are_flags.get() else f"{argument}[{name!r}]"


def dims_option(sizes: Mapping[str, object]) -> str:
    """The option that gives dims these sizes."""
    if _are_flags.get():
        return " ".join(f"--dim {name}={size}" for name, size in sizes.items())
    return f"dims={{{', '.join(f'{name!r}: {size}' for name, size in sizes.items())}}}"


def shape_option(name: str, sizes: Sequence[object] | None = None) -> str:
    """The option that gives an input a shape; without sizes it is left open."""
    if _are_flags.get():
        return f"--shape {name}:{'...' if sizes is None else 'x'.join(map(str, sizes))}"
    return f"shapes={{{name!r}: {'...' if sizes is None else _listed(sizes)}}}"


def specialise_option(sizes: Mapping[str, object]) -> str:
    """The option that asks for a program of these sizes."""
    if _are_flags.get():
        return f"--specialise {','.join(f'{name}={size}' for name, size in sizes.items())}"
    return f"specialise=[{dict(sizes)!r}]"


def _listed(sizes: Sequence[object]) -> str:
    return f"[{', '.join(map(str, sizes))}]"
