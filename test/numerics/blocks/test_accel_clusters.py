"""Products whose blocks are in clusters, and copy for each other: on the CPU, and as threads in the emulator.

Tolerances are those of test_accel.
"""

from __future__ import annotations

import accel_gpu
import accel_products
import accel_programs
import numpy as np
import pytest
from accel_products import Product
from emulator import EmulatorError, RaceFound
from test_accel import SUM_ERROR, Run, check_product, random_values
from thread_changes import Change, replace_match

from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline

RUNS = {"cpu": accel_programs.run, "sm_90a": accel_gpu.RUNS["sm_90a"]}


def small(m: int, n: int, k: int, cluster: tuple[int, int], element: str = "bf16", **more: object) -> Product:
    return Product(m, n, k, element, cluster=cluster, **{"tile": (64, 64), "step": 64, **more})


# A product, and how many of its two copies are multicast.
BOTH = small(128, 128, 192, (2, 2))
CLUSTERS = {
    "along rows": (small(128, 64, 192, (2, 1)), 1),
    "along both": (BOTH, 2),
}
SLOW_CLUSTERS = {
    "along columns": (small(64, 128, 192, (1, 2), "f16", stages=3), 1),
    "of four": (small(256, 64, 192, (4, 1), transpose_b=True), 1),
    "of eight": (small(256, 128, 256, (4, 2), tile=(64, 64), transpose_a=True), 2),
    "with tails": (small(200, 120, 136, (2, 2), bias=True), 2),
    "of a batch": (small(128, 128, 128, (2, 2), batch=2), 2),
    "of two groups of warps": (small(256, 256, 192, (2, 1), tile=(128, 128), warps=8, stages=3), 1),
    "tf32": (small(128, 128, 92, (2, 2), "f32", precision="tf32", transpose_b=True, step=32), 2),
    "int8": (small(128, 128, 256, (2, 2), "i8", sums="i32", transpose_b=True, step=128), 2),
}


def multicast(product: Product) -> int:
    """Returns the number of multicast copies."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(accel_products.text(product))
        run_pipeline("builtin.module(tloop-set-target{target=cuda:sm_90a}, accel-multicast-copies)", module)
        return str(module).count("multicast = ")


def check(run: Run, product: Product, copies: int) -> None:
    assert multicast(product) == copies
    check_product(run, product, 0 if product.sums == "i32" else SUM_ERROR)


@pytest.mark.parametrize("where", RUNS)
@pytest.mark.parametrize("name", CLUSTERS)
def test_clusters(name: str, where: str) -> None:
    check(RUNS[where], *CLUSTERS[name])


@pytest.mark.slow
@pytest.mark.parametrize("where", RUNS)
@pytest.mark.parametrize("name", SLOW_CLUSTERS)
def test_other_clusters(name: str, where: str) -> None:
    check(RUNS[where], *SLOW_CLUSTERS[name])


WAIT, ARRIVE = r"^ *nvvm\.cluster\.wait.*$", r"^ *nvvm\.cluster\.arrive.*$"
TRY_WAIT, DONE = r"(%\w+) = nvvm\.mbarrier\.try_wait .*", r"\1 = arith.constant true"
# 3 blocks of 4 warps each say that a buffer is empty.
ARRIVALS = r"constant 12 : i32"
RACES = {
    "a block ends before others are done with it": replace_match(WAIT, "", -1),
    "buffers read before they are full": replace_match(TRY_WAIT, DONE, 0),
    "buffers given back with products in flight": replace_match(
        r"group\.sync\.aligned 1$", "group.sync.aligned 2", 0
    ),
    "buffers filled when some blocks have read them": replace_match(ARRIVALS, "constant 8 : i32", 0),
}
OTHERS = {
    "buffers filled before they are empty": replace_match(TRY_WAIT, DONE, 1),
    "barriers of other blocks used before they are made": replace_match(WAIT, "nvvm.barrier", 0),
    "barriers used before they are made": replace_match(WAIT, "", 0),
    "no arrival of some blocks": replace_match(ARRIVALS, "constant 16 : i32", 0),
    "a copy for this block alone": replace_match(r" multicast_mask = %\w+", "", 0),
    "all arrive at the same block": replace_match(r"(nvvm\.mapa %[\w-]+), %[\w-]+", r"\1, %c0_i32", 0),
}


def run_changed(change: Change, seed: int) -> np.ndarray:
    """The result of a product of a cluster of four blocks, with tiles that change."""
    a, b = random_values(BOTH.shape_a(), "bf16", 0), random_values(BOTH.shape_b(), "bf16", 1)
    found = np.zeros(BOTH.shape_c(), np.float32)
    accel_gpu.run(accel_products.text(BOTH), a, b, found, arch="sm_90a", seed=seed, change=change)
    return found


@pytest.mark.parametrize("name", RACES)
def test_races_are_found(name: str) -> None:
    with pytest.raises(RaceFound):
        run_changed(RACES[name], 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", (1, 2))
@pytest.mark.parametrize("name", RACES)
def test_races_are_found_in_any_order(name: str, seed: int) -> None:
    with pytest.raises(RaceFound):
        run_changed(RACES[name], seed)


@pytest.mark.parametrize("name", OTHERS)
def test_other_mistakes_are_found(name: str) -> None:
    with pytest.raises(EmulatorError):
        run_changed(OTHERS[name], 0)
