"""Products whose blocks compute several tiles, one after the other, as threads in the emulator: while a tile
is stored, in parts if shared memory has no room for all of it, operands of the next one come.

Tolerances are those of test_accel.
"""

from __future__ import annotations

import accel_gpu
import accel_products
import ml_dtypes
import numpy as np
import pytest
from accel_products import Product
from emulator import EmulatorError
from test_accel import SUM_ERROR, check_product, random_values
from thread_changes import replace_match

from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline

BF16_ERROR = 2.0**-8
WIDE = {"tile": (128, 256), "step": 64, "stages": 4, "warps": 8}
SMALL = {"tile": (128, 128), "step": 64, "stages": 3, "warps": 8}


def persistent(text: str, blocks: int) -> str:
    """Returns a program whose tiles `blocks` persistent blocks compute."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        target = f"tloop-set-target{{target='name=cuda:sm_90a,cores={blocks}'}}"
        run_pipeline(f"builtin.module({target}, accel-persist-blocks)", module)
        return str(module)


def check(product: Product, blocks: int, tolerance: float) -> None:
    plain = accel_products.text(product)
    text = persistent(plain, blocks)
    assert text.count("scf.for") == 2

    def run(given: str, *arrays: np.ndarray) -> None:
        assert given == plain
        accel_gpu.RUNS["sm_90a"](text, *arrays)

    check_product(run, product, tolerance)


PRODUCTS = {
    "three tiles of two blocks": (Product(128, 384, 192, "bf16", result="bf16", **SMALL), 2, BF16_ERROR),
    "fewer steps than stages": (Product(128, 512, 96, "bf16", bias=True, **SMALL), 1, SUM_ERROR),
    "in parts": (Product(128, 768, 192, "bf16", result="bf16", **WIDE), 2, BF16_ERROR),
    "in parts with a bias and tails": (Product(120, 696, 136, "bf16", bias=True, **WIDE), 2, SUM_ERROR),
    "in clusters": (Product(256, 768, 192, "f16", cluster=(2, 1), **WIDE), 2, SUM_ERROR),
    "floats of 8 bits": (
        Product(128, 512, 256, "f8E4M3FN", transpose_b=True, **{**WIDE, "step": 128}),
        1,
        SUM_ERROR,
    ),
    "int8": (Product(128, 512, 256, "i8", sums="i32", transpose_b=True, **{**WIDE, "step": 128}), 1, 0.0),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str) -> None:
    check(*PRODUCTS[name])


def stores(product: Product, blocks: int) -> int:
    """Returns the number of TMA stores of a tile or a part of one."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(persistent(accel_products.text(product), blocks))
        passes = "accel-multicast-copies, accel-specialize-warps, accel-stage-stores"
        run_pipeline(f"builtin.module({passes})", module)
        return str(module).count("bulk}")


def test_parts() -> None:
    """64 KiB do not fit beside a ring of 192 KiB, but beside one of 144 KiB."""
    assert stores(PRODUCTS["in parts"][0], 2) == 2
    three = Product(128, 768, 192, "bf16", result="bf16", **{**WIDE, "stages": 3})
    assert stores(three, 2) == 1


BULK_WAIT, BARRIER, TRY_WAIT = (
    r"^ *nvvm\.cp\.async\.bulk\.wait_group.*$",
    r"^ *nvvm\.barrier id.*$",
    r"(%\w+) = nvvm\.mbarrier\.try_wait .*",
)
MISTAKES = {
    "the second part is written before the first one has been read": replace_match(BULK_WAIT, "", 0),
    "the next tile is written before this one has been read": replace_match(BULK_WAIT, "", -1),
    "a part is stored before all have written it": replace_match(BARRIER, "", -2),
    "a part is written before its store has begun": replace_match(BARRIER, "", -1),
    "operands of the next tile are read before they come": replace_match(
        TRY_WAIT, r"\1 = arith.constant true", -1
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_found(name: str) -> None:
    product, blocks, _ = PRODUCTS["in parts"]
    text = persistent(accel_products.text(product), blocks)
    a, b = random_values(product.shape_a(), "bf16", 0), random_values(product.shape_b(), "bf16", 1)
    found = np.zeros(product.shape_c(), ml_dtypes.bfloat16)
    with pytest.raises(EmulatorError):
        accel_gpu.run(text, a, b, found, arch="sm_90a", change=MISTAKES[name])
