"""Extraction of a module's device code."""

from __future__ import annotations

from mlc.bindings import gpu, ir
from mlc.passes.base import PassError


def device_code(module: ir.Operation) -> ir.Operation:
    """Returns the contents of the only `gpu.module` as a module. Raises PassError if there is not exactly
    one."""
    tops = [op.operation for op in module.regions[0].blocks[0].operations]
    found = [top for top in tops if top.name == gpu.GPUModule.NAME]
    if len(found) != 1:
        raise PassError(f"expected one gpu.module, but there are {len(found)}", module.location)
    return extract(found[0])


def extract(gpu_module: ir.Operation) -> ir.Operation:
    """Returns a module with copies of the ops in `gpu_module`."""
    with gpu_module.location:
        module = ir.Module.create()
        for op in gpu_module.regions[0].blocks[0].operations:
            op.operation.clone(ip=ir.InsertionPoint(module.body))
    return module.operation
