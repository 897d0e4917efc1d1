"""What is known at one point of a loop nest that is being built."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from mlc.bindings import ir
from mlc.kernels.elements import ElementType
from mlc.kernels.errors import KernelError, located
from mlc.kernels.source import KernelSource


@dataclass(frozen=True)
class Array:
    """A tensor of the kernel, or a buffer of its own: a memref."""

    name: str
    memref: ir.Value
    element: ElementType
    shape: tuple[int, ...]
    writable: bool


@dataclass(frozen=True)
class AffineIndex:
    """An affine expression of the loop variables: dim `n` is the `n`-th one of the nest."""

    affine: ir.AffineExpr


@dataclass
class NestBuilder:
    """The nest under construction.

    `names` are the kernel's constants and what its source sees around it; `scope` holds arrays, loop
    variables and scalars (`ir.Value`, or a number known to Python). `loops` are the loop variables so far,
    `ranges` their lowest and highest values where these are numbers.
    """

    source: KernelSource
    names: Mapping[str, Any]
    scope: dict[str, Any]
    loops: list[ir.Value] = field(default_factory=list)
    ranges: list[tuple[int, int] | None] = field(default_factory=list)
    block: str | None = None
    guarded: bool = False

    def fail(self, message: str, node: ast.AST) -> NoReturn:
        """Raises KernelError at `node`."""
        raise KernelError(message, self.source.place(node))

    def at(self, node: ast.AST) -> AbstractContextManager[None]:
        """Ops are built at the location of `node`, which a KernelError without a location gets."""
        return located(self.source.place(node))

    @contextmanager
    def inside(self, block: ir.Block, guarded: bool = False) -> Iterator[None]:
        """Builds at the end of `block`. Names that are new there are gone behind it; `guarded` code may never
        run."""
        scope, before = dict(self.scope), self.guarded
        self.guarded = before or guarded
        try:
            with ir.InsertionPoint(block):
                yield
        finally:
            self.scope, self.guarded = scope, before
