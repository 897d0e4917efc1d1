"""The default list of cases, the most important first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path

from onnx import helper

from bench.gpu.models import CaseModel, attention, of_file, one_operator
from bench.gpu.runner.manifest import GpuCase, Precision, WeightSource, Work

BUILT = Path(__file__).parents[1] / "models" / "build"
# The compiler embeds constants of up to this size in the code: they cannot be drawn later.
CONSTANT_BYTES = 1024
PRECISIONS: tuple[Precision, ...] = ("bf16", "f16", "tf32", "f32")
DTYPES = {"bf16": "bfloat16", "f16": "float16", "tf32": "float32", "f32": "float32"}
BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
# Relative to the largest value: rounding of the result, of the operands (tf32), of long sums.
TOLERANCES = {"bf16": 1e-2, "f16": 2e-3, "tf32": 2e-3, "f32": 2e-5}
# Errors of many layers, by the operands' precision.
MODEL_TOLERANCES = {"bf16": 5e-2, "f16": 1e-2, "tf32": 1e-2, "f32": 1e-4}
MODELS = ("bert_base_s128", "gpt2_s128", "vit_b16", "resnet50")
SDPA = tuple(f"sdpa-{backend}" for backend in ("flash", "cudnn", "efficient"))
MEMORY_PEERS = ("torch", "torch.compile", "triton", "copy")


@dataclass(frozen=True)
class PlannedCase:
    """A case to compile, with `precision` as the compiler's option where operands are f32."""

    case: GpuCase
    model: Callable[[], CaseModel]

    @property
    def option(self) -> str:
        """The compiler's option `precision`."""
        return self.case.precision if self.case.group == "model" or self.case.precision == "tf32" else "f32"


def default_cases(built: Path = BUILT) -> list[PlannedCase]:
    """Returns models in bf16, kernels, models in other precisions."""
    return [*_models(built, ("bf16",), 12.0), *_kernels(), *_models(built, ("f32", "tf32", "f16"), 6.0)]


def _models(built: Path, precisions: Sequence[Precision], weight: float) -> Iterator[PlannedCase]:
    """Yields models. `weight` leaves time for torch.compile, which takes a minute for a model."""
    for precision in precisions:
        for name in MODELS:
            case = GpuCase(
                f"{name}_{precision}",
                "model",
                precision,
                peers=("torch", "torch.compile"),
                tolerance=MODEL_TOLERANCES[precision],
                weight=weight,
            )
            yield PlannedCase(case, partial(of_file, built / f"{name}.onnx", CONSTANT_BYTES))


def _kernels() -> Iterator[PlannedCase]:
    yield from (gemm(size, precision) for size in (4096, 8192) for precision in PRECISIONS)
    for depth in (128, 64):
        yield from (attend((4, 16, 4096, depth), "bf16", causal) for causal in (False, True))
    yield from (attend((4, 16, 4096, 128), "f16", causal) for causal in (False, True))
    for precision in ("bf16", "f32"):
        yield rows("softmax", (16384, 4096), precision)
        yield rows("layer_norm", (16384, 4096), precision)
        yield elements("gelu", (16384, 4096), precision)
        yield elements("add", (16384, 4096), precision)
        yield transpose((8192, 8192), precision)
    yield from (gemm(size, precision) for size in (1024, 2048) for precision in PRECISIONS)
    yield from (gemm(1024, precision, batch=16) for precision in PRECISIONS)
    yield from (convolution((32, 64, 56, 56), precision) for precision in ("f16", "f32"))


def gemm(size: int, precision: Precision, batch: int = 0) -> PlannedCase:
    """Plans a product of square matrices, `batch` of them if that is not 0."""
    shape = (*([batch] if batch else []), size, size)
    inputs = [WeightSource(name, DTYPES[precision], shape, seed=seed) for seed, name in enumerate("ab")]
    node = helper.make_node("MatMul", ["a", "b"], ["y"])
    name = f"batched_gemm_{batch}x{size}" if batch else f"gemm_{size}"
    return _plan_case(
        f"{name}_{precision}",
        "gemm",
        precision,
        partial(one_operator, [node], inputs, shape),
        Work(operations=2 * prod(shape) * size),
        peers=("torch", "torch.compile", "triton"),
        triton="matmul",
        weight=2.0,
    )


def attend(shape: tuple[int, int, int, int], precision: Precision, causal: bool) -> PlannedCase:
    """Plans attention; causal attention counts half of the operations."""
    batch, heads, length, depth = shape
    mask = "causal" if causal else "full"
    return _plan_case(
        f"attention_d{depth}_{mask}_{precision}",
        "attention",
        precision,
        partial(attention, shape, DTYPES[precision], causal),
        Work(operations=4 * batch * heads * length * length * depth // (2 if causal else 1)),
        peers=tuple(f"{name}-causal" if causal else name for name in SDPA),
        weight=2.0,
    )


def rows(operator: str, shape: tuple[int, int], precision: Precision) -> PlannedCase:
    """Plans a softmax or layer_norm (with scale and bias) of each row."""
    dtype, columns = DTYPES[precision], shape[1]
    inputs = [WeightSource("x", dtype, shape)]
    if operator == "softmax":
        made = partial(one_operator, [helper.make_node("Softmax", ["x"], ["y"], axis=-1)], inputs, shape)
        return _memory(operator, precision, made, 2 * prod(shape), triton=operator)
    weights = [
        WeightSource("scale", dtype, (columns,), "uniform", 0.5, 1.5, 1),
        WeightSource("bias", dtype, (columns,), seed=2),
    ]
    node = helper.make_node("LayerNormalization", ["x", "scale", "bias"], ["y"], axis=-1, epsilon=1e-5)
    made = partial(one_operator, [node], inputs, shape, weights)
    return _memory(operator, precision, made, 2 * prod(shape) + 2 * columns, triton=operator)


def elements(operator: str, shape: tuple[int, ...], precision: Precision) -> PlannedCase:
    """Plans the gelu of one array, or the sum of two."""
    names = ["a", "b"] if operator == "add" else ["x"]
    node = helper.make_node({"add": "Add", "gelu": "Gelu"}[operator], names, ["y"])
    inputs = [WeightSource(name, DTYPES[precision], shape, seed=seed) for seed, name in enumerate(names)]
    return _memory(
        operator,
        precision,
        partial(one_operator, [node], inputs, shape),
        (len(names) + 1) * prod(shape),
        triton=operator,
    )


def transpose(shape: tuple[int, int], precision: Precision) -> PlannedCase:
    """Plans the transpose of a matrix."""
    node = helper.make_node("Transpose", ["x"], ["y"], perm=[1, 0])
    made = partial(one_operator, [node], [WeightSource("x", DTYPES[precision], shape)], (shape[1], shape[0]))
    return _memory("transpose", precision, made, 2 * prod(shape))


def convolution(shape: tuple[int, int, int, int], precision: Precision) -> PlannedCase:
    """Plans a 3x3 convolution of ResNet-50 that keeps the shape."""
    channels, dtype = shape[1], DTYPES[precision]
    weight = WeightSource("w", dtype, (channels, channels, 3, 3), second=(9 * channels) ** -0.5, seed=1)
    node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3], pads=[1] * 4)
    return _plan_case(
        f"convolution_{channels}x{shape[2]}_{precision}",
        "convolution",
        precision,
        partial(one_operator, [node], [WeightSource("x", dtype, shape)], shape, [weight]),
        Work(operations=2 * prod(shape) * channels * 9),
        peers=("torch", "torch.compile"),
    )


def _memory(
    name: str, precision: Precision, model: Callable[[], CaseModel], elements: int, triton: str = ""
) -> PlannedCase:
    peers = MEMORY_PEERS if triton else tuple(peer for peer in MEMORY_PEERS if peer != "triton")
    work = Work(nbytes=elements * BYTES[DTYPES[precision]], cache="cold")
    return _plan_case(f"{name}_{precision}", "memory", precision, model, work, peers=peers, triton=triton)


def _plan_case(
    name: str, group: str, precision: Precision, model: Callable[[], CaseModel], work: Work, **fields: object
) -> PlannedCase:
    tolerance = TOLERANCES[precision]
    return PlannedCase(GpuCase(name, group, precision, work=work, tolerance=tolerance, **fields), model)  # type: ignore[arg-type]
