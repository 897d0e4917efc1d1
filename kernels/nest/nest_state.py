"""The state of a loop nest that is being built."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from mlc.bindings import ir
from mlc.kernels.elements import ElementType
from mlc.kernels.errors import KernelError, at_location
from mlc.kernels.source import KernelSource


@dataclass(frozen=True)
class Array:
    """A tensor of the kernel, or a buffer that it allocates: a memref."""

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
    """A loop nest under construction.

    `names` are the kernel's constants and the names visible to its source; `scope` holds arrays, loop
    variables and scalars (`ir.Value`, or a Python scalar). `loops` are the loop variables so far, `ranges`
    their lowest and highest values where these are static.
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
        raise KernelError(message, self.source.location_of(node))

    def at(self, node: ast.AST) -> AbstractContextManager[None]:
        """Builds ops at the location of `node`, which also a KernelError without a location gets."""
        return at_location(self.source.location_of(node))

    @contextmanager
    def inside(self, block: ir.Block, guarded: bool = False) -> Iterator[None]:
        """Builds at the end of `block`, which is a scope of names; `guarded` code may never run."""
        scope, before = dict(self.scope), self.guarded
        self.guarded = before or guarded
        try:
            with ir.InsertionPoint(block):
                yield
        finally:
            self.scope, self.guarded = scope, before
