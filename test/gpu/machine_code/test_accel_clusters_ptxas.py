"""Programs of thread blocks in clusters as PTX for sm_90a: multicast copies, arrivals at other blocks."""

from __future__ import annotations

import sys
from pathlib import Path

import assembled
import pytest
from gpu_kernels.tile_product import TileProduct

from mlc.codegen.host_target import host_target

sys.path.insert(0, str(Path(__file__).parents[2] / "numerics" / "blocks"))

from tile_convolutions import Conv
from tile_products import Product

ARCH = "sm_90a"
# Name -> (program, copies for this block alone, copies for several)
PRODUCTS = {
    # One of two panels of the right operand.
    "along rows": (TileProduct(cluster=(2, 1), stages=4), 1, 1),
    # Half of the left operand, and both panels of the right one.
    "along columns": (TileProduct(cluster=(1, 2), stages=4), 2, 1),
    "along both": (TileProduct(cluster=(2, 2), stages=4), 0, 2),
    # Of 2 panels none for each of 4: a quarter of the rows of each.
    "of four": (TileProduct(cluster=(4, 1), stages=4), 1, 2),
    "of large tiles": (TileProduct(columns=256, cluster=(2, 1), stages=4), 1, 2),
}
COPY = "cp.async.bulk.tensor.2d.shared::cluster.global"


def ptx_of(name: str) -> bytes:
    return assembled.ptx_of(PRODUCTS[name][0].text(), ARCH, assembled.threads(ARCH))


@pytest.mark.parametrize("name", PRODUCTS)
def test_ptx_has_the_instructions(name: str) -> None:
    program, alone, several = PRODUCTS[name]
    ptx = ptx_of(name).decode()
    x, y = program.cluster
    assert f".reqnctapercluster {x}, {y}, 1" in ptx and ".explicitcluster" in ptx
    copies = [line for line in ptx.splitlines() if COPY in line]
    multicast = [line for line in copies if ".multicast::cluster" in line]
    assert (len(copies) - len(multicast), len(multicast)) == (alone, several)
    assert "mapa.shared::cluster" in ptx or "mapa.u32" in ptx or "mapa.shared" in ptx
    assert ptx.count("mbarrier.arrive.shared::cluster") == ptx.count("mapa")
    # At the begin and at the end.
    assert ptx.count("barrier.cluster.arrive") == ptx.count("barrier.cluster.wait") == 2


@pytest.mark.parametrize("name", PRODUCTS)
def test_ptxas_has_no_warnings(name: str) -> None:
    assembled.check_with_ptxas(ptx_of(name), ARCH)


@pytest.mark.slow
def test_arrivals_wait_for_no_memory() -> None:
    """Barriers for the memory of the whole GPU occur only where clusters synchronise, at begin and end."""
    assert assembled.listing(ptx_of("along both"), ARCH).count("MEMBAR.ALL.GPU") == 2


# Name -> (kernel, copies for several blocks: of half of the panels of a tile's columns)
KERNELS = {
    "a large product": (Product([4096, 1024], [1024, 4096], "bf16", epilogue="bias"), 2),
    "a batch": (Product([16, 1024, 1024], [16, 1024, 1024], "f16"), 2),
    "a convolution": (Conv((112, 112), 128, 128, pads=(1, 1, 1, 1), element="bf16", bias=True), 1),
    "a convolution with strides": (Conv((114, 114), 128, 512, strides=(2, 2), element="f16"), 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_large_kernels_are_in_clusters(name: str) -> None:
    kernel, copies = KERNELS[name]
    text = kernel.text().replace(str(host_target()), "cuda:sm_90a")
    ptx = assembled.ptx_of(text, ARCH, f"accel-kernel, {assembled.threads(ARCH)}")
    assert b".reqnctapercluster 2, 1, 1" in ptx and ptx.count(b"multicast::cluster") == copies
    assembled.check_with_ptxas(ptx, ARCH)
