"""The first elements of lines in an order: top-k."""

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
    """The elements of `x` along the heap's axis, at `coordinates` in the other dims."""

    x: ir.Value
    coordinates: list[ir.Value]
    heap: Heap

    @property
    def extent(self) -> int | Size:
        """The number of elements."""
        return static_shape(self.x)[self.heap.axis]

    def at(self, index: ir.Value) -> list[ir.Value]:
        """Returns the coordinates in `x` of the element at `index`."""
        return [index if dim == self.heap.axis else other for dim, other in enumerate(self.coordinates)]

    def item(self, index: ir.Value) -> Carried:
        """Returns the element at `index` and its position."""
        position = arith.index_cast(i64(), index)
        return [tensor.extract(self.x, self.at(index)), position]

    def best(self, results: Carried) -> Carried:
        """Builds the heap of the line: its first elements, then those that precede the last one of the
        heap."""
        size, width = self.heap.size, self._block()
        first = loop(size, results, lambda at, parts: self.heap.write(parts, at, self.item(at)))
        heap = self.heap.heapify(first)
        if self.extent == size:
            return heap
        blocks = (self.extent - size) // width if width else 0
        end = size + blocks * width
        if blocks != 0:
            heap = loop(end, heap, lambda at, parts: self._take_block(at, width, parts), size, width)
        return loop(self.extent, heap, self._take, end)

    def _take(self, index: ir.Value, heap: Carried) -> Carried:
        item, zero = self.item(index), index_value(0)
        # Its position is after those of all items of the heap: of equal ones it is not taken.
        better = comes_before(item[0], self.heap.read(heap, zero)[0], self.heap.largest)
        size = index_value(self.heap.size)
        return conditional(better, heap, lambda: self.heap.sift_down(heap, item, zero, size))

    def _block(self) -> int:
        """Elements that one vector holds; 0 if they are not contiguous in memory, or too narrow for
        processors to compare."""
        width = tensor_type(self.x).element_type.width
        inner = self.heap.axis == len(self.coordinates) - 1
        return BLOCK * 8 // width if inner and width >= 32 else 0

    def _take_block(self, first: ir.Value, width: int, heap: Carried) -> Carried:
        """Takes the elements of a block, unless none precedes the root of the heap, as in most blocks."""
        block = read(self.x, self.at(first), width)
        root = vector.broadcast(block.type, self.heap.read(heap, index_value(0))[0])
        better = comes_before(block, root, self.heap.largest)
        found = vector.ReductionOp(i1(), ir.Attribute.parse("#vector.kind<or>"), better).result

        def take(index: ir.Value, parts: Carried) -> Carried:
            return self._take(arith.addi(first, index), parts)

        return conditional(found, heap, lambda: loop(width, heap, take))


@rule("top_k")
def lower_top_k(op: ir.Operation) -> list[ir.Value]:
    """Processes lines in parallel, each in scratch memory of the size of its results.

    A line takes n comparisons, and k log(n / k) log(k) more if its elements are in random order, before the
    heap is sorted.
    """
    top_k = graph.TopK(op)
    x, axis = top_k.x, top_k.axis
    shape = static_shape(top_k.values)
    elements = [tensor_type(x).element_type, i64()]
    if tensor_type(x).has_static_shape and prod(static_shape(x)) < PARALLEL_ELEMENTS:
        op.parent.attributes[ONE_THREAD] = ir.UnitAttr.get()
    others = [1 if dim == axis else extent for dim, extent in enumerate(shape)]
    rank = len(shape)
    ends = [other if isinstance(other, int) else index_value(other) for other in others]
    lines = scf.ForallOp([0] * rank, ends, [1] * rank, [empty(shape, element) for element in elements])
    with ir.InsertionPoint(lines.body):
        heap = Heap(axis, rank, shape[axis], bool(top_k.largest))
        one = [shape[axis] if dim == axis else 1 for dim in range(rank)]
        indices = list(lines.induction_variables)
        results = Line(x, indices, heap).best([empty(one, element) for element in elements])
        if top_k.sorted:
            results = heap.sort(results)
        for position, result in enumerate(results):
            insert_in_parallel(lines, note_shape(result, one), indices, position)
    return [note_shape(result, shape) for result in lines.results]
