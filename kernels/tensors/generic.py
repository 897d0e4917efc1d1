"""Builds one `linalg.generic` from one symbolic scalar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlc.bindings import ir, linalg, scf
from mlc.kernels.errors import KernelError
from mlc.kernels.expressions import Expression, IterationAxis, TensorElement, operands_of
from mlc.kernels.scalars import Scalar, to_type
from mlc.kernels.tensors.scalar_code import ScalarCode
from mlc.kernels.tensors.subscripts import map_results
from mlc.passes.common.linalg_builders import affine_map, dims, empty
from mlc.passes.common.named_blocks import BLOCK_TAG


@dataclass
class GenericOperands:
    """The inputs of a generic: tensors with indexing maps, each pair once, and the accesses that each is."""

    axes: Sequence[IterationAxis]
    values: list[ir.Value] = field(default_factory=list)
    maps: list[ir.AffineMap] = field(default_factory=list)
    accesses: list[list[int]] = field(default_factory=list)

    def collect(self, expression: object, seen: set[int]) -> None:
        """Adds the accesses of `expression` that indexing maps can express."""
        if not isinstance(expression, Expression) or id(expression) in seen:
            return
        seen.add(id(expression))
        results = map_results(expression, self.axes) if isinstance(expression, TensorElement) else None
        if isinstance(expression, TensorElement) and results is not None:
            self._add(expression, affine_map(len(self.axes), results))
            return
        for operand in operands_of(expression):
            self.collect(operand, seen)

    def _add(self, access: TensorElement, mapping: ir.AffineMap) -> None:
        value = access.tensor.value
        for known, its_map, ids in zip(self.values, self.maps, self.accesses, strict=True):
            if known == value and its_map == mapping:
                ids.append(id(access))
                return
        self.values.append(value)
        self.maps.append(mapping)
        self.accesses.append([id(access)])

    def add_extents(self, parallel: int) -> None:
        """Adds an unused operand for each reduction axis whose extent no other operand defines."""
        for position in range(parallel, len(self.axes)):
            bare = ir.AffineExpr.get_dim(position)
            if not any(bare == result for mapping in self.maps for result in mapping.results):
                self.values.append(empty([self.axes[position].extent], ir.F32Type.get()))
                self.maps.append(affine_map(len(self.axes), [bare]))
                self.accesses.append([])


def build_generic(
    expression: object,
    axes: Sequence[IterationAxis],
    reductions: Sequence[IterationAxis],
    name: str,
    element: ir.Type | None,
    initial: Callable[[ir.Type], ir.Value] | None = None,
    combine: Callable[[ir.Value, ir.Value], ir.Value] | None = None,
) -> ir.Value:
    """Builds the tensor of `expression` over `axes`; with `combine`, reduced over `reductions` from
    `initial`.

    `element` is the element type of the result, None for that of the expression. The block is called `name`.
    Raises KernelError.
    """
    every = [*axes, *reductions]
    operands = GenericOperands(every)
    operands.collect(expression, set())
    operands.add_extents(len(axes))
    scratch = ir.Operation.create(scf.ExecuteRegion.NAME, regions=1)
    types = [ir.RankedTensorType(value.type).element_type for value in operands.values]
    block = scratch.regions[0].blocks.append(*types)
    scalars = {key: block.arguments[n] for n, ids in enumerate(operands.accesses) for key in ids}
    with ir.InsertionPoint(block):
        value = _to_element(ScalarCode(every, scalars).build(expression), element)
    old = block.add_argument(value.type, ir.Location.unknown())
    with ir.InsertionPoint(block):
        linalg.YieldOp([combine(old, value) if combine is not None else value])
    shape = [axis.extent for axis in axes]
    output = initial(value.type) if initial is not None else empty(shape, value.type)
    maps = [*operands.maps, affine_map(len(every), dims(len(axes)))]
    result = _generic(operands.values, output, maps, len(axes))
    block.append_to(result.regions[0])
    result.attributes[BLOCK_TAG] = ir.StringAttr.get(name)
    scratch.erase()
    return result.result


def _generic(
    inputs: Sequence[ir.Value], output: ir.Value, maps: Sequence[ir.AffineMap], parallel: int
) -> ir.Operation:
    count = maps[-1].n_dims
    iterator_types = ["parallel" if dim < parallel else "reduction" for dim in range(count)]
    iterators = ir.ArrayAttr.get(
        [ir.Attribute.parse(f"#linalg.iterator_type<{name}>") for name in iterator_types]
    )
    return ir.Operation.create(
        linalg.Generic.NAME,
        results=[output.type],
        operands=[*inputs, output],
        attributes={
            "indexing_maps": ir.ArrayAttr.get(list(map(ir.AffineMapAttr.get, maps))),
            "iterator_types": ir.ArrayAttr.get(iterators),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
        },
        regions=1,
    )


def _to_element(value: Scalar, element: ir.Type | None) -> ir.Value:
    """Returns the scalar as a value that tensors can hold."""
    if element is not None:
        return to_type(value, element)
    if not isinstance(value, ir.Value):
        raise KernelError(f"{value} has no element type; name it: compute(..., element=f32)")
    return to_type(value, ir.IntegerType.get_signless(64)) if isinstance(value.type, ir.IndexType) else value
