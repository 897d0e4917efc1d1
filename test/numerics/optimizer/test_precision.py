"""Option --precision: the accuracy that is lost, and what is exact.

In bf16 an operand keeps 8 significant bits, so that a product is off by at most 2^-8 of its size. Sums of
products are f32; of the largest result, the errors of random numbers come to a few tenths of a percent."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from idiom_builder import Arrays, model_of
from oracle import compile_model, runtime
from test_targets import KERNELS, attention

from mlc.compiler import Options
from mlc.pipelines.grammar import PipelineError

# Without a sum over channels or columns, or attention in one kernel: nothing is rounded.
UNTOUCHED = ("depthwise", "softmax", "layer_norm", "gelu", "attention")
# Of fewer queries than that kernel takes: products.
FEW_QUERIES = {"few_queries": attention(8)}
TOLERANCE = 1e-2


@pytest.fixture(scope="module")
def kernels() -> tuple[onnx.ModelProto, Arrays]:
    return model_of(KERNELS | FEW_QUERIES)


@pytest.mark.slow
@pytest.mark.parametrize("processor", ["x86-64", "native"])
def test_kernels(processor: str, kernels: tuple[onnx.ModelProto, Arrays]) -> None:
    model, inputs = kernels
    actual = compile_model(model, precision="bf16", target=processor).run(inputs)
    expected = runtime(model, inputs)
    assert expected is not None
    for name, reference in expected.items():
        error = np.abs(actual[name] - reference).max() / np.abs(reference).max()
        limit = 1e-5 if name in UNTOUCHED else TOLERANCE
        assert error <= limit, f"{name}: {error}"
        assert name in UNTOUCHED or error > 1e-5, f"{name} was computed in f32"


def test_sums_are_not_rounded() -> None:
    """1 + 2^-9 + ... + 2^-9: in bf16 each addition would be lost."""
    model, inputs = model_of({"sum": lambda b: b.MatMul(b.input(1, 257), np.ones((257, 16), np.float32))})
    inputs = {name: np.full(x.shape, 2.0**-9, x.dtype) for name, x in inputs.items()}
    next(iter(inputs.values()))[0, 0] = 1
    result = compile_model(model, precision="bf16").run(inputs)["sum"]
    assert (result == 1.5).all()


def test_unknown_precision_is_refused() -> None:
    with pytest.raises(PipelineError, match="'f17'"):
        Options(precision="f17").graph_pipelines()


@pytest.mark.parametrize(("precision", "tolerance"), [("f16", 2.0**-10), ("tf32", 2.0**-20)])
def test_products_and_convolutions(precision: str, tolerance: float) -> None:
    """Type f16 keeps 11 bits; on processors tf32 is f32."""
    rng = np.random.default_rng(0)
    filters, matrix = (rng.normal(size=shape).astype(np.float32) for shape in ((32, 16, 3, 3), (64, 48)))
    model, inputs = model_of(
        {
            "product": lambda b: b.MatMul(b.input(5, 64), matrix),
            "convolution": lambda b: b.Conv(b.input(1, 16, 9, 9), filters),
        }
    )
    actual, expected = compile_model(model, precision=precision).run(inputs), runtime(model, inputs)
    assert expected is not None
    for name, reference in expected.items():
        error = np.abs(actual[name] - reference).max() / np.abs(reference).max()
        assert error <= tolerance
        assert precision != "f16" or error > 2.0**-16
