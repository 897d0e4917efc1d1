"""Bundles keep what they hold."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from mlc.compiler.host_program.host_function import HostFunction, TensorInfo
from mlc.compiler.programs.bundle import Bundle, Stage, portable_weights
from mlc.compiler.sources.onnx_model import MODEL, OnnxSource
from mlc.frontends.weights.store import INLINE, Reference, WeightStore


def host(
    name: str = "main", weights: tuple[Reference | int, ...] = (), dims: tuple[str, ...] | None = None
) -> HostFunction:
    info = TensorInfo("float32", (2, 3) if dims is None else (2, *dims))
    return HostFunction(
        name=name,
        text="module {}",
        inputs=(info,),
        outputs=(info, TensorInfo("int64", ())),
        weight_types=(TensorInfo("bool", (7,)),),
        weights=weights,
        arena_bytes=128,
        arena_lower_bound=64,
        arena_strategy="size, lowest gap",
        kernels=("k", "k"),
        dims=dims,
        messages=() if dims is None else ("inner dims",),
    )


def test_round_trip() -> None:
    stages = {
        "main": Stage(host(), {"main": b"\x7fELF\0\1", "k": b""}, ([MODEL, 0, 4, "ab"], 1, b"ef")),
        "prepare": Stage(host("prepare"), {"prepare": bytes(range(256))}, (["m.data", 8, 4, "cd"],)),
    }
    bundle = Bundle(stages, ("x", "ü"), ("y",), {"kernels": 2}, (["m.data", 8, 4, "cd"],))
    back = Bundle.from_bytes(bundle.to_bytes())
    assert list(back.stages) == ["main", "prepare"]
    for name, stage in stages.items():
        assert dict(back.stages[name].objects) == dict(stage.objects)
        assert back.stages[name].weights == stage.weights
    assert (back.inputs, back.outputs, back.external) == (bundle.inputs, bundle.outputs, bundle.external)
    assert back.report == {"kernels": 2}


@pytest.mark.parametrize("dims", [None, (), ("batch", "seq")])
def test_a_host_function_comes_back_without_its_text_and_weights(dims: tuple[str, ...] | None) -> None:
    """The text is compiled, the weights are the stage's."""
    written = host(weights=(Reference("m", 0, 4, "ab"),), dims=dims)
    back = Bundle.from_bytes(Bundle({"main": Stage(written, {}, (1,))}, (), (), {}).to_bytes())
    found = back.stages["main"].host
    assert (found.text, found.weights) == ("", ())
    for field in (
        "dims",
        "messages",
        "name",
        "inputs",
        "outputs",
        "weight_types",
        "arena_bytes",
        "arena_lower_bound",
        "kernels",
    ):
        assert getattr(found, field) == getattr(written, field)


@pytest.fixture
def source() -> OnnxSource:
    return OnnxSource(onnx.ModelProto(ir_version=10, producer_name="a" * 100))


def test_portable_weights(source: OnnxSource) -> None:
    inside, beside = Reference(INLINE, 8, 16, "ab"), Reference("m.data", 8, 16, "cd")
    store = WeightStore(None)
    store.blobs.add(source.view)
    computed = store.add_blob(bytes(range(16)))
    assert portable_weights(host(weights=(inside, 3, beside, computed)), source, store) == (
        [MODEL, 8, 16, "ab"],
        3,
        ["m.data", 8, 16, "cd"],
        bytes(range(16)),
    )


def test_bytes_that_only_the_import_made_are_not_in_the_model(source: OnnxSource) -> None:
    unpacked = Reference(INLINE, len(source.view) + 64, 16, "ab")
    assert source.portable(unpacked)[0] == INLINE
    assert source.buffer(source.portable(unpacked)) is None


def test_buffers_of_the_model(source: OnnxSource) -> None:
    array = source.buffer([MODEL, 2, 5, "any"])
    assert array is not None
    assert array.dtype == np.uint8
    assert array.tobytes() == bytes(source.view[2:7])
