"""Plans from JSON, as hostile input."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from plans import (
    affine,
    argument,
    at,
    branches,
    host_calls,
    host_transfers,
    launch,
    plan,
    pointer,
    scalar,
    tensor,
    tensor_maps,
)

from mlc.runtime import ExecutableError
from mlc.runtime.cuda import Plan, parse_plan


@pytest.mark.parametrize("make", [affine, branches, host_transfers, tensor_maps, host_calls])
def test_round_trip(make: Any) -> None:
    first = plan(make())
    again = parse_plan(json.dumps(first.to_json()))
    assert again == first and again.to_json() == first.to_json()


def test_the_example_of_the_documentation() -> None:
    text = (Path(__file__).parents[3] / "docs" / "gpu-runtime.md").read_text()
    [example] = re.findall(r'^    (\{"format".*?)\n\n', text, re.MULTILINE | re.DOTALL)
    assert parse_plan(example).kernels[0].function == "gemm"


def test_weights_may_be_read_early() -> None:
    assert parse_plan(json.dumps(change_plan("kernels.0.early_reads", [1]))).kernels[0].early_reads == (1,)


def test_what_it_holds() -> None:
    made = plan(affine())
    assert [value.name for value in made.tensors("input").values()] == ["x"]
    assert made.tensors("weight")[2].nbytes == 32
    assert str(made.tensors("output")[1].spec) == "y: float32[2,4]"
    assert made.kernels[1].shared_bytes == 60000 and made.kernels[0].cluster == (1, 1, 1)


def change_plan(path: str, value: Any, make: Any = affine) -> dict[str, Any]:
    """A plan with one part replaced; `path` is as in messages."""
    data = copy.deepcopy(make())
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    where: Any = data
    for part in way:
        where = where[part]
    where[last] = value
    return data


MAP = {"dtype": "float32", "dims": [8], "strides": [], "box": [8]}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", 1, "plan: no plan of format 2"),
        ("images", {}, r"plan\.images: expected a list of at most 1048576, got \{\}"),
        ("images.0.name", "../x", r"images\[0\]: '../x' is no plain file name"),
        ("images.0.name", ".hidden", "is no plain file name"),
        ("images.0.name", "x" * 5000, r"plan\.images\[0\]\.name: expected a text of at most 4096"),
        ("images.0.architecture", "avx2", "architecture 'avx2'"),
        ("kernels.0.image", 1, r"kernels\[0\]: image 1 is not 0 to 0"),
        ("kernels.0.image", -1, "image -1 is not 0 to 0"),
        ("kernels.0.image", True, r"plan\.kernels\[0\]\.image: expected an integer of 64 bits, got True"),
        ("kernels.0.function", "a b", r"kernels\[0\]: no function name"),
        ("kernels.0.grid", [1, 1], r"plan\.kernels\[0\]\.grid: expected a list of 3"),
        ("kernels.0.grid", [1, 1, 1 << 20], "grid .* is outside"),
        ("kernels.0.grid", [1.0, 1, 1], r"grid\[0\]: expected an integer"),
        ("kernels.0.block", [1024, 1024, 1], "threads is above 1024"),
        ("kernels.0.cluster", [2, 1, 1], "no multiple of cluster"),
        ("kernels.0.shared_bytes", 1 << 40, "bytes of shared memory"),
        ("kernels.0.shared_bytes", 10**30, "expected an integer of 64 bits"),
        ("kernels.0.overlap", 1, r"plan\.kernels\[0\]\.overlap: expected true or false, got 1"),
        ("kernels.0.overlap", "true", "expected true or false"),
        ("kernels.0.overlap", True, r"kernels\[0\]: overlap: sm_80 has no instruction to wait with"),
        *(
            ("kernels.0.early_reads", [index], rf"steps\[0\]: early_reads: parameter {index} is no pointer")
            # An input, the arena, a scalar, and indices out of range.
            for index in (0, 2, 3, 4, -1)
        ),
        ("kernels.0.early_reads", 1, r"early_reads: expected a list"),
        ("kernels.0.colour", "red", r"plan\.kernels\[0\]: unknown keys \['colour'\], missing keys \[\]"),
        ("kernels.0", {"image": 0}, r"missing keys \['function', 'grid', 'block'\]"),
        ("buffers.0", {"heap": {}}, r"expected an object of one key of \['tensor', 'arena'\]"),
        ("buffers.0", tensor("bias", "x"), r"expected one of \['input', 'output', 'weight'\], got 'bias'"),
        ("buffers.0", tensor("input", "x", dtype="float7"), r"buffers\[0\]: dtype 'float7' is unknown"),
        ("buffers.0", tensor("input", "x", shape=[-1]), r"buffers\[0\]: shape \[-1\]"),
        ("buffers.0", tensor("input", "x", shape=[1 << 30, 1 << 30]), "shape"),
        ("buffers.0", tensor("input", "x", shape=[1] * 65), "rank 65"),
        ("buffers.0", tensor("output", "y"), r"buffers: twice: \['output y'\]"),
        ("buffers.2", tensor("weight", "w", space="host"), "parameter 1: buffer 2 is on the host"),
        ("buffers.2", {"arena": {"nbytes": 1}}, r"arenas: twice: \['device'\]"),
        ("buffers.3.arena.nbytes", -1, r"buffers\[3\]: -1 bytes"),
        ("streams", 0, "0 streams are not 1 to 64"),
        ("streams", 65, "65 streams are not 1 to 64"),
        ("steps.0", launch(2), r"steps\[0\]: kernel 2 is not 0 to 1"),
        ("steps.0", launch(0, stream=1), r"steps\[0\]: stream 1 is not 0 to 0"),
        ("steps.0", launch(0, pointer(4)), r"steps\[0\]: parameter 0: buffer 4 is not 0 to 3"),
        ("steps.0", launch(0, pointer(0, 33)), "0 bytes at 33 are not inside buffer 0 of 32"),
        ("steps.0", launch(0, pointer(0, -4)), "0 bytes at -4 are not inside"),
        ("steps.0", launch(0, scalar("i8", 300)), "parameter 0: 300 is no i8"),
        ("steps.0", launch(0, scalar("i32", "1")), "expected a numeric value, got '1'"),
        ("steps.0", launch(0, *[scalar("i8", 0)] * 1025), "1025 parameters"),
        (
            "steps.0",
            launch(0, {"tensor_map": {"address": at(3, 240), "map": MAP}}),
            "32 bytes at 240 are not",
        ),
        (
            "steps.0",
            launch(0, {"tensor_map": {"address": at(3, 8), "map": MAP}}),
            "is not aligned to 16 bytes",
        ),
        (
            "steps.0",
            launch(0, {"tensor_map": {"address": at(3), "map": {**MAP, "box": [3]}}}),
            r"plan\.steps\[0\]\.launch\.parameters\[0\]\.tensor_map\.map: tensor map .* no multiple of 16",
        ),
        ("steps.2.copy.nbytes", 33, r"steps\[2\]: copy: target: 33 bytes at 0|steps\[2\]: target: 33 bytes"),
        ("steps.2.copy.nbytes", -1, "-1 bytes at 0 are not inside"),
        ("steps.2.copy.target", at(2), r"target: buffer 2 \(weight\) is read-only"),
        ("steps.2.copy.target", at(0), r"target: buffer 0 \(input\) is read-only"),
        ("steps.0", {"fill": {"target": at(3), "nbytes": 1, "byte": 256}}, "byte 256"),
        ("steps.0", {"wait": {"stream": 0, "other": 0}}, "stream 0 waits for itself"),
        ("steps.0", {"wait": {"stream": 0, "other": 1}}, "other 1 is not 0 to 0"),
        ("steps.0", [], "expected an object of one key"),
    ],
)
def test_what_is_refused(path: str, value: Any, message: str) -> None:
    with pytest.raises(ExecutableError, match=message) as caught:
        parse_plan(json.dumps(change_plan(path, value)))
    assert str(caught.value).startswith("plan")


def call(function: int, *arguments: Any) -> dict[str, Any]:
    return {"call": {"function": function, "arguments": list(arguments)}}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("processor", [], r"plan\.processor: expected an object"),
        ("processor.objects", ["../code.o"], r"processor: objects\[0\]: '../code.o' is no plain file name"),
        ("processor.objects", ["kernels.ptx"], r"images and objects: twice: \['kernels.ptx'\]"),
        ("processor.functions", ["a b"], r"processor: functions\[0\]: no function name: 'a b'"),
        ("processor.functions", ["f"] * 65537, "processor: 65537 functions are more than 65536"),
        ("processor.features", [1], r"plan\.processor\.features\[0\]: expected a text"),
        ("processor.code", "x", r"plan\.processor: unknown keys \['code'\]"),
        ("steps.0", call(2), r"steps\[0\]: function 2 is not 0 to 1"),
        ("steps.0", call(-1), "function -1 is not 0 to 1"),
        ("steps.0", call(0, *[argument(4, 0, 0)] * 1025), "1025 arguments"),
        ("steps.0", call(0, argument(7, 0, 0)), r"steps\[0\]: argument 0: buffer 7 is not 0 to 6"),
        ("steps.0", call(0, argument(3, 0, 8)), "argument 0: buffer 3 is on the device"),
        ("steps.0", call(0, argument(0, 0, 8)), "argument 0: buffer 0 is on the device"),
        ("steps.0", call(0, argument(4, 0, 129)), "129 bytes at 0 are not inside buffer 4 of 128"),
        ("steps.0", call(0, argument(4, 0, 8), argument(4, -8, 8)), "argument 1: 8 bytes at -8 are not"),
        ("steps.0", call(0, argument(4, 8, -8)), "-8 bytes at 8 are not inside"),
        ("steps.0", call(0, argument(5, 0, 8, "write")), r"buffer 5 \(weight\) is read-only"),
        ("steps.0", call(0, argument(4, 0, 8, "clear")), r"access: expected one of \['read', 'write'\]"),
        ("steps.1.copy.source", at(5), "source: buffer 5 is a weight for calls only"),
        ("buffers.6", tensor("weight", "w", space="host"), r"buffers: twice: \['weight w on the host'\]"),
    ],
)
def test_calls_of_the_processor_that_are_refused(path: str, value: Any, message: str) -> None:
    with pytest.raises(ExecutableError, match=message):
        parse_plan(json.dumps(change_plan(path, value, host_calls)))


@pytest.mark.parametrize("text", ["", "[", "null", "[]", "3", "[" * 100000, '{"format": 2}', b"\xff"])
def test_what_is_no_plan(text: Any) -> None:
    with pytest.raises(ExecutableError, match=r"^file\.json: "):
        parse_plan(text, "file.json")


def test_host_rules() -> None:
    data = host_transfers()
    data["steps"][0] = {"copy": {"target": at(1), "source": at(0), "nbytes": 4}}
    with pytest.raises(ExecutableError, match="a copy from host to host"):
        plan(data)
    data["steps"][0] = launch(0, pointer(0))
    with pytest.raises(ExecutableError, match="buffer 0 is on the host"):
        plan(data)


def test_plans_made_in_python_are_checked_too() -> None:
    with pytest.raises(ExecutableError, match="0 streams"):
        Plan((), (), (), (), 0)
    assert Plan((), (), (), ()).to_json() == {
        "format": 2,
        "images": [],
        "kernels": [],
        "buffers": [],
        "steps": [],
    }
