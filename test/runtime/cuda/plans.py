"""Plans for the stub's kernels."""

from typing import Any

import numpy as np
from cuda_stub import PTX, PTX_90

from mlc.runtime.cuda import Plan

IMAGES = {"kernels.ptx": PTX}
WEIGHTS = {"w": np.arange(8, dtype=np.float32) + 1}


def tensor(role: str, name: str, **changes: Any) -> dict[str, Any]:
    return {"tensor": {"role": role, "name": name, "dtype": "float32", "shape": [2, 4], **changes}}


def at(buffer: int, offset: int = 0) -> dict[str, int]:
    return {"buffer": buffer, "offset": offset}


def launch(kernel: int, *parameters: Any, stream: int = 0) -> dict[str, Any]:
    return {"launch": {"kernel": kernel, "parameters": list(parameters), "stream": stream}}


def pointer(buffer: int, offset: int = 0) -> dict[str, Any]:
    return {"pointer": at(buffer, offset)}


def scalar(dtype: str, value: float) -> dict[str, Any]:
    return {"scalar": {"type": dtype, "value": value}}


MULTIPLY = {"image": 0, "function": "multiply", "grid": [1, 1, 1], "block": [32, 1, 1]}
SHIFT = {"image": 0, "function": "shift", "grid": [1, 1, 1], "block": [256, 1, 1], "shared_bytes": 60000}
COUNT = scalar("i32", 8)


def affine() -> dict[str, Any]:
    """Returns the plan of `y = x * w + 1.5`, through the arena; buffers: x, y, w, arena."""
    return {
        "format": 2,
        "images": [{"name": "kernels.ptx", "architecture": "sm_80"}],
        "kernels": [MULTIPLY, SHIFT],
        "buffers": [
            tensor("input", "x"),
            tensor("output", "y"),
            tensor("weight", "w", shape=[8]),
            {"arena": {"nbytes": 256}},
        ],
        "steps": [
            launch(0, pointer(0), pointer(2), pointer(3, 64), COUNT),
            launch(1, pointer(3, 64), scalar("f32", 1.5), COUNT),
            {"copy": {"target": at(1), "source": at(3, 64), "nbytes": 32}},
        ],
    }


def branches() -> dict[str, Any]:
    """Returns the plan of `y = (x * x) * (x * w)`, the factors on two streams, z = 0; the streams 1 and 2
    wait for each other."""
    return {
        **affine(),
        "streams": 3,
        "buffers": [*affine()["buffers"], tensor("output", "z")],
        "steps": [
            {"fill": {"target": at(4), "nbytes": 32, "byte": 0, "stream": 2}},
            launch(0, pointer(0), pointer(0), pointer(3, 0), COUNT, stream=2),
            launch(0, pointer(0), pointer(2), pointer(3, 64), COUNT, stream=1),
            {"wait": {"stream": 1, "other": 2}},
            launch(0, pointer(3), pointer(3, 64), pointer(1), COUNT, stream=1),
        ],
    }


def host_transfers() -> dict[str, Any]:
    """Returns a plan of `y = x * w` that copies x and y, on the host. Buffers: x, y, w, arena, host arena."""
    return {
        **affine(),
        "buffers": [
            tensor("input", "x", space="host"),
            tensor("output", "y", space="host"),
            *affine()["buffers"][2:],
            {"arena": {"nbytes": 64, "space": "host"}},
        ],
        "steps": [
            {"copy": {"target": at(3), "source": at(0), "nbytes": 32}},
            launch(0, pointer(3), pointer(2), pointer(3, 32), COUNT),
            {"copy": {"target": at(4, 32), "source": at(3, 32), "nbytes": 32}},
            {"copy": {"target": at(3, 64), "source": at(4, 32), "nbytes": 32}},
            {"copy": {"target": at(1), "source": at(3, 64), "nbytes": 32}},
        ],
    }


def argument(buffer: int, offset: int, nbytes: int, access: str = "read") -> dict[str, Any]:
    return {**at(buffer, offset), "nbytes": nbytes, "access": access}


# Any x86-64.
TARGET = {"triple": "x86_64-unknown-linux-gnu", "cpu": "x86-64"}


def host_calls() -> dict[str, Any]:
    """Returns a plan of `y = z * z`, where the processor computes `z = reversed(x * w) + w`, and n, its
    threads. Buffers: x, y, w, arena, host arena, w on the host, n."""
    return {
        **affine(),
        "processor": {"objects": ["code.o"], "functions": ["reverse", "count"], **TARGET},
        "buffers": [
            *affine()["buffers"],
            {"arena": {"nbytes": 128, "space": "host"}},
            tensor("weight", "w", shape=[8], space="host"),
            tensor("output", "n", dtype="int64", shape=[]),
        ],
        "steps": [
            {"call": {"function": 1, "arguments": [argument(4, 96, 8, "write")]}},
            {"copy": {"target": at(6), "source": at(4, 96), "nbytes": 8}},
            launch(0, pointer(0), pointer(2), pointer(3, 64), COUNT),
            {"copy": {"target": at(4), "source": at(3, 64), "nbytes": 32}},
            {
                "call": {
                    "function": 0,
                    "arguments": [argument(4, 0, 32), argument(5, 0, 32), argument(4, 32, 32, "write")],
                }
            },
            {"copy": {"target": at(3), "source": at(4, 32), "nbytes": 32}},
            launch(0, pointer(3), pointer(3), pointer(1), COUNT),
        ],
    }


def tensor_maps() -> dict[str, Any]:
    """Returns a plan of `y = x`, through a tensor map of the input."""
    spec = {"dtype": "float32", "dims": [4, 2], "strides": [16], "box": [4, 2]}
    return {
        "format": 2,
        "images": [{"name": "kernels.ptx", "architecture": "sm_90a"}],
        "kernels": [{**MULTIPLY, "function": "copy_map", "cluster": [1, 1, 1]}],
        "buffers": [tensor("input", "x"), tensor("output", "y")],
        "steps": [launch(0, {"tensor_map": {"address": at(0), "map": spec}}, pointer(1), COUNT)],
    }


MAPPED_IMAGES = {"kernels.ptx": PTX_90}


def plan(data: dict[str, Any]) -> Plan:
    return Plan.from_json(data)
