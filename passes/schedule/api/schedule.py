"""`mlc.Schedule`: schedules a kernel from Python: each step is applied to the kernel at once, and
recorded."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mlc.bindings import func, ir, parse_module
from mlc.dialects import create_context, tloop
from mlc.dialects.tloop import BlockType, LoopType, ValueType
from mlc.passes.common.kernel_functions import is_kernel
from mlc.passes.schedule.api.handles import (
    BlockHandle,
    LoopHandle,
    SampledInteger,
    ScheduleError,
    Size,
    attribute_of,
    sizes_of,
)
from mlc.passes.schedule.api.primitives import STEPS
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.state import ScheduleState, StepError


class StepRecorder:
    """A kernel with the applied steps, and these steps. A step that raises ScheduleError changes nothing."""

    def __init__(self, module: str | ir.Module, kernel: str = "", seed: int = 0) -> None:
        self._context = create_context()
        with self._context, ir.Location.unknown():
            self._module = parse_module(str(module), self._context)
            found = _kernel(self._module, kernel)
            self._state = ScheduleState(found, Random(seed))
            self._builder = ScheduleBuilder(found)

    @property
    def kernel(self) -> str:
        """The kernel after all steps so far."""
        return str(self._state.kernel.get_asm(use_local_scope=True, assume_verified=True))

    def __str__(self) -> str:
        """Returns the schedule as a `tloop.schedule`, sampled values as decisions."""
        return str(self._builder.schedule.operation.get_asm(use_local_scope=True, assume_verified=True))

    def replay(self, schedule: str) -> None:
        """Applies and records the steps of a `tloop.schedule` (text) for a kernel of any name.

        Decisions stay; those that lack are made. Raises ScheduleError.
        """
        with self._context, ir.Location.unknown():
            module = parse_module(schedule, self._context)
            ops = [op.operation for op in module.body.operations]
            found = [op for op in ops if op.name == tloop.Schedule.NAME]
            if len(found) != 1:
                raise ScheduleError(f"expected one tloop.schedule, but there are {len(found)}")
            values: dict[ir.Value, ir.Value] = {}
            for step in [op.operation for op in found[0].regions[0].blocks[0].operations]:
                operands = [values[operand] for operand in step.operands]
                attributes = dict(step.attributes.items())
                made = self._step(step.name, operands, [r.type for r in step.results], attributes)
                values.update(zip(step.results, made.results, strict=True))

    def _integers(self, op: ir.Operation) -> tuple[SampledInteger, ...]:
        return tuple(SampledInteger(result, self._state.sampled[result]) for result in op.results)

    def _block(
        self, primitive: str, operands: Sequence[BlockHandle | LoopHandle], **attributes: object
    ) -> BlockHandle:
        return BlockHandle(self._apply(primitive, operands, [BlockType], **attributes).result)

    def _loops(
        self,
        primitive: str,
        operands: Sequence[BlockHandle | LoopHandle | SampledInteger],
        count: int,
        **attributes: object,
    ) -> tuple[LoopHandle, ...]:
        op = self._apply(primitive, operands, [LoopType] * count, **attributes)
        return tuple(LoopHandle(result) for result in op.results)

    def _apply(
        self,
        primitive: str,
        operands: Sequence[BlockHandle | LoopHandle | SampledInteger],
        results: Sequence[type[BlockType | LoopType | ValueType]] = (),
        **attributes: object,
    ) -> ir.Operation:
        with self._context, ir.Location.unknown():
            converted = {name: attribute_of(value) for name, value in attributes.items()}
            types = [result.get() for result in results]
            return self._step(f"tloop.{primitive}", [operand.value for operand in operands], types, converted)

    def _step(
        self,
        name: str,
        operands: Sequence[ir.Value],
        results: Sequence[ir.Type],
        attributes: dict[str, ir.Attribute],
    ) -> ir.Operation:
        """Records the step and applies it, or does neither."""
        state = self._state
        op = self._builder.append(name.removeprefix("tloop."), operands, results, **attributes)
        with ir.InsertionPoint(state.kernel):
            before = state.kernel.clone().operation
        try:
            if not op.verify():
                raise ScheduleError(f"{name} is not valid")
            STEPS[name](op, state)
        except (StepError, ScheduleError, ir.MLIRError) as error:
            state.kernel.erase()
            state.kernel = before
            op.erase()
            raise ScheduleError(f"{name} does not apply: {_first_line(error)}") from error
        before.erase()
        return op


def _kernel(module: ir.Module, name: str) -> ir.Operation:
    """Returns the function called `name`, or the only kernel, or the only function."""
    functions = [op.operation for op in module.body.operations if func.Func.isa(op)]
    names = {func.Func(function).sym_name: function for function in functions}
    if name and name not in names:
        raise ScheduleError(f"there is no kernel @{name}; there are: {', '.join(names) or 'none'}")
    if name:
        return names[name]
    kernels = [function for function in functions if is_kernel(function)] or functions
    if len(kernels) != 1:
        raise ScheduleError(f"there are {len(kernels)} kernels; name one of: {', '.join(names) or 'none'}")
    return kernels[0]


def _first_line(error: Exception) -> str:
    """Returns the message without the IR that MLIR adds."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    marked = [line.partition("error: ")[2] for line in lines if "error: " in line]
    return (marked or lines or [type(error).__name__])[0]


class Schedule(StepRecorder):
    """The schedule of one kernel.

    Each method is a primitive of `tloop` (docs/schedules.md): it is applied to a copy of the kernel at once,
    and recorded. A step that does not apply raises ScheduleError and changes nothing. `str(schedule)` is the
    schedule as IR, `kernel` the kernel as it is now.

    `module` is IR that holds the kernel, as text or as a module; `kernel` names the kernel if there are
    several. `seed` is that of the `sample_` methods, whose decisions are part of the schedule.
    """

    def get_block(self, name: str) -> BlockHandle:
        """Returns the computation called `name`."""
        return self._block("get_block", [], block_name=name)

    def get_loops(self, block: BlockHandle) -> tuple[LoopHandle, ...]:
        """Returns the loops around the block, outermost first."""
        from mlc.passes.schedule.common.loops import enclosing_loops

        with self._context:
            count = len(enclosing_loops(self._state.targets(block.value)[0]))
        return self._loops("get_loops", [block], count)

    def tile(
        self, block: BlockHandle, sizes: Sequence[Size], mode: str = "sequential"
    ) -> tuple[BlockHandle, LoopHandle]:
        """Tiles a computation; returns the tiled one and the innermost loop."""
        codes, values = sizes_of(sizes)
        op = self._apply("tile", [block, *values], [BlockType, LoopType], sizes=codes, mode=mode)
        return BlockHandle(tloop.Tile(op).tiled), LoopHandle(tloop.Tile(op).loop)

    def interchange(self, block: BlockHandle, permutation: Sequence[int]) -> BlockHandle:
        """Permutes the dims of a computation's iteration space."""
        return self._block("interchange", [block], permutation=list(permutation))

    def peel(self, loop: LoopHandle) -> None:
        """Takes the partial last iteration out of a loop."""
        self._apply("peel", [loop])

    def shift_inwards(self, loop: LoopHandle) -> None:
        """Shifts the last tile of a loop, so that it is full and overlaps the one before."""
        self._apply("shift_inwards", [loop])

    def skip_padding(self, loop: LoopHandle) -> None:
        """Leaves out the iterations of a loop over a window that read padding alone."""
        self._apply("skip_padding", [loop])

    def balance(self, loop: LoopHandle, full: bool = False) -> None:
        """Splits a loop over tiles into tiles whose sizes differ by at most 1; with `full` into full ones,
        and single points after them."""
        self._apply("balance", [loop], (), **({"full": True} if full else {}))

    def stream_keys(self, loop: LoopHandle, queries: int, keys: int) -> None:
        """Computes the attention in a loop over blocks of queries with the online softmax, over blocks of
        keys."""
        self._apply("stream_keys", [loop], queries=queries, keys=keys)

    def split(self, loop: LoopHandle, factors: Sequence[Size], tail: str = "guard") -> tuple[LoopHandle, ...]:
        """Splits a loop into a nest, outermost first."""
        codes, values = sizes_of(factors)
        return self._loops("split", [loop, *values], len(factors), factors=codes, tail=tail)

    def fuse(self, *loops: LoopHandle) -> LoopHandle:
        """Fuses the loops of a perfect nest, outermost first, into one."""
        return self._loops("fuse", loops, 1)[0]

    def reorder(self, *loops: LoopHandle) -> None:
        """Brings the loops of a perfect nest into this order."""
        self._apply("reorder", loops)

    def parallel(self, loop: LoopHandle) -> None:
        """Makes a loop parallel."""
        self._apply("parallel", [loop])

    def bind(self, loop: LoopHandle, axis: str) -> None:
        """Binds a loop to an axis of a GPU, "block.x" to "thread.z"."""
        self._apply("bind", [loop], axis=axis)

    def vectorize(self, *targets: BlockHandle | LoopHandle) -> None:
        """Vectorizes computations or a loop."""
        self._apply("vectorize", targets)

    def unroll(self, loop: LoopHandle, factor: int = 0) -> None:
        """Unrolls a loop by `factor`; by 0 fully."""
        self._apply("unroll", [loop], factor=factor)

    def annotate(self, target: BlockHandle | LoopHandle, key: str, value: int | str | bool = True) -> None:
        """Sets an attribute of a loop or a computation; True becomes a unit attribute."""
        self._apply("annotate", [target], key=key, value=value)

    def compute_at(self, block: BlockHandle, loop: LoopHandle, rolling: bool = False) -> BlockHandle:
        """Moves a producer into its consumer's loop; `rolling` keeps a circular buffer."""
        return self._block("compute_at", [block, loop], **({"rolling": True} if rolling else {}))

    def reverse_compute_at(self, block: BlockHandle, loop: LoopHandle) -> BlockHandle:
        """Moves a consumer to the end of its producer's loop."""
        return self._block("reverse_compute_at", [block, loop])

    def compute_inline(self, block: BlockHandle) -> None:
        """Inlines an elementwise producer into its consumers."""
        self._apply("compute_inline", [block])

    def decompose_reduction(self, block: BlockHandle, loop: LoopHandle) -> BlockHandle:
        """Moves a block, such as the initial value of a reduction, to a nest before the loop."""
        return self._block("decompose_reduction", [block, loop])

    def cache_read(self, block: BlockHandle, loop: LoopHandle, operand: int, name: str) -> BlockHandle:
        """Copies the elements that an iteration reads of an operand to a buffer; returns the copy, called
        `name`."""
        return self._block("cache_read", [block, loop], operand=operand, block_name=name)

    def cache_write(self, block: BlockHandle, loop: LoopHandle, name: str) -> BlockHandle:
        """Computes the result of an iteration in a buffer; returns the copy to the result, called `name`."""
        return self._block("cache_write", [block, loop], block_name=name)

    def prefetch(self, block: BlockHandle, loop: LoopHandle, operand: int, distance: int) -> None:
        """Prefetches the elements of an operand that are read `distance` iterations later."""
        self._apply("prefetch", [block, loop], operand=operand, distance=distance)

    def pack(self, block: BlockHandle, sizes: Sequence[int]) -> BlockHandle:
        """Packs the operands of a contraction into tiles of `sizes`."""
        return self._block("pack", [block], sizes=list(sizes))

    def rfactor(self, block: BlockHandle, factor: int) -> tuple[BlockHandle, BlockHandle]:
        """Splits a reduction; returns the partial results and their combination."""
        op = self._apply("rfactor", [block], [BlockType, BlockType], factor=factor)
        return BlockHandle(tloop.RFactor(op).partial), BlockHandle(tloop.RFactor(op).combined)

    def tensorize(self, block: BlockHandle, intrinsic: str) -> None:
        """Replaces a computation by a call of the function `intrinsic`."""
        with self._context:
            symbol = ir.FlatSymbolRefAttr.get(intrinsic)
        self._apply("tensorize", [block], intrinsic=symbol)

    def sample_perfect_tile(
        self, target: BlockHandle | LoopHandle, count: int, dim: int = 0, largest: int = 64
    ) -> tuple[SampledInteger, ...]:
        """Samples `count` factors of a loop's trip count, or of the extent of a computation's dim."""
        op = self._apply("sample_perfect_tile", [target], [ValueType] * count, dim=dim, largest=largest)
        return self._integers(op)

    def sample_categorical(
        self, candidates: Sequence[int], probabilities: Sequence[float] | None = None
    ) -> SampledInteger:
        """Samples a candidate; without probabilities all are equally likely."""
        chances = probabilities or [1 / len(candidates)] * len(candidates)
        with self._context:
            array = ir.DenseF64ArrayAttr.get(list(chances))
        attributes = {"candidates": list(candidates), "probabilities": array}
        return self._integers(self._apply("sample_categorical", [], [ValueType], **attributes))[0]
