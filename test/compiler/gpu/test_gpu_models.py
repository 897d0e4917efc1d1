"""Models compile whole for GPUs in each precision: no kernel is missing, none keeps registers in memory, and
ptxas warns of none."""

from __future__ import annotations

import re
import sys
from itertools import product
from pathlib import Path

import onnx
import pytest
from small_models import convolutional, transformer

from mlc.codegen.pool import WorkerPool
from mlc.codegen.ptxas import find_ptxas
from mlc.compiler import Options, compile_program
from mlc.runtime.cuda import Plan

sys.path.insert(0, str(Path(__file__).parents[3]))

from bench.models.catalogue import MODELS

pytestmark = pytest.mark.skipif(
    find_ptxas() is None, reason="ptxas (a CUDA toolkit, or triton) is not installed"
)
SMALL = {"transformer": transformer, "convolutional": convolutional}
TARGETS = ("cuda:sm_80", "cuda:sm_90a")
# The type of operands that tensor cores multiply.
PRECISIONS = {"f32": set(), "tf32": {"tf32"}, "f16": {"f16"}, "bf16": {"bf16"}}
FAST = {("transformer", "bf16", TARGETS[1]), ("convolutional", "tf32", TARGETS[0])}
# The models that are built without PyTorch.
WHOLE = [name for name, model in MODELS.items() if model.family != "torch"]


def check(model: onnx.ModelProto, target: str, precision: str, pool: WorkerPool) -> str:
    """The PTX of the model."""
    program = compile_program(model, Options(target=target, precision=precision, pool=pool))
    gpu, plan = program.report["gpu"], Plan.from_json(program.manifest()["plan"])
    assert gpu["assembled"] and gpu["warnings"] == []
    assert 0 < len(gpu["kernels"]) <= len(plan.steps)
    spills = [
        kernel for kernel in gpu["kernels"] if kernel["spill_store_bytes"] or kernel["spill_load_bytes"]
    ]
    assert spills == []
    return b"".join(bytes(value) for value in program.objects.values()).decode()


@pytest.mark.parametrize(
    ("name", "precision", "target"),
    [
        pytest.param(*case, marks=() if case in FAST else pytest.mark.slow)
        for case in product(SMALL, PRECISIONS, TARGETS)
    ],
)
def test_small_models(name: str, precision: str, target: str, pool: WorkerPool) -> None:
    text = check(SMALL[name](), target, precision, pool)
    multiplied = re.findall(r"mma\S*\.f32\.(tf32|f16|bf16)\.\1\b", text)
    assert set(multiplied) == PRECISIONS[precision]


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_models_of_the_set(name: str, pool: WorkerPool) -> None:
    """Each in one precision for one target, in round-robin: all of them take docs/generate_gpu_models.py half
    an hour."""
    precisions, index = list(PRECISIONS), WHOLE.index(name)
    target = TARGETS[index // len(precisions) % 2]
    check(MODELS[name].build(), target, precisions[index % len(precisions)], pool)
