"""`mlc.Schedule`: schedules a kernel from Python, step by step, and records the steps.

What a schedule from Python does with a step: it is applied to the kernel, and recorded.
"""

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
    """A kernel with the steps so far applied, and these steps. Steps raise ScheduleError and then change
    nothing."""

    def __init__(self, module: str | ir.Module, kernel: str = "", seed: int = 0) -> None:
        self._context = create_context()
        with self._context, ir.Location.unknown():
            self._module = parse_module(str(module), self._context)
            found = _kernel(self._module, kernel)
            self._state = ScheduleState(found, Random(seed))
            self._builder = ScheduleBuilder(found)

    @property
    def kernel(self) -> str:
        """The kernel with all steps so far applied."""
        return str(self._state.kernel.get_asm(use_local_scope=True, assume_verified=True))

    def __str__(self) -> str:
        """The schedule as a `tloop.schedule`, sampled values as decisions."""
        return str(self._builder.schedule.operation.get_asm(use_local_scope=True, assume_verified=True))

    def replay(self, schedule: str) -> None:
        """Applies and records the steps of a `tloop.schedule` (text) for a kernel of any name.

        Decisions stay; where there are none, they are made. Raises ScheduleError.
        """
        with self._context, ir.Location.unknown():
            module = parse_module(schedule, self._context)
            ops = [op.operation for op in module.body.operations]
            found = [op for op in ops if op.name == tloop.Schedule.NAME]
            if len(found) != 1:
                raise ScheduleError(f"expected one tloop.schedule, but there are {len(found)}")
            values: dict[ir.Value, ir.Value] = {}
            for each in found[0].regions[0].blocks[0].operations:
                step = each.operation
                operands = [values[operand] for operand in step.operands]
                attributes = dict(step.attributes.items())
                made = self._step(step.name, operands, [r.type for r in step.results], attributes)
                values.update(zip(step.results, made.results, strict=True))

    def _numbers(self, op: ir.Operation) -> tuple[SampledInteger, ...]:
        return tuple(SampledInteger(result, self._state.sampled[result]) for result in op.results)

    def _block(
        self, primitive: str, operands: Sequence[BlockHandle | LoopHandle], **attributes: object
    ) -> BlockHandle:
        return BlockHandle(self._apply(primitive, operands, [BlockType], **attributes).results[0])

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
        """Records the step and applies it, or neither of both."""
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
    """The function called `name`, or the only kernel, or the only function."""
    functions = [op.operation for op in module.body.operations if func.Func.isa(op)]
    names = {function.attributes["sym_name"].value: function for function in functions}
    if name and name not in names:
        raise ScheduleError(f"there is no kernel @{name}; there are: {', '.join(names) or 'none'}")
    if name:
        return names[name]
    kernels = [function for function in functions if is_kernel(function)] or functions
    if len(kernels) != 1:
        raise ScheduleError(f"there are {len(kernels)} kernels; name one of: {', '.join(names) or 'none'}")
    return kernels[0]


def _first_line(error: Exception) -> str:
    """What is wrong, without the IR that MLIR adds."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    marked = [line.partition("error: ")[2] for line in lines if "error: " in line]
    return (marked or lines or [type(error).__name__])[0]


class Schedule(StepRecorder):
    """The schedule of one kernel.

    Each method is a primitive of `tloop` (docs/schedules.md): it is applied to a copy of the kernel at once,
    and recorded. A step that does not apply raises ScheduleError and changes nothing. `str(schedule)` is the
    schedule as IR, `kernel` the kernel as it is now.

    `module` is IR that holds the kernel, as text or as a module; `kernel` names the kernel where there are
    several. `seed` decides what the `sample_` methods choose; the decisions are part of the schedule.
    """

    def get_block(self, name: str) -> BlockHandle:
        return self._block("get_block", [], block_name=name)

    def get_loops(self, block: BlockHandle) -> tuple[LoopHandle, ...]:
        """The loops around the block, outermost first."""
        from mlc.passes.schedule.common.loops import enclosing_loops

        with self._context:
            count = len(enclosing_loops(self._state.targets(block.value)[0]))
        return self._loops("get_loops", [block], count)

    def tile(
        self, block: BlockHandle, sizes: Sequence[Size], mode: str = "sequential"
    ) -> tuple[BlockHandle, LoopHandle]:
        numbers, values = sizes_of(sizes)
        op = self._apply("tile", [block, *values], [BlockType, LoopType], sizes=numbers, mode=mode)
        return BlockHandle(op.results[0]), LoopHandle(op.results[1])

    def interchange(self, block: BlockHandle, permutation: Sequence[int]) -> BlockHandle:
        return self._block("interchange", [block], permutation=list(permutation))

    def peel(self, loop: LoopHandle) -> None:
        self._apply("peel", [loop])

    def shift_inwards(self, loop: LoopHandle) -> None:
        self._apply("shift_inwards", [loop])

    def balance(self, loop: LoopHandle) -> None:
        self._apply("balance", [loop])

    def stream_keys(self, loop: LoopHandle, queries: int, keys: int) -> None:
        self._apply("stream_keys", [loop], queries=queries, keys=keys)

    def split(self, loop: LoopHandle, factors: Sequence[Size], tail: str = "guard") -> tuple[LoopHandle, ...]:
        numbers, values = sizes_of(factors)
        return self._loops("split", [loop, *values], len(factors), factors=numbers, tail=tail)

    def fuse(self, *loops: LoopHandle) -> LoopHandle:
        return self._loops("fuse", loops, 1)[0]

    def reorder(self, *loops: LoopHandle) -> None:
        self._apply("reorder", loops)

    def parallel(self, loop: LoopHandle) -> None:
        self._apply("parallel", [loop])

    def bind(self, loop: LoopHandle, axis: str) -> None:
        self._apply("bind", [loop], axis=axis)

    def vectorize(self, *targets: BlockHandle | LoopHandle) -> None:
        self._apply("vectorize", targets)

    def unroll(self, loop: LoopHandle, factor: int = 0) -> None:
        self._apply("unroll", [loop], factor=factor)

    def annotate(self, target: BlockHandle | LoopHandle, key: str, value: int | str | bool = True) -> None:
        """True becomes a unit attribute."""
        self._apply("annotate", [target], key=key, value=value)

    def compute_at(self, block: BlockHandle, loop: LoopHandle, rolling: bool = False) -> BlockHandle:
        return self._block("compute_at", [block, loop], **({"rolling": True} if rolling else {}))

    def reverse_compute_at(self, block: BlockHandle, loop: LoopHandle) -> BlockHandle:
        return self._block("reverse_compute_at", [block, loop])

    def compute_inline(self, block: BlockHandle) -> None:
        self._apply("compute_inline", [block])

    def decompose_reduction(self, block: BlockHandle, loop: LoopHandle) -> BlockHandle:
        return self._block("decompose_reduction", [block, loop])

    def cache_read(self, block: BlockHandle, loop: LoopHandle, operand: int, name: str) -> BlockHandle:
        return self._block("cache_read", [block, loop], operand=operand, block_name=name)

    def cache_write(self, block: BlockHandle, loop: LoopHandle, name: str) -> BlockHandle:
        return self._block("cache_write", [block, loop], block_name=name)

    def prefetch(self, block: BlockHandle, loop: LoopHandle, operand: int, distance: int) -> None:
        self._apply("prefetch", [block, loop], operand=operand, distance=distance)

    def pack(self, block: BlockHandle, sizes: Sequence[int]) -> BlockHandle:
        return self._block("pack", [block], sizes=list(sizes))

    def rfactor(self, block: BlockHandle, factor: int) -> tuple[BlockHandle, BlockHandle]:
        """The partial results and their combination."""
        op = self._apply("rfactor", [block], [BlockType, BlockType], factor=factor)
        return BlockHandle(op.results[0]), BlockHandle(op.results[1])

    def tensorize(self, block: BlockHandle, intrinsic: str) -> None:
        with self._context:
            symbol = ir.FlatSymbolRefAttr.get(intrinsic)
        self._apply("tensorize", [block], intrinsic=symbol)

    def sample_perfect_tile(
        self, target: BlockHandle | LoopHandle, count: int, dim: int = 0, largest: int = 64
    ) -> tuple[SampledInteger, ...]:
        op = self._apply("sample_perfect_tile", [target], [ValueType] * count, dim=dim, largest=largest)
        return self._numbers(op)

    def sample_categorical(
        self, candidates: Sequence[int], probabilities: Sequence[float] | None = None
    ) -> SampledInteger:
        """Without probabilities all are equally likely."""
        chances = probabilities or [1 / len(candidates)] * len(candidates)
        with self._context:
            array = ir.DenseF64ArrayAttr.get(list(chances))
        attributes = {"candidates": list(candidates), "probabilities": array}
        return self._numbers(self._apply("sample_categorical", [], [ValueType], **attributes))[0]
