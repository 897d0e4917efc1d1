"""compute_inline of structured computations: a producer's body moves into its consumers'."""

from __future__ import annotations

from mlc.bindings import ir, linalg
from mlc.passes.common.cloning import clone_body, clone_ops
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.rewriting import collect_ops, users
from mlc.passes.schedule.common.state import StepError


def inline_structured(producer: ir.Operation) -> None:
    """Raises StepError if the producer is not elementwise, or if others than structured ops read it."""
    order = _order(producer)
    consumers = users(producer.results[0])
    for each in consumers:
        _check_consumer(each, producer)
    for consumer in consumers:
        merged = consumer
        while (at := _position(merged, producer)) is not None:
            merged = merge(producer, merged, at, order)
    producer.erase()


def _order(producer: ir.Operation) -> list[int]:
    """Which dim of the result each iteration dim of the producer is."""
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
    """The consumer's first input that is the producer's result."""
    inputs = list(consumer.operands)[: consumer.attributes["operandSegmentSizes"][0]]
    return next((at for at, each in enumerate(inputs) if each == producer.results[0]), None)


def _check_consumer(consumer: ir.Operation, producer: ir.Operation) -> None:
    if not linalg.Generic.isa(consumer):
        raise StepError(f"the producer's result is also used by '{consumer.name}'")
    outputs = list(consumer.operands)[consumer.attributes["operandSegmentSizes"][0] :]
    if any(output == producer.results[0] for output in outputs):
        raise StepError("the producer's result is the initial value of a computation")


def merge(producer: ir.Operation, consumer: ir.Operation, at: int, order: list[int]) -> ir.Operation:
    """Replaces the consumer by one that reads the producer's inputs instead of input `at`."""
    ours, theirs = Computation(producer), Computation(consumer)
    read = list(theirs.maps[at].results)
    count = theirs.maps[at].n_dims
    places = ir.AffineMap.get(count, 0, [read[dim] for dim in order])
    added = [
        ir.AffineMap.get(count, 0, [result.compose(places) for result in m.results]) for m in ours.maps[:-1]
    ]
    inputs, outputs = (int(each) for each in consumer.attributes["operandSegmentSizes"])
    rest = [position for position in range(inputs) if position != at]
    maps = [*(theirs.maps[position] for position in rest), *added, *theirs.maps[inputs:]]
    operands = [
        *(consumer.operands[position] for position in rest),
        *ours.inputs,
        *(consumer.operands[inputs + position] for position in range(outputs)),
    ]
    attributes = dict(consumer.attributes.items()) | {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps]),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands) - outputs, outputs]),
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
    """The producer's body, then the consumer's."""
    mine, other = producer.regions[0].blocks[0], consumer.regions[0].blocks[0]
    kept = [argument for position, argument in enumerate(other.arguments) if position != at]
    inputs = int(consumer.attributes["operandSegmentSizes"][0]) - 1
    first = list(mine.arguments)[:-1]
    old = [*kept[:inputs], *first, *kept[inputs:]]
    block = new.regions[0].blocks.append(
        *(each.type for each in old), arg_locs=[consumer.location] * len(old)
    )
    values = dict(zip(old, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        [values[other.arguments[at]]] = clone_body(mine, values)
        clone_ops([op.operation for op in other.operations], values)
