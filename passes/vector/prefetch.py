"""tloop-prefetch: register tiles prefetch the vectors and the elements that they read next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, scf
from mlc.passes.base import Pass, option
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import target_of
from mlc.passes.vector.panel_prefetches import prefetch_panels
from mlc.passes.vector.tile_loops import is_tile_loop, tile_loops
from mlc.passes.vector.tile_prefetches import prefetch_tiles


@dataclass(frozen=True)
class Prefetch(Pass):
    """Prefetch what the innermost loop of a register tile reads next.

    Panels: the rows that follow in a panel come to the L1 cache. Where all panels do not fit the L2 cache,
    the next panel comes to it, line by line, while this one is read.

    Tiles in a nest of reductions: the elements that the rows read in the next block of channels, in the next
    row of a window, or in the next tile, come to the L1 cache. The weights of the next block of columns come
    to the L2 cache, if both blocks fit it: a part of them while each tile of this block is computed.
    """

    name: ClassVar[str] = "tloop-prefetch"
    anchor: ClassVar[str] = "func.func"

    distance: int = option(8, help="rows of a panel ahead; 0 prefetches no panels")

    def run(self, op: ir.Operation) -> None:
        for loop in filter(is_tile_loop, collect_ops(op, scf.For.NAME)):
            if self.distance > 0:
                prefetch_panels(loop, self.distance)
            loops = tile_loops(loop)
            if loops is not None and loops.reductions:
                prefetch_tiles(loops, target_of(op).l2)
