"""Programs of thread blocks, written by hand, and how tests run them on the CPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.codegen.host_target import host_target
from mlc.compiler.kernel_job import compile_object
from mlc.runtime import Image, call_entry

SHARED = "#gpu.address_space<workgroup>"


def kernel(
    buffers: dict[str, str], grid: Sequence[int], body: str, warps: int = 4, cluster: Sequence[int] = ()
) -> str:
    """A kernel `@k` on `buffers`, name -> type, with one launch: `body` for each block `%block0, ...`, in
    clusters if a shape of these is given."""
    arguments = ", ".join(f"%{name}: {value_type}" for name, value_type in buffers.items())
    operands = ", ".join(f"%block{dim}: index" for dim in range(len(grid)))
    bounds = ", ".join(f"%grid{dim}" for dim in range(len(grid)))
    constants = "\n".join(f"%grid{dim} = arith.constant {size} : index" for dim, size in enumerate(grid))
    shape = f"cluster = array<i64: {', '.join(map(str, cluster))}>, " if cluster else ""
    return f"""module attributes {{tloop.target = "{host_target()}"}} {{
      func.func private @k({arguments}) attributes {{tloop.kernel}} {{
        {constants}
        "accel.launch"({bounds}) ({{
        ^bb0({operands}):
          {body}
        }}) {{{shape}warps = {warps} : i64}} : ({", ".join(["index"] * len(grid))}) -> ()
        return
      }} }}"""


def index(name: str, value: int) -> str:
    return f"%{name} = arith.constant {value} : index"


def alloc(name: str, value_type: str, stages: int = 1) -> str:
    """A buffer in shared memory; `value_type` is "64x32xf16". Swizzled if its rows are long enough."""
    *_, columns, element = value_type.split("x")
    row = int(columns) * int(element.lstrip("uibf").split("E")[0]) // 8
    swizzle = next((size for size in (128, 64, 32) if row % size == 0), 0)
    return (
        f'%{name} = "accel.alloc"() {{stages = {stages} : i64, swizzle = {swizzle} : i64}} : () -> '
        f"memref<{value_type}, {SHARED}>"
    )


def copy(source: str, target: str, offsets: Sequence[str], types: Sequence[str], token: str) -> str:
    """A copy between memories of `types`, "64x32xf16" and so on."""
    operands = ", ".join([f"%{source}", f"%{target}", *(f"%{offset}" for offset in offsets)])
    return (
        f'%{token} = "accel.copy"({operands}) : ({", ".join([*types, *["index"] * len(offsets)])}) '
        "-> !accel.token"
    )


def wait(*tokens: str) -> str:
    types = ", ".join(["!accel.token"] * len(tokens))
    return f'"accel.wait"({", ".join(f"%{token}" for token in tokens)}) : ({types}) -> ()'


def run(text: str, *arrays: np.ndarray) -> None:
    """Compiles the kernel for this machine, and runs it on its inputs and outputs, with two threads."""
    target = str(host_target())
    compiled = compile_object({"text": text, "pipeline": "accel-cpu", "target": target, "optimize": 1})
    buffers = [array.reshape(-1).view(np.uint8) for array in arrays]
    call_entry(Image([compiled["object"]]), "k", buffers, [], 2)
