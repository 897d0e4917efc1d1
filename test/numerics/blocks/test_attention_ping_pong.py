"""Groups of warps with roles in attention for sm_90a, two of which ping-pong: right results, and mistakes
that the emulator notices."""

from __future__ import annotations

import accel_gpu
import numpy as np
import pytest
from emulator import Deadlock, EmulatorError
from test_accel_attention import Case, check, inputs_of, program
from test_emulator_mutants import DONE, TRY_WAIT, Change, line_of, mutation

from mlc.passes.accel.attention import sizes

AWAIT, PASS = line_of("nvvm.barrier id"), line_of("nvvm.barrier.arrive")
# Of a kernel with an exchange before the loops, one in each of two loops, and one after them: the first
# is not awaited by the first group, nor is the last signalled by the last.
DEADLOCKS = {
    "first exchange not signalled": mutation(PASS, "", 0),
    "exchange not signalled": mutation(PASS, "", 1),
    "exchange on the diagonal not signalled": mutation(PASS, "", 2),
    "last exchange not signalled": mutation(PASS, "", 3),
    "exchange not awaited": mutation(AWAIT, "", 1),
    "the first group waits for its first exchange": mutation(
        r"scf\.if %[\w-]+ (\{\s+%[\w-]+ = arith\.addi .*\s+nvvm\.barrier id)",
        r"%every = arith.constant true\n scf.if %every \1",
    ),
}
LAST_GROUP_PASSES = mutation(
    r"scf\.if %[\w-]+ (\{\s+%[\w-]+ = arith\.addi .*\s+nvvm\.barrier\.arrive)",
    r"%every = arith.constant true\n scf.if %every \1",
)


CAUSAL = Case(128, 384, 64, 64, "bf16", causal=True)


@pytest.fixture(autouse=True)
def two_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """128 queries in a block, as where there are many heads."""
    monkeypatch.setattr(sizes, "BUSY_THREAD_BLOCKS", 1)


# Keys of one block have no loop, those of two no masked block after it.
@pytest.mark.parametrize("keys", [100, pytest.param(200, marks=pytest.mark.slow), 300])
def test_results(keys: int) -> None:
    check(Case(100, keys, 64, 64, "bf16"), "sm_90a", "cuda:sm_90a")


@pytest.mark.slow
@pytest.mark.parametrize("queries", [200, 300])
def test_results_of_clusters(queries: int) -> None:
    """Two tiles of queries, for which two blocks copy keys and values, or three."""
    check(Case(queries, 600, 128, 128, "bf16", heads=2, groups=1), "sm_90a", "cuda:sm_90a")


@pytest.mark.slow
@pytest.mark.parametrize("queries", [100, 300])
@pytest.mark.parametrize("keys", [100, 200, 400])
@pytest.mark.parametrize("width", [64, 128])
def test_causal_results(queries: int, keys: int, width: int) -> None:
    """Blocks with no, one and several exchanges in each of the loops."""
    case = Case(queries, keys, width, width, "bf16", heads=2, groups=1, causal=True)
    check(case, "sm_90a", "cuda:sm_90a")


def run(change: Change, case: Case = CAUSAL) -> None:
    found = np.zeros(case.shapes()["r"], inputs_of(case)["q"].dtype)
    accel_gpu.run(
        program(case, "cuda:sm_90a"), *inputs_of(case).values(), found, arch="sm_90a", change=change
    )


@pytest.mark.parametrize("mistake", DEADLOCKS)
def test_a_missing_signal_is_a_deadlock(mistake: str) -> None:
    with pytest.raises(Deadlock, match="all warps wait"):
        run(DEADLOCKS[mistake])


def test_a_signal_after_the_last_exchange() -> None:
    with pytest.raises(EmulatorError, match="threads left at barrier"):
        run(LAST_GROUP_PASSES)


# Of a kernel without a mask, whose first wait is for the queries.
ARRIVE = line_of("nvvm.mbarrier.arrive %")
OF_RINGS = {
    "keys before the loop not waited for": mutation(TRY_WAIT, DONE, 1),
    "keys not waited for": mutation(TRY_WAIT, DONE, 2),
    "values not waited for": mutation(TRY_WAIT, DONE, 3),
    "last values not waited for": mutation(TRY_WAIT, DONE, 4),
    "keys loaded over keys in use": mutation(TRY_WAIT, DONE, 5),
    "values loaded over values in use": mutation(TRY_WAIT, DONE, 6),
    "keys never given back": mutation(ARRIVE, "", 1),
    "values never given back": mutation(ARRIVE, "", 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", OF_RINGS)
def test_rings_of_keys_and_of_values(mistake: str) -> None:
    """Three stages, of which the first two are filled again."""
    with pytest.raises(EmulatorError):
        run(OF_RINGS[mistake], Case(128, 640, 128, 128, "bf16"))
