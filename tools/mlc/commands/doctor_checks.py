"""The checks of `mlc doctor`. A check returns findings; an exception means that a requirement is broken."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from mlc.tools.mlc.text_tables import byte_size

_NEEDED = ("mlc-compiler", "torch-mlir", "llvmlite", "onnx", "numpy", "ml_dtypes", "click", "rich")
_PEERS = ("onnxruntime", "openvino")


@dataclass(frozen=True)
class CheckResult:
    """A finding. `state`: "ok", "absent" (an optional part is not there), "warning" (an optional part does
    not work), "broken" (a required one)."""

    name: str
    state: Literal["ok", "absent", "warning", "broken"]
    detail: str


def _packages() -> list[CheckResult]:
    findings = [CheckResult("python", "ok", f"{platform.python_version()} on {platform.platform()}")]
    for name in (*_NEEDED, *_PEERS):
        try:
            findings.append(CheckResult(name, "ok", version(name)))
        except PackageNotFoundError:
            missing = CheckResult(name, "broken", "not installed")
            optional = CheckResult(name, "absent", "not installed; only needed to compare with it")
            findings.append(missing if name in _NEEDED else optional)
    return findings


def _processor() -> list[CheckResult]:
    from mlc.codegen.host_target import host_target
    from mlc.targets.features import FEATURES, llvm_features

    host = host_target()
    usual = llvm_features().processors["x86-64-v2"]
    features = [feature.name for feature in FEATURES if feature.name not in usual and host.has(feature.name)]
    caches = ", ".join(
        f"{name} {byte_size(size)}" for name, size in (("L1", host.l1d), ("L2", host.l2), ("L3", host.l3))
    )
    known = platform.machine() == "x86_64" and platform.system() == "Linux"
    detail = (
        f"{host.cpu}, {host.vector_bits}-bit vectors, {' '.join(features) or 'no vector features'}; {caches}"
    )
    return [
        CheckResult(
            "processor",
            "ok" if known else "warning",
            detail + ("" if known else "; only Linux on x86-64 is supported"),
        ),
        CheckResult("threads", "ok", f"{host.cores} for this process, {os.cpu_count()} in the machine"),
    ]


def _cache() -> list[CheckResult]:
    from mlc.codegen.cache import default_root, default_size
    from mlc.tools.mlc.commands.cache import usage

    root = default_root()
    count, size = usage(root)
    detail = f"{root}: {count} entries, {byte_size(size)} of {byte_size(default_size())}"
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=root):
            pass
    except OSError as error:
        return [
            CheckResult(
                "cache", "warning", f"{detail}; cannot be written: {error.strerror}; set MLC_CACHE_DIR"
            )
        ]
    return [CheckResult("cache", "ok", detail)]


def _c_compiler() -> list[CheckResult]:
    path = shutil.which("cc")
    found = CheckResult("C compiler", "ok", path or "")
    return [found if path else CheckResult("C compiler", "warning", "no cc: --emit=shared-lib will not work")]


def _gpu() -> list[CheckResult]:
    """Checks the driver and GPUs, which are optional."""
    from mlc.runtime.cuda import CudaError, DriverMissingError, device_count, load_driver
    from mlc.runtime.cuda.driver.device import describe, device_properties, driver_description
    from mlc.runtime.cuda.driver.errors import NO_DEVICE
    from mlc.runtime.cuda.driver.library import VARIABLE

    try:
        driver = load_driver()
        gpus = [describe(device_properties(index, driver)) for index in range(device_count(driver))]
    except CudaError as error:
        if isinstance(error, DriverMissingError) and VARIABLE not in os.environ:
            return [CheckResult("GPU", "absent", "no CUDA driver: GPU programs compile here, but do not run")]
        state: Literal["absent", "warning"] = "absent" if error.status == NO_DEVICE else "warning"
        return [CheckResult("GPU", state, f"no GPU for CUDA programs: {error}")]
    found = [CheckResult(f"GPU {index}", "ok", text) for index, text in enumerate(gpus)]
    return [CheckResult("CUDA driver", "ok", driver_description(driver)), *found]


def _compile_and_run() -> list[CheckResult]:
    """Compiles and runs a small ONNX model without the cache."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    from mlc.compiler import Options, compile_program

    weight = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"]),
        helper.make_node("Relu", ["product"], ["y"]),
    ]
    x, y = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("x", [2, 3]), ("y", [2, 4]))
    )
    graph = helper.make_graph(nodes, "doctor", [x], [y], [numpy_helper.from_array(weight, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    onnx.checker.check_model(model)
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    [result] = compile_program(model, Options(cache=False, jobs=1)).executable(threads=1)(given)
    expected = np.maximum(given @ weight, 0)
    if not np.allclose(result, expected, rtol=1e-5, atol=1e-5):
        return [
            CheckResult(
                "compile and run", "broken", f"wrong results: {result.tolist()}, expected {expected.tolist()}"
            )
        ]
    return [CheckResult("compile and run", "ok", "a small model gives the right results")]


def _temporary_folder() -> list[CheckResult]:
    folder = Path(tempfile.gettempdir())
    return [
        CheckResult("temporary files", "ok", f"{folder}, {byte_size(shutil.disk_usage(folder).free)} free")
    ]


CHECKS: dict[str, Callable[[], Sequence[CheckResult]]] = {
    "packages": _packages,
    "processor": _processor,
    "cache": _cache,
    "C compiler": _c_compiler,
    "temporary files": _temporary_folder,
    "GPU": _gpu,
    "compile and run": _compile_and_run,
}
