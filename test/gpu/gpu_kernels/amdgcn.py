"""Code for AMD's GPUs, and the resources that it declares."""

from __future__ import annotations

import re

from mlc.bindings import ir
from mlc.bindings.llvm_translation import translate_to_llvm_ir
from mlc.codegen.emit import OutputFormat, emit
from mlc.codegen.triples import gpu_target
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline
from mlc.tools.translate.gpu import device_module

# What the metadata counts that no kernel should need.
_SPILLED = ("vgpr_spill_count", "private_segment_fixed_size")


def code(text: str, pipeline: str, arch: str, output_format: OutputFormat = "asm") -> bytes:
    """Returns the output of `mlc-translate --mlir-to-amdgcn` for a module, after `pipeline` for `arch`."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline(f"builtin.module(tloop-set-target{{target=hip:{arch}}},{pipeline})", module)
        translated = translate_to_llvm_ir(device_module(module.operation, "", "rocdl.kernel"))
    return emit(translated, gpu_target("amdgpu", arch, ""), output_format, own_runtime=False)


def resource(assembly: str, name: str) -> int:
    """Returns a resource count of the only kernel, which the loader reads."""
    (found,) = re.findall(rf"\.{name}: *(\d+)", assembly)
    return int(found)


def stack_use(assembly: str) -> list[int]:
    """Vector registers that are spilled, and bytes of stack."""
    return [resource(assembly, name) for name in _SPILLED]
