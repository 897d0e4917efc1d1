"""Results that TMA stores: mistakes are noticed, and threads write to different banks."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from emulator import EmulatorError, Options, TensorMap, launch, unit
from gpu_kernels.tile_product import TileProduct
from test_emulator_mutants import line_of, mutation

from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline

EARLY = (0.0, 0.1, 0.5)
Change = Callable[[ir.Module], ir.Module]
PROGRAMS = {
    # Two groups of warps. The tile of bf16, two panels, is stored in the operands' buffer; that of
    # f32, four panels, in a separate buffer.
    "bf16": TileProduct(stages=2, size=128, result="bf16"),
    "f32": TileProduct(stages=2, size=128),
}
DTYPES = {"bf16": ml_dtypes.bfloat16, "f32": np.float32}
MISTAKES = {
    "no proxy fence before the store": mutation(line_of("nvvm.fence.proxy"), "", -1),
    "store before others have written": mutation(line_of("nvvm.barrier id"), "", -1),
    "tile written over operands in use": mutation(line_of("nvvm.barrier id"), "", 0),
    "end before the store has read": mutation(line_of("nvvm.cp.async.bulk.wait_group"), ""),
    "no commit of the store": mutation(line_of("nvvm.cp.async.bulk.commit.group"), ""),
    "all threads store": mutation(
        r"scf\.if %[\w-]+ (\{\s+nvvm\.cp\.async\.bulk\.tensor\.global)",
        r"%every = arith.constant true\n scf.if %every \1",
    ),
}


def lower(program: TileProduct) -> ir.Module:
    module = ir.Module.parse(program.text())
    run_pipeline("builtin.module(tloop-set-target{target=cuda:sm_90a}, accel-to-threads)", module)
    return module


def error_of(name: str, options: Options, change: Change | None = None) -> float:
    """The largest error, relative to the largest result."""
    program, random = PROGRAMS[name], np.random.default_rng(options.seed)
    a, b = (random.standard_normal((program.size,) * 2).astype(ml_dtypes.bfloat16) for _ in range(2))
    c = np.zeros((program.size,) * 2, DTYPES[name])
    maps = [TensorMap(array, (64, rows)) for array, rows in ((a, program.rows), (b, program.depth))]
    maps.append(TensorMap(c, (128 // c.itemsize, program.rows)))
    with create_context(), ir.Location.unknown():
        module = lower(program)
        shared = _shared_bytes(module)
        module = module if change is None else change(module)
        launch(module, a, b, c, *maps, grid=(1, 1), shared_bytes=shared, options=options)
    exact = a.astype(np.float32) @ b.astype(np.float32)
    return float(np.abs(c.astype(np.float32) - exact).max() / np.abs(exact).max())


def _shared_bytes(module: ir.Module) -> int:
    kernels = module.body.operations[0].regions[0].blocks[0].operations
    return int(kernels[1].attributes["accel.shared_bytes"].value)


@pytest.mark.parametrize("name", PROGRAMS)
def test_right_program(name: str) -> None:
    assert error_of(name, Options(seed=1, races=True)) < (2.0**-8 if name == "bf16" else 1e-5)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_noticed(mistake: str) -> None:
    assert any(_is_noticed(MISTAKES[mistake], seed) for seed in range(len(EARLY)))


def _is_noticed(change: Change, seed: int) -> bool:
    options = Options(seed, early=EARLY[seed], races=True, max_steps=200_000)
    try:
        return not error_of("bf16", options, change) < 1e-2
    except EmulatorError:
        return True


# How many bytes each thread stores at a time -> how many threads' stores are done together.
TOGETHER = {4: 32, 8: 16, 16: 8}
BANKS, BANK_BYTES = 32, 4


@pytest.mark.parametrize("name", PROGRAMS)
def test_stores_to_shared_memory_meet_in_no_bank(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    conflicts, stores = [], unit.Unit.store

    def store(self: unit.Unit, space: int, addresses: np.ndarray, data: np.ndarray, alignment: int) -> None:
        if space == unit.SHARED_SPACE:
            conflicts.append(_most_in_a_bank(self.active(addresses), data.shape[1]))
        stores(self, space, addresses, data, alignment)

    monkeypatch.setattr(unit.Unit, "store", store)
    error_of(name, Options(seed=1))
    assert conflicts and set(conflicts) == {1}


def _most_in_a_bank(addresses: np.ndarray, size: int) -> int:
    """The most words of different rows of banks that are written together to one bank."""
    most = 0
    for first in range(0, len(addresses), TOGETHER[size]):
        starts = addresses[first : first + TOGETHER[size]].astype(np.int64)
        words = np.unique((starts[:, None] + np.arange(0, size, BANK_BYTES)) // BANK_BYTES)
        most = max(most, int(np.bincount(words % BANKS).max()))
    return most
