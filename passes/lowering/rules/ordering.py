"""The first elements of lines in an order."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir, scf, tensor, vector
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.constants import i1, i64
from mlc.passes.common.kernel_functions import ONE_THREAD
from mlc.passes.common.linalg_builders import empty, index_value, note_shape, static_shape, tensor_type
from mlc.passes.common.loop_builders import Carried, conditional, loop
from mlc.passes.common.vector_builders import insert_in_parallel, read
from mlc.passes.lowering.common.heap import Heap, comes_before
from mlc.passes.lowering.common.rule import rule

# Bytes that are compared at once with the last of the best.
BLOCK = 128
# Fewer elements are not worth waking a thread.
PARALLEL_ELEMENTS = 65_536


@dataclass(frozen=True)
class Line:
    """The elements of `x` along the heap's axis, at `places` in all dims."""

    x: ir.Value
    places: list[ir.Value]
    heap: Heap

    @property
    def extent(self) -> int | Size:
        return static_shape(self.x)[self.heap.axis]

    def at(self, index: ir.Value) -> list[ir.Value]:
        return [index if dim == self.heap.axis else place for dim, place in enumerate(self.places)]

    def item(self, index: ir.Value) -> Carried:
        """An element and its position."""
        position = arith.index_cast(i64(), index)
        return [tensor.extract(self.x, self.at(index)), position]

    def best(self, results: Carried) -> Carried:
        """The heap of the line: its first elements, then each that comes before the last of them."""
        size, width = self.heap.size, self._block()
        first = loop(size, results, lambda at, parts: self.heap.write(parts, at, self.item(at)))
        heap = self.heap.built(first)
        if self.extent == size:
            return heap
        blocks = (self.extent - size) // width if width else 0
        end = size + blocks * width
        if blocks != 0:
            heap = loop(end, heap, lambda at, parts: self._take_block(at, width, parts), size, width)
        return loop(self.extent, heap, self._take, end)

    def _take(self, index: ir.Value, heap: Carried) -> Carried:
        item, zero = self.item(index), index_value(0)
        # Its position is behind those of all in the heap: of equal ones it is not taken.
        better = comes_before(item[0], self.heap.read(heap, zero)[0], self.heap.largest)
        size = index_value(self.heap.size)
        return conditional(better, heap, lambda: self.heap.put(heap, item, zero, size))

    def _block(self) -> int:
        """Elements that one vector holds; 0 where they are no neighbours in memory, or too narrow for
        processors to compare."""
        width = tensor_type(self.x).element_type.width
        inner = self.heap.axis == len(self.places) - 1
        return BLOCK * 8 // width if inner and width >= 32 else 0

    def _take_block(self, first: ir.Value, width: int, heap: Carried) -> Carried:
        """Most blocks of a long line hold nothing better than the heap."""
        block = read(self.x, self.at(first), width)
        root = vector.broadcast(block.type, self.heap.read(heap, index_value(0))[0])
        better = comes_before(block, root, self.heap.largest)
        found = vector.ReductionOp(i1(), ir.Attribute.parse("#vector.kind<or>"), better).result

        def each(index: ir.Value, parts: Carried) -> Carried:
            return self._take(arith.addi(first, index), parts)

        return conditional(found, heap, lambda: loop(width, heap, each))


@rule("top_k")
def lower_top_k(op: ir.Operation) -> list[ir.Value]:
    """Lines in parallel, each in scratch memory of the size of its results.

    A line costs n comparisons, and k log(n / k) log(k) where nothing of its order is known, before the heap
    is sorted.
    """
    top_k = graph.TopK(op)
    x, axis = top_k.x, top_k.axis
    shape = static_shape(top_k.values)
    kinds = [tensor_type(x).element_type, i64()]
    if tensor_type(x).has_static_shape and prod(static_shape(x)) < PARALLEL_ELEMENTS:
        op.parent.attributes[ONE_THREAD] = ir.UnitAttr.get()
    others = [1 if dim == axis else extent for dim, extent in enumerate(shape)]
    rank = len(shape)
    ends = [other if isinstance(other, int) else index_value(other) for other in others]
    lines = scf.ForallOp([0] * rank, ends, [1] * rank, [empty(shape, kind) for kind in kinds])
    with ir.InsertionPoint(lines.body):
        heap = Heap(axis, rank, shape[axis], bool(top_k.largest))
        one = [shape[axis] if dim == axis else 1 for dim in range(rank)]
        places = list(lines.induction_variables)
        results = Line(x, places, heap).best([empty(one, kind) for kind in kinds])
        if top_k.sorted:
            results = heap.ordered(results)
        for number, result in enumerate(results):
            insert_in_parallel(lines, note_shape(result, one), places, number)
    return [note_shape(each, shape) for each in lines.results]
