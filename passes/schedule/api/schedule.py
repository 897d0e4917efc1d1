"""`mlc.Schedule`: schedules a kernel from Python, step by step, and records the steps."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects.tloop import BlockType, LoopType, ValueType
from mlc.passes.schedule.api.handles import Block, Loop, Number, Size, sizes_of
from mlc.passes.schedule.api.recorder import StepRecorder


class Schedule(StepRecorder):
    """The schedule of one kernel.

    Each method is a primitive of `tloop` (docs/schedules.md): it is applied to a copy of the kernel at once,
    and recorded. A step that does not apply raises ScheduleError and changes nothing. `str(schedule)` is the
    schedule as IR, `kernel` the kernel as it is now.

    `module` is IR that holds the kernel, as text or as a module; `kernel` names the kernel where there are
    several. `seed` decides what the `sample_` methods choose; the decisions are part of the schedule.
    """

    def get_block(self, name: str) -> Block:
        return self._block("get_block", [], block_name=name)

    def get_loops(self, block: Block) -> tuple[Loop, ...]:
        """The loops around the block, outermost first."""
        from mlc.passes.schedule.common.loops import enclosing_loops

        with self._context:
            count = len(enclosing_loops(self._state.targets(block.value)[0]))
        return self._loops("get_loops", [block], count)

    def tile(self, block: Block, sizes: Sequence[Size], mode: str = "sequential") -> tuple[Block, Loop]:
        numbers, values = sizes_of(sizes)
        op = self._apply("tile", [block, *values], [BlockType, LoopType], sizes=numbers, mode=mode)
        return Block(op.results[0]), Loop(op.results[1])

    def interchange(self, block: Block, permutation: Sequence[int]) -> Block:
        return self._block("interchange", [block], permutation=list(permutation))

    def peel(self, loop: Loop) -> None:
        self._apply("peel", [loop])

    def shift_inwards(self, loop: Loop) -> None:
        self._apply("shift_inwards", [loop])

    def balance(self, loop: Loop) -> None:
        self._apply("balance", [loop])

    def stream_keys(self, loop: Loop, queries: int, keys: int) -> None:
        self._apply("stream_keys", [loop], queries=queries, keys=keys)

    def split(self, loop: Loop, factors: Sequence[Size], tail: str = "guard") -> tuple[Loop, ...]:
        numbers, values = sizes_of(factors)
        return self._loops("split", [loop, *values], len(factors), factors=numbers, tail=tail)

    def fuse(self, *loops: Loop) -> Loop:
        return self._loops("fuse", loops, 1)[0]

    def reorder(self, *loops: Loop) -> None:
        self._apply("reorder", loops)

    def parallel(self, loop: Loop) -> None:
        self._apply("parallel", [loop])

    def bind(self, loop: Loop, axis: str) -> None:
        self._apply("bind", [loop], axis=axis)

    def vectorize(self, *targets: Block | Loop) -> None:
        self._apply("vectorize", targets)

    def unroll(self, loop: Loop, factor: int = 0) -> None:
        self._apply("unroll", [loop], factor=factor)

    def annotate(self, target: Block | Loop, key: str, value: int | str | bool = True) -> None:
        """True becomes a unit attribute."""
        self._apply("annotate", [target], key=key, value=value)

    def compute_at(self, block: Block, loop: Loop, rolling: bool = False) -> Block:
        return self._block("compute_at", [block, loop], **({"rolling": True} if rolling else {}))

    def reverse_compute_at(self, block: Block, loop: Loop) -> Block:
        return self._block("reverse_compute_at", [block, loop])

    def compute_inline(self, block: Block) -> None:
        self._apply("compute_inline", [block])

    def decompose_reduction(self, block: Block, loop: Loop) -> Block:
        return self._block("decompose_reduction", [block, loop])

    def cache_read(self, block: Block, loop: Loop, operand: int, name: str) -> Block:
        return self._block("cache_read", [block, loop], operand=operand, block_name=name)

    def cache_write(self, block: Block, loop: Loop, name: str) -> Block:
        return self._block("cache_write", [block, loop], block_name=name)

    def prefetch(self, block: Block, loop: Loop, operand: int, distance: int) -> None:
        self._apply("prefetch", [block, loop], operand=operand, distance=distance)

    def pack(self, block: Block, sizes: Sequence[int]) -> Block:
        return self._block("pack", [block], sizes=list(sizes))

    def rfactor(self, block: Block, factor: int) -> tuple[Block, Block]:
        """The partial results and their combination."""
        op = self._apply("rfactor", [block], [BlockType, BlockType], factor=factor)
        return Block(op.results[0]), Block(op.results[1])

    def tensorize(self, block: Block, intrinsic: str) -> None:
        with self._context:
            symbol = ir.FlatSymbolRefAttr.get(intrinsic)
        self._apply("tensorize", [block], intrinsic=symbol)

    def sample_perfect_tile(
        self, target: Block | Loop, count: int, dim: int = 0, largest: int = 64
    ) -> tuple[Number, ...]:
        op = self._apply("sample_perfect_tile", [target], [ValueType] * count, dim=dim, largest=largest)
        return self._numbers(op)

    def sample_categorical(
        self, candidates: Sequence[int], probabilities: Sequence[float] | None = None
    ) -> Number:
        """Without probabilities all are equally likely."""
        chances = probabilities or [1 / len(candidates)] * len(candidates)
        with self._context:
            array = ir.DenseF64ArrayAttr.get(list(chances))
        attributes = {"candidates": list(candidates), "probabilities": array}
        return self._numbers(self._apply("sample_categorical", [], [ValueType], **attributes))[0]
