"""The primitive compute_inline of structured computations: a producer's body moves into its consumers'."""

from __future__ import annotations

from mlc.bindings import ir, linalg
from mlc.passes.common.cloning import clone_body, clone_ops
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.rewriting import collect_ops, users
from mlc.passes.schedule.common.state import StepError


def inline_structured(producer: ir.Operation) -> None:
    """Inlines the producer. Raises StepError if it is not elementwise, or if others than structured ops read
    it."""
    order = _order(producer)
    consumers = users(producer.result)
    for consumer in consumers:
        _check_consumer(consumer, producer)
    for consumer in consumers:
        merged = consumer
        while (at := _position(merged, producer)) is not None:
            merged = merge(producer, merged, at, order)
    producer.erase()


def _order(producer: ir.Operation) -> list[int]:
    """Returns the dim of the result for each iteration dim of the producer."""
    computation = Computation(producer)
    if producer.name != linalg.Generic.NAME or len(producer.results) != 1:
        raise StepError(f"the producer is a '{producer.name}'; only elementwise generics can be inlined")
    dims = [dim_position(result) for result in computation.maps[-1].results]
    body = producer.regions[0].blocks[0]
    reads_output = any(True for _ in list(body.arguments)[-1].uses)
    if computation.reductions or reads_output or collect_ops(producer, linalg.Index.NAME):
        raise StepError("the producer is not elementwise")
    if None in dims or sorted(dim for dim in dims if dim is not None) != list(range(len(dims))):
        raise StepError("the producer is not elementwise")
    return [dims.index(index) for index in range(len(dims))]


def _position(consumer: ir.Operation, producer: ir.Operation) -> int | None:
    """Returns the position of the consumer's first input that is the producer's result, or None."""
    inputs = linalg.Generic(consumer).inputs
    return next((position for position, value in enumerate(inputs) if value == producer.result), None)


def _check_consumer(consumer: ir.Operation, producer: ir.Operation) -> None:
    if not linalg.Generic.isa(consumer):
        raise StepError(f"the producer's result is also used by '{consumer.name}'")
    if any(output == producer.result for output in linalg.Generic(consumer).outputs):
        raise StepError("the producer's result is the initial value of a computation")


def merge(producer: ir.Operation, consumer: ir.Operation, at: int, order: list[int]) -> ir.Operation:
    """Replaces the consumer by one that reads the producer's inputs instead of input `at`."""
    ours, theirs = Computation(producer), Computation(consumer)
    read = list(theirs.maps[at].results)
    count = theirs.maps[at].n_dims
    indices = ir.AffineMap.get(count, 0, [read[dim] for dim in order])
    added = [
        ir.AffineMap.get(count, 0, [result.compose(indices) for result in m.results]) for m in ours.maps[:-1]
    ]
    inputs, outputs = linalg.Generic(consumer).inputs, linalg.Generic(consumer).outputs
    rest = [position for position in range(len(inputs)) if position != at]
    maps = [*(theirs.maps[position] for position in rest), *added, *theirs.maps[len(inputs) :]]
    operands = [*(inputs[position] for position in rest), *ours.inputs, *outputs]
    attributes = dict(consumer.attributes.items()) | {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(indexing_map) for indexing_map in maps]),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands) - len(outputs), len(outputs)]),
    }
    with ir.InsertionPoint(consumer), consumer.location:
        types = [result.type for result in consumer.results]
        new = ir.Operation.create(linalg.Generic.NAME, types, operands, attributes, regions=1)
    _fill(new, producer, consumer, at)
    for old, value in zip(consumer.results, new.results, strict=True):
        old.replace_all_uses_with(value)
    consumer.erase()
    return new


def _fill(new: ir.Operation, producer: ir.Operation, consumer: ir.Operation, at: int) -> None:
    """Clones the producer's body, then the consumer's, into `new`."""
    mine, other = producer.regions[0].blocks[0], consumer.regions[0].blocks[0]
    kept = [argument for position, argument in enumerate(other.arguments) if position != at]
    inputs = len(linalg.Generic(consumer).inputs) - 1
    first = list(mine.arguments)[:-1]
    old = [*kept[:inputs], *first, *kept[inputs:]]
    block = new.regions[0].blocks.append(
        *(argument.type for argument in old), arg_locs=[consumer.location] * len(old)
    )
    values = dict(zip(old, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        [values[other.arguments[at]]] = clone_body(mine, values)
        clone_ops([op.operation for op in other.operations], values)
