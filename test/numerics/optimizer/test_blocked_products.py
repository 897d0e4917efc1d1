"""Products whose reduction is taken in blocks, alone and with what follows them.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`).
"""

from __future__ import annotations

import pytest
from idiom_builder import Builder, model_of
from oracle import wrong_outputs


def product(b: Builder, rows: int, depth: int, columns: int) -> str:
    """Sums of about one."""
    return b.MatMul(b.input(rows, depth), b.value(depth, columns) * depth**-0.5)


def residual(b: Builder) -> str:
    return b.Add(b.input(64, 384), b.Add(product(b, 64, 1024, 384), b.value(384)))


def heavy(b: Builder) -> str:
    return b.Mul(b.input(65, 384), b.Erf(b.Tanh(product(b, 65, 1024, 384))))


def mask_product(b: Builder) -> str:
    return b.Where(b.input(64, 384, dtype=bool), product(b, 64, 1024, 384), 0.25)


FORMS = {
    "whole": lambda b: product(b, 64, 1024, 384),
    # 13 and 6 rows; columns that are no whole number of panels.
    "peeled": lambda b: product(b, 71, 2048, 400),
    "blocks_of_rows": lambda b: product(b, 384, 1024, 192),
    # The sums are in the result's buffer while the other operand is still needed.
    "residual": residual,
    "heavy": heavy,
    # Booleans are not vectors in memory: they are loaded differently.
    "masked": mask_product,
}


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks(threads: int) -> None:
    assert wrong_outputs(*model_of(FORMS), threads) == {}
