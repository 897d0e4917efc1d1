"""Building graph ops from Python values, with inferred result types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlc.bindings import ir
from mlc.dialects.graph.dims.dim_names import NAMES
from mlc.dialects.graph.dims.value_dims import write_names
from mlc.dialects.graph.sizes import symbol

from .attributes import SEGMENTS, read_attributes, segments, to_attribute
from .spec import REQUIRED, VARIADIC_LIMIT, GraphTensor, OpSpec, ShapeError, specs
from .types import tensor_of, type_of
from .verifier import check_results, refine
from .verifier import infer as infer_tensors


def build(
    name: str,
    operands: Sequence[ir.Value],
    attributes: Mapping[str, Any] | None = None,
    result_type: ir.Type | None = None,
    location: ir.Location | None = None,
) -> Any:
    """Creates `graph.<name>` at the current insertion point; returns its result (a list where it has
    several).

    Attributes are Python values (or MLIR attributes); those left out get their defaults, None leaves one
    absent. Dims that are not known get the attribute `graph.dims` where the operands' dims have names.
    `result_type` is required by ops whose result is given (`spec.result_given`); elsewhere it may add
    dims that do not follow from the operands. Raises ShapeError when the definition does not allow the op.
    """
    spec = _spec(name)
    if spec.name == "concat" and len(operands) > VARIADIC_LIMIT:
        return _build_concat_tree(operands, attributes, result_type, location)
    if spec.name == "sizes" and len(operands) > VARIADIC_LIMIT:
        return _build_sizes_tree(operands, attributes, location)
    location = location or ir.Location.current
    types = [value.type for value in operands]
    converted = _convert(spec, attributes or {}, location.context)
    results = _infer(spec, types, converted, result_type, location.context)
    op = ir.Operation.create(
        f"graph.{spec.name}",
        results=results,
        operands=list(operands),
        attributes=converted | _segments(spec, len(operands), location.context),
        loc=location,
    )
    write_names(op)
    return op.result if len(results) == 1 else list(op.results)


def _build_concat_tree(
    operands: Sequence[ir.Value],
    attributes: Mapping[str, Any] | None,
    result_type: ir.Type | None,
    location: ir.Location | None,
) -> Any:
    """Builds a concat of more operands than one op can have: a concat of concats."""
    parts = [build("concat", chunk, attributes, None, location) for chunk in _chunks(operands)]
    return build("concat", parts, attributes, result_type, location)


def _build_sizes_tree(
    operands: Sequence[ir.Value], attributes: Mapping[str, Any] | None, location: ir.Location | None
) -> Any:
    """Builds a sizes of more vectors than one op can have: a sizes of the elements that others read."""
    assert attributes is not None, "sizes has attributes"
    names, parts, inner_names = iter(attributes["names"]), [], []
    for chunk in _chunks(operands):
        read = [next(names) for vector in chunk for _ in range(vector.type.shape[0])]
        elements = [name for name in read if name]
        texts = {"names": read, "dims": [str(symbol(name)) for name in elements]}
        parts.append(build("sizes", chunk, texts, None, location))
        inner_names += elements
    return build("sizes", parts, {"names": inner_names, "dims": attributes["dims"]}, None, location)


def _chunks(operands: Sequence[ir.Value]) -> list[Sequence[ir.Value]]:
    size = max(VARIADIC_LIMIT, -(-len(operands) // VARIADIC_LIMIT))
    return [operands[start : start + size] for start in range(0, len(operands), size)]


def _segments(spec: OpSpec, count: int, context: ir.Context) -> dict[str, ir.Attribute]:
    if not spec.operands or spec.operands[-1].variadicity != "variadic":
        return {}
    return {SEGMENTS: segments(count, len(spec.operands) - 1 + spec.operands[-1].most, context)}


def infer(
    name: str,
    operand_types: Sequence[ir.Type],
    attributes: Mapping[str, Any] | None = None,
    result_type: ir.Type | None = None,
) -> list[ir.Type]:
    """Returns the result types of `graph.<name>`; arguments and errors as those of `build`.

    Needs a current context, or one operand or result type.
    """
    spec = _spec(name)
    known = [*operand_types, *([] if result_type is None else [result_type])]
    context = known[0].context if known else ir.Context.current
    return _infer(spec, operand_types, _convert(spec, attributes or {}, context), result_type, context)


def _spec(name: str) -> OpSpec:
    spec = specs().get(name.removeprefix("graph."))
    if spec is None:
        raise ShapeError(name, "is no op of the graph dialect")
    return spec


def write_defaults(op: ir.Operation) -> None:
    """Gives a graph op the attributes that it leaves out, with their defaults."""
    for declared in _spec(op.name).attributes:
        if declared.default not in (REQUIRED, None) and declared.name not in op.attributes:
            op.attributes[declared.name] = to_attribute(declared.type, declared.default, op.context)


def _convert(spec: OpSpec, attributes: Mapping[str, Any], context: ir.Context) -> dict[str, ir.Attribute]:
    """Returns the attributes as MLIR's, defaults written out, without the dims of the op that they come
    from."""
    values = {
        attribute.name: attribute.default
        for attribute in spec.attributes
        if attribute.default is not REQUIRED
    }
    values.update(attributes)
    return {
        name: _convert_one(spec, name, value, context)
        for name, value in values.items()
        if value is not None and name != NAMES
    }


def _convert_one(spec: OpSpec, name: str, value: Any, context: ir.Context) -> ir.Attribute:
    if isinstance(value, ir.Attribute):
        return value
    declared = spec.attribute(name)
    if declared is None:
        raise ShapeError(name, f"is no attribute of graph.{spec.name}")
    return to_attribute(declared.type, value, context)


def _infer(
    spec: OpSpec,
    types: Sequence[ir.Type],
    attributes: Mapping[str, ir.Attribute],
    result_type: ir.Type | None,
    context: ir.Context,
) -> list[ir.Type]:
    given = [] if result_type is None else [tensor_of(result_type, "result")]
    try:
        operands = [tensor_of(type_, f"operand {position}") for position, type_ in enumerate(types)]
        _check_ranks(operands)
        inferred = infer_tensors(spec, operands, read_attributes(spec, attributes), given)
        if given:
            check_results(spec, inferred, given)
            inferred = (refine(inferred[0], given[0]), *inferred[1:])
    except ShapeError as error:
        described = ", ".join(map(str, types))
        where = f"(graph.{spec.name}{', operands: ' + described if described else ''})"
        raise ShapeError(error.field, f"{error.message} {where}") from None
    return [type_of(tensor, context) for tensor in inferred]


def _check_ranks(tensors: Sequence[GraphTensor]) -> None:
    if any(tensor.shape is None for tensor in tensors):
        raise ShapeError("operands", "must have known ranks")
