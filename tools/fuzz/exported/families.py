"""The families of models as exporters write them, by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlc.tools.fuzz.case import FuzzCase
from mlc.tools.fuzz.exported import attention, convolutions, products, quantised, recurrent, shape_arithmetic
from mlc.tools.fuzz.exported.model_draw import OPSETS, ModelDraw
from mlc.tools.fuzz.random_draws import pick

FAMILIES: dict[str, Callable[[ModelDraw], None]] = {
    "attention": attention.draw,
    "products": products.draw,
    "convolutions": convolutions.draw,
    "shapes": shape_arithmetic.draw,
    "recurrent": recurrent.draw,
    "quantised": quantised.draw,
}
_TRIES = 5


def exported_case(rng: np.random.Generator, family: str) -> FuzzCase:
    """Draws a model of a family, another one if ONNX's shape inference refuses it. Raises what it raises for
    the last of a few draws."""
    for left in reversed(range(_TRIES)):
        m = ModelDraw(rng, pick(rng, OPSETS))
        try:
            FAMILIES[family](m)
            return m.case(family)
        except Exception:  # shape inference raises several types of exception for an invalid model
            if not left:
                raise
    raise AssertionError
