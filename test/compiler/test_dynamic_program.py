"""Host functions with dynamic sizes, and their entries in the manifest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mlc.bindings import ir
from mlc.compiler import Options
from mlc.compiler.code_path import code_paths
from mlc.compiler.compilation_units import split
from mlc.compiler.errors import CompileError
from mlc.compiler.host_program.host_function import HostFunction
from mlc.compiler.programs.assemble import Names, assemble
from mlc.compiler.programs.bundle import Bundle, Stage
from mlc.compiler.programs.program import CompiledProgram
from mlc.dialects import create_context
from mlc.runtime.manifest import parse_manifest
from mlc.runtime.named_dims import NamedDim

HOST = """
func.func @main(%x: memref<?x?xf32>, %mask: memref<?x4xi1>, %y: memref<?x?xf32>, %n: memref<i64>,
                %w: memref<8xf32>, %arena: memref<0xi8>) attributes {
    tloop.num_inputs = 2, tloop.num_outputs = 2, tloop.arena_bytes = 0, tloop.arena_lower_bound = 0,
    tloop.arena_strategy = "", tloop.weights = [{source = "m", offset = 0, size = 32, hash = "ab"}],
    tloop.dims = ["batch", "seq"], tloop.messages = ["matmul 'n3': inner dims"],
    tloop.input_shapes = [["batch", "seq"], ["batch", ""]],
    tloop.output_shapes = [["2*batch", "seq"], []]} {
  return
}
"""


def host(text: str = HOST) -> HostFunction:
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        return split(module.operation, {"main": code_paths(Options())["main"]})["main"].host


def program(dim_ranges: dict[str, Any], function: HostFunction) -> CompiledProgram:
    names = Names("m", ("x", "mask"), ("y", "n"), dim_ranges)
    stage = Stage(function, {}, ([],))
    return assemble(names, code_paths(Options())["main"], stage, [np.zeros(32, np.uint8)], {})


def test_what_the_host_function_says() -> None:
    function = host()
    assert function.dims == ("batch", "seq")
    assert function.messages == ("matmul 'n3': inner dims",)
    assert [info.shape for info in function.inputs] == [("batch", "seq"), ("batch", 4)]
    assert [output.shape for output in function.outputs] == [("2*batch", "seq"), ()]
    assert [info.shape for info in function.weight_types] == [(8,)]


def test_the_manifest_has_names_and_ranges() -> None:
    manifest = program({"seq": (1, 512)}, host()).manifest()
    assert manifest["format"] == 2
    checked = parse_manifest(manifest, "test")
    assert checked.dims == (NamedDim("batch"), NamedDim("seq", 1, 512))
    assert checked.messages == ("matmul 'n3': inner dims",)
    assert [str(spec) for spec in (*checked.inputs, *checked.outputs)] == [
        "x: float32[batch,seq]",
        "mask: bool[batch,4]",
        "y: float32[2*batch,seq]",
        "n: int64[]",
    ]


def test_the_cache_keeps_it() -> None:
    function = host()
    bundle = Bundle({"main": Stage(function, {}, (["m"],))}, ("x", "mask"), ("y", "n"), {})
    back = Bundle.from_bytes(bundle.to_bytes()).stages["main"].host
    assert back == replace(function, text="", weights=())
    assert program({}, back).manifest() == program({}, function).manifest()


def test_a_static_host_function_has_no_dims() -> None:
    text = HOST.replace("?", "3")
    text = text[: text.index(",\n    tloop.dims")] + "} { return }"
    function = host(text)
    assert function.dims is None and function.outputs[0].shape == (3, 3)
    manifest = program({}, function).manifest()
    assert manifest["format"] == 1 and "dims" not in manifest


def test_outputs_that_only_running_sizes() -> None:
    """A module without its text."""
    text = HOST.replace('tloop.output_shapes = [["2*batch", "seq"], []]', "tloop.other = 0")
    assert [output.shape for output in host(text).outputs] == [("?", "?"), ()]


def test_ranges_change_the_key_of_the_cache() -> None:
    options = [Options(dims=dims) for dims in ({}, {"n": 1}, {"n": (1, 2)}, {"n": (1, None)})]
    assert len({option.key_text() for option in options}) == 4
    assert options[2].fixed_dims() == {} and options[2].dim_ranges() == {"n": (1, 2)}
    assert options[1].fixed_dims() == {"n": 1} and options[1].dim_ranges() == {}
    with pytest.raises(CompileError, match=r"dims\['n'\]: no size is at least 2"):
        Options(dims={"n": (2, 1)}).dim_ranges()
