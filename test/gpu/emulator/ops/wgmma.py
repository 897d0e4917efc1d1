"""The ops of nvvm for wgmma."""

from __future__ import annotations

import numpy as np

from ..decode import Op
from ..registry import op
from ..unit import Unit
from ..values import Value
from ..wgmma import Product, start_product
from .matrix import enum, sizes


@op("nvvm.wgmma.fence.aligned")
def fence(unit: Unit, op: Op) -> None:
    """Registers and earlier products come before the next one."""
    unit.product_fence = True


@op("nvvm.wgmma.commit.group.sync.aligned")
def commit(unit: Unit, op: Op) -> None:
    """The products since the last commit are a group."""
    unit.products.commit(unit.mask)
    unit.product_fence = False


@op("nvvm.wgmma.wait.group.sync.aligned")
def _wait(unit: Unit, op: Op) -> None:
    wait(unit, op.attributes["group"])


def wait(unit: Unit, allowed: int) -> None:
    """All groups but the last `allowed` are complete."""
    unit.clock.acquire_all(unit.products.wait(unit.mask, allowed))


@op("nvvm.wgmma.mma_async")
def _product(unit: Unit, op: Op, before: Value, left: np.ndarray, right: np.ndarray) -> Value:
    text = {key: str(value) for key, value in op.attributes.items()}
    _, columns, depth = sizes(text["shape"])
    product = Product(
        columns,
        enum(text["typeA"]),
        enum(text["typeB"]),
        enum(text["scaleA"]) == "neg",
        enum(text["scaleB"]) == "neg",
        enum(text["layoutA"]) == "col",
        enum(text["layoutB"]) == "row",
    )
    if depth != product.depth:
        unit.fail(f"a product of {product.left_type} has k = {product.depth}, not {depth}")
    accumulator = None if enum(text["scaleD"]) == "zero" else before
    return start_product(unit, product, accumulator, unit.uniform(left), unit.uniform(right))
