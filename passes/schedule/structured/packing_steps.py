"""The primitives pack and rfactor, which change the iteration space, through upstream's transforms."""

from __future__ import annotations

from mlc.bindings import ir, linalg, tensor
from mlc.dialects import tloop
from mlc.passes.common.computation import Computation
from mlc.passes.common.named_blocks import BLOCK_TAG, carriers
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import HANDLE, match

# Marks of the ops that a script builds, until they have their names.
PARTIAL, COMBINED = "tloop.new.partial", "tloop.new.combined"


def single_computation(handle: ir.Value, state: ScheduleState) -> ir.Operation:
    """Returns the one structured computation to which the handle refers. Raises StepError."""
    found = state.targets(handle)
    if len(found) != 1:
        raise StepError(f"it works on one, but an earlier step has made {len(found)} copies")
    if not found[0].name.startswith("linalg."):
        raise StepError(f"the block is a '{found[0].name}'; this primitive works on structured computations")
    return found[0]


def pack(op: ir.Operation, state: ScheduleState) -> None:
    """Packs a contraction; packs are then lowered to reshapes and transposes, as later passes do not lower
    them."""
    step = tloop.Pack(op)
    block = single_computation(step.block, state)
    name, sizes = block.attributes[BLOCK_TAG], list(step.sizes)
    dims = len(block.attributes["iterator_types"])
    if len(sizes) > dims:
        raise StepError(f"there are {len(sizes)} sizes for {dims} dimensions")
    _check_divides(block, sizes)
    sizes += [0] * (dims - len(sizes))
    state.name(step.packed, state.tag(step.block))
    state.run(
        match("b", state.tag(step.block)),
        f"%p = transform.structured.pack %b packed_sizes = [{', '.join(map(str, sizes))}] "
        f': ({HANDLE}) -> (!transform.op<"linalg.generic">)',
        f'transform.annotate %p "{PARTIAL}" : !transform.op<"linalg.generic">',
        *_write_out("pack", tensor.Pad.NAME, tensor.ExpandShape.NAME, linalg.Transpose.NAME),
        *_write_out(
            "unpack",
            tensor.Empty.NAME,
            linalg.Transpose.NAME,
            tensor.CollapseShape.NAME,
            tensor.ExtractSlice.NAME,
            linalg.Copy.NAME,
        ),
    )
    _name(state, PARTIAL, name)


def _check_divides(block: ir.Operation, sizes: list[int]) -> None:
    for dim, (extent, size) in enumerate(zip(Computation(block).extents, sizes, strict=False)):
        if size and extent % size:
            raise StepError(f"size {size} does not divide the {extent} points of dimension {dim}")


def _write_out(verb: str, *makes: str) -> list[str]:
    """Returns a script: upstream's lowering of every `linalg.<verb>` to ops with the names `makes`."""
    results = ", ".join(f'!transform.op<"{make}">' for make in makes)
    handle = f'!transform.op<"linalg.{verb}">'
    return [
        f'%{verb}s = transform.structured.match ops{{["linalg.{verb}"]}} in %root : ({HANDLE}) -> {handle}',
        f"%{verb}:{len(makes)} = transform.structured.lower_{verb} %{verb}s : ({handle}) -> ({results})",
    ]


def rfactor(op: ir.Operation, state: ScheduleState) -> None:
    """Splits a reduction; the partial results are contiguous, so that vectors can hold them."""
    step = tloop.RFactor(op)
    block, factor = single_computation(step.block, state), step.factor
    name = block.attributes[BLOCK_TAG].value
    computation = Computation(block)
    if len(computation.reductions) != 1:
        raise StepError(f"block '{name}' has {len(computation.reductions)} reduction dimensions, not 1")
    extent = computation.extents[computation.reductions[0]]
    if extent % factor:
        raise StepError(f"factor {factor} does not divide the {extent} points of the reduction")
    state.run(
        match("b", state.tag(step.block)),
        "%a, %f, %s, %c = transform.structured.split_reduction %b "
        f"{{split_factor = {factor}, insert_split_dimension = {len(computation.parallel)}, inner_parallel}} "
        f": ({HANDLE}) -> ({', '.join([HANDLE] * 4)})",
        f'transform.annotate %s "{PARTIAL}" : {HANDLE}',
        f'transform.annotate %c "{COMBINED}" : {HANDLE}',
    )
    _name(state, PARTIAL, ir.StringAttr.get(f"{name}.partial"))
    _name(state, COMBINED, ir.StringAttr.get(name))
    state.name(step.partial, f'{BLOCK_TAG} = "{name}.partial"')
    state.name(step.combined, f'{BLOCK_TAG} = "{name}"')


def _name(state: ScheduleState, mark: str, name: ir.Attribute) -> None:
    """Gives the marked ops their block's name."""
    for carrier in carriers(state.kernel, mark):
        del carrier.attributes[mark]
        carrier.attributes[BLOCK_TAG] = name
