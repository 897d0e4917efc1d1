"""Kernels with a mistake: the emulator must notice it by an error, a deadlock or a wrong result."""

import re
from collections.abc import Callable

import pytest
from emulator import EmulatorError, Options
from gpu_kernels.attention import Attention
from gpu_kernels.gemm import Gemm
from gpu_kernels.mma_sync import MmaSync
from kernel_runs import Change, as_built, attention_error, gemm_error, mma_sync_error

from mlc.bindings import ir

Run = Callable[[Options, Change], float]
EARLY = (0.0, 0.1, 0.5)
CONSTANTS = "%none = arith.constant 0 : i32\n%half = arith.constant 64 : i32\n"


def mutation(pattern: str, replacement: str, index: int = 0) -> Change:
    """Returns a change that replaces match `index` (negative: from the end) of `pattern` in the text, to
    which the constants %none, zero, and %half, 64, are added."""

    def change(module: ir.Module) -> ir.Module:
        text = str(module)
        match = list(re.finditer(pattern, text, re.MULTILINE))[index]
        text = text[: match.start()] + match.expand(replacement) + text[match.end() :]
        first = re.search(r"^ *%\w+ = ", text, re.MULTILINE)
        assert first is not None
        return ir.Module.parse(text[: first.start()] + CONSTANTS + text[first.start() :])

    return change


def line_of(op: str) -> str:
    """The lines with `op`, which has no results."""
    return rf"^ *{re.escape(op)}\b.*$"


TRY_WAIT = r"(%\d+) = nvvm\.mbarrier\.try_wait .*"
DONE = r"\1 = arith.constant true"
FENCE_PROXY, NAMED_BARRIER = line_of("nvvm.fence.proxy"), line_of("nvvm.barrier id")
ARRIVE, WGMMA_FENCE = line_of("nvvm.mbarrier.arrive"), line_of("nvvm.wgmma.fence.aligned")
ELECT = r"(%\d+) = nvvm\.elect\.sync -> i1"
BUTTERFLY = r"(nvvm\.shfl\.sync +bfly %[\w-]+, %[\w-]+,) %[\w-]+,"
# Of operands along k: 1024 bytes from 8 rows to the next, a 128-byte swizzle.
STRIDE = 4611686293305360384
NARROW = STRIDE + (1 << 62) - (1 << 64)
PRODUCTS_PENDING = r"wgmma\.wait_group\.sync\.aligned 0"
TWO_PENDING = "wgmma.wait_group.sync.aligned 2"
XOR, LEFT_OPERAND = r"arith\.xori (%[\w-]+), (%[\w-]+) : i32", r"arith.addi \1, %none : i32"

GEMM = {
    "producer does not wait for an empty buffer": mutation(TRY_WAIT, DONE, 0),
    "first buffer not waited for": mutation(TRY_WAIT, DONE, 1),
    "later buffers not waited for": mutation(TRY_WAIT, DONE, 2),
    "buffer released with its products in flight": mutation(r"aligned 1$", "aligned 2"),
    "no wait for products in the loop": mutation(line_of("nvvm.wgmma.wait.group.sync.aligned"), ""),
    "results used with products in flight": mutation(PRODUCTS_PENDING, TWO_PENDING),
    "no release in the loop": mutation(ARRIVE, "", 1),
    "no release at the end of a tile": mutation(ARRIVE, "", 2),
    "release twice": mutation(r"^( *nvvm\.mbarrier\.arrive %.*)$", r"\1\n\1"),
    "too few bytes announced": mutation(r"constant 24576 : i32", "constant 16384 : i32"),
    "too many bytes announced": mutation(r"constant 24576 : i32", "constant 32768 : i32"),
    "all lanes load": mutation(ELECT, DONE),
    "barriers used before their init": mutation(line_of("nvvm.barrier"), ""),
    "barriers not fenced after their init": mutation(line_of("nvvm.fence.mbarrier.init"), ""),
    "no fence before products": mutation(WGMMA_FENCE, "", 1),
    "no commit of products": mutation(line_of("nvvm.wgmma.commit.group.sync.aligned"), "", 1),
    "staging reused without a wait": mutation(line_of("nvvm.cp.async.bulk.wait_group"), ""),
    "staging reused without a barrier": mutation(NAMED_BARRIER, "", 0),
    "store without a barrier": mutation(NAMED_BARRIER, "", 1),
    "store without a proxy fence": mutation(FENCE_PROXY, ""),
    "end with stores in flight": mutation(line_of("nvvm.cp.async.bulk.wait_group"), "", 1),
    "wrong number of threads": mutation(r"(id = %[\w-]+ number_of_threads = )%[\w-]+", r"\1%half"),
    "operand by the wrong stride": mutation(f"constant {STRIDE} :", f"constant {STRIDE - (32 << 32)} :"),
    "operand by the wrong swizzle": mutation(f"constant {STRIDE} :", f"constant {NARROW} :"),
    "stores without a swizzle": mutation(XOR, LEFT_OPERAND, 3),
}
ATTENTION = {
    "keys loaded over keys in use": mutation(TRY_WAIT, DONE, 1),
    "values loaded over values in use": mutation(TRY_WAIT, DONE, 2),
    "queries not waited for": mutation(TRY_WAIT, DONE, 4),
    "keys not waited for": mutation(TRY_WAIT, DONE, 6),
    "values not waited for": mutation(TRY_WAIT, DONE, 7),
    "scores used while they are computed": mutation(r"wgmma\.wait_group\.sync\.aligned 1", TWO_PENDING),
    "output scaled while it is computed": mutation(PRODUCTS_PENDING, TWO_PENDING, 1),
    "keys never released": mutation(ARRIVE, "", 6),
    "rows reduced over half of their lanes": mutation(BUTTERFLY, r"\1 %none,", 1),
    "output stored without a proxy fence": mutation(FENCE_PROXY, ""),
    "output stored over queries in use": mutation(NAMED_BARRIER, "", 0),
    "output stored before all have written": mutation(NAMED_BARRIER, "", 1),
}
MMA_SYNC = {
    "one copy too many in flight": mutation(r"wait\.group 1", "wait.group 2"),
    "no barrier": mutation(line_of("nvvm.barrier"), ""),
    "no wait for copies": mutation(line_of("nvvm.cp.async.wait.group"), ""),
    "no commit of copies": mutation(line_of("nvvm.cp.async.commit.group"), "", -1),
    "operand not transposed": mutation("mma_layout<col>, num", "mma_layout<row>, num"),
    "chunk at the wrong offset": mutation(XOR, LEFT_OPERAND, 0),
}


def is_caught(run: Run, change: Change, tolerance: float) -> bool:
    """Whether some schedule shows the mistake."""
    for seed, early in enumerate(EARLY):
        try:
            if not run(Options(seed, early=early, races=True, max_steps=200_000), change) < tolerance:
                return True
        except EmulatorError:
            return True
    return False


def run_gemm(options: Options, change: Change) -> float:
    return gemm_error(Gemm(columns=64, stages=2), (128, 192, 320), 1, options, change)


def run_attention(options: Options, change: Change) -> float:
    return attention_error(Attention(width=64), (1, 1, 128, 512), options, change)


def run_mma_sync(options: Options, change: Change) -> float:
    return mma_sync_error(MmaSync(rows=32, columns=64, stages=3), (32, 64, 256), options, change)


RUNS = [(run_gemm, 1e-2, GEMM), (run_attention, 2e-2, ATTENTION), (run_mma_sync, 1e-5, MMA_SYNC)]


@pytest.mark.parametrize(("run", "tolerance", "_"), RUNS)
@pytest.mark.parametrize("seed", range(len(EARLY)))
def test_unchanged_kernel_passes(run: Run, tolerance: float, _: object, seed: int) -> None:
    assert run(Options(seed, early=EARLY[seed], races=True), as_built) < tolerance


@pytest.mark.parametrize(
    ("run", "tolerance", "change"),
    [(run, tolerance, change) for run, tolerance, changes in RUNS for change in changes.values()],
    ids=[name for *_, changes in RUNS for name in changes],
)
def test_mistake_is_caught(run: Run, tolerance: float, change: Change) -> None:
    assert is_caught(run, change, tolerance)
