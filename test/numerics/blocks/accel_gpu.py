"""Programs of thread blocks as code of threads, which the emulator runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np
from emulator import Options, TensorMap, launch, load_kernel

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.dialects import create_context
from mlc.passes.common.rewriting import collect_ops
from mlc.pipelines.driver import run_pipeline

TARGETS = {
    "sm_80": "cuda:sm_80",
    "sm_90a": "cuda:sm_90a",
    "gfx90a": "hip:gfx90a",
    "gfx942": "hip:gfx942",
}


def run(
    text: str,
    *arrays: np.ndarray,
    arch: str = "sm_80",
    seed: int = 1,
    change: Callable[[ir.Module], ir.Module] = lambda module: module,
) -> None:
    """Runs the kernel of a module on its inputs and outputs, with races detected, in an order that `seed`
    decides; what `change` makes of its threads."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline(f"builtin.module(tloop-set-target{{target={TARGETS[arch]}}}, accel-to-threads)", module)
        module = change(module)
        workspaces = {
            address(op): _undefined_memory(op.results[0].type)
            for op in collect_ops(module.operation, "memref.alloc")
        }
        for call in collect_ops(module.operation, "gpu.launch_func"):
            _launch(module, call, arrays, workspaces, seed)


def _launch(
    module: ir.Module,
    call: ir.Operation,
    arrays: tuple[np.ndarray, ...],
    workspaces: dict[int, np.ndarray],
    seed: int,
) -> None:
    sizes = ir.DenseI32ArrayAttr(call.attributes["operandSegmentSizes"])
    operands = list(call.operands)
    groups = [operands[begin:end] for begin, end in pairwise(accumulate(sizes, initial=0))]
    grid, cluster = (
        tuple(_integer(values[0]) for values in part if values) for part in (groups[1:4], groups[7:10])
    )
    shared_bytes = _integer(groups[10][0]) if groups[10] else 0
    arguments = [_argument(value, arrays, workspaces) for value in groups[11]]
    name = call.attributes["kernel"].value[-1]
    for parameter, described in _tensor_maps(module, name).items():
        arguments[parameter] = _tensor_map(arguments, described)
    options = Options(seed=seed, races=True)
    kernel = load_kernel(module, name)
    assert cluster == tuple(kernel.attributes.get("nvvm.cluster_dim", ()))
    launch(kernel, *arguments, grid=grid, shared_bytes=shared_bytes, options=options)


def _undefined_memory(memref_type: ir.MemRefType) -> np.ndarray:
    """Memory in which nobody has written: NaN, or the largest integers."""
    array = np.empty(
        memref_type.shape, np.dtype(str(memref_type.element_type).replace("f", "float").replace("i", "int"))
    )
    array.fill(np.nan if array.dtype.kind == "f" else np.iinfo(array.dtype).max)
    return array


def _tensor_maps(module: ir.Module, name: str) -> dict[int, ir.DictAttr]:
    """Returns a kernel's descriptions of its tensor maps by the parameter's index."""
    functions = collect_ops(module.operation, "llvm.func")
    (kernel,) = (function for function in functions if function.attributes["sym_name"].value == name)
    maps = dict(kernel.attributes).get("accel.tensor_maps", [])
    return {tensor_map["parameter"].value: tensor_map for tensor_map in maps}


def _tensor_map(arguments: Sequence[object], described: ir.DictAttr) -> TensorMap:
    array = arguments[described["pointer"].value]
    assert isinstance(array, np.ndarray)
    names = ("dims", "strides", "box", "steps")
    dims, strides, box, steps = (list(ir.DenseI64ArrayAttr(described[name])) for name in names)
    # Dims of length 1 may be missing.
    array = array.reshape(dims[::-1])
    assert strides == list(array.strides[:-1][::-1])
    dtype = described["dtype"].value
    assert dtype in (array.dtype.name, "tfloat32")
    return TensorMap(array, tuple(box), described["swizzle"].value, dtype == "tfloat32", tuple(steps))


def _integer(value: ir.Value) -> int:
    return int(ir.IntegerAttr(value.owner.attributes["value"]).value)


def _argument(
    value: ir.Value, arrays: tuple[np.ndarray, ...], workspaces: dict[int, np.ndarray]
) -> np.ndarray | int:
    """Returns the array whose pointer is passed, an argument or a workspace, or an integer."""
    while not isinstance(value, ir.BlockArgument):
        if value.owner.name == "memref.alloc":
            return workspaces[address(value.owner.operation)]
        if value.owner.name == "arith.constant":
            return _integer(value)
        value = value.owner.operands[0]
    return arrays[value.arg_number]


RUNS = {arch: functools.partial(run, arch=arch) for arch in TARGETS}
