"""Translates a module to device code: `--mlir-to-ptx`, `--mlir-to-cubin`, `--mlir-to-amdgcn[-obj]`."""

from __future__ import annotations

from mlc.bindings import gpu, ir, llvm
from mlc.bindings.llvm_translation import translate_to_llvm_ir
from mlc.bindings.parsing import Listener
from mlc.codegen.emit import OutputFormat, emit
from mlc.codegen.ptxas import assemble_ptx
from mlc.codegen.triples import gpu_target
from mlc.passes.accel.common.device_module import extract
from mlc.targets import Target, TargetError
from mlc.tools.command_line import CommandLine, UsageError
from mlc.tools.translate.errors import TranslationError
from mlc.tools.translate.flags import optimization_level
from mlc.tools.translate.process import Translate

# PTX for Ampere also runs on later GPUs.
_DEFAULT_ARCH = {"nvptx": "sm_80", "amdgpu": "gfx942"}
_KERNEL = {"nvptx": "nvvm.kernel", "amdgpu": "rocdl.kernel"}
_DEFAULT_LEVEL = 3


def to_ptx(line: CommandLine) -> Translate:
    """Translates to PTX text. Raises `UsageError`."""
    return _device_code(line, "nvptx")


def to_amdgcn(line: CommandLine) -> Translate:
    """Translates to assembly of AMD's GPUs. Raises `UsageError`."""
    return _device_code(line, "amdgpu")


def to_amdgcn_object(line: CommandLine) -> Translate:
    """Translates to a relocatable ELF file for AMD's GPUs. Raises `UsageError`."""
    return _device_code(line, "amdgpu", "object")


def to_cubin(line: CommandLine) -> Translate:
    """Translates to the ELF file that NVIDIA's driver loads. Raises `UsageError`."""
    ptx = _device_code(line, "nvptx")
    arch, level = line.value("gpu-arch", _DEFAULT_ARCH["nvptx"]), _level(line)
    return lambda op, listener: assemble_ptx(ptx(op, listener), arch, level)


def _device_code(line: CommandLine, backend: str, output: OutputFormat = "asm") -> Translate:
    target, level, name = _target(line, backend), _level(line), line.value("gpu-module")

    def translate(op: ir.Operation, listener: Listener) -> bytes:
        """Translates one module."""
        device = device_module(op, name, _KERNEL[backend])
        text = translate_to_llvm_ir(device, listener=listener)
        return emit(text, target, output, level, own_runtime=False)

    return translate


def _target(line: CommandLine, backend: str) -> Target:
    arch = line.value("gpu-arch", _DEFAULT_ARCH[backend])
    try:
        return gpu_target(backend, arch, line.value("target-features"))
    except TargetError as error:
        raise UsageError(f"--gpu-arch={arch}: {error}") from error


def _level(line: CommandLine) -> int:
    level = optimization_level(line)
    return _DEFAULT_LEVEL if level is None else level


def device_module(op: ir.Operation, name: str, kernel: str) -> ir.Operation:
    """Returns the contents of the gpu.module called `name` ("" if there is only one) as a separate module, or
    `op` itself if it has no gpu.module but functions with the attribute `kernel`.

    Raises `TranslationError`.
    """
    tops = [top.operation for top in op.regions[0].blocks[0].operations] if _has_body(op) else []
    modules = {_symbol(top): top for top in tops if top.name == gpu.GPUModule.NAME}
    if name and name not in modules:
        raise TranslationError(
            f"no gpu.module @{name}; there are: {_format_symbols(list(modules)) or 'none'}"
        )
    if len(modules) > 1 and not name:
        raise TranslationError(
            f"several gpu.modules: {_format_symbols(list(modules))}; choose one with --gpu-module"
        )
    if modules:
        return extract(modules[name] if name else next(iter(modules.values())))
    if not any(top.name == llvm.LLVMFunc.NAME and kernel in top.attributes for top in tops):
        raise TranslationError(f"no gpu.module, and no llvm.func with the attribute {kernel}")
    return op


def _has_body(op: ir.Operation) -> bool:
    return len(op.regions) == 1 and len(op.regions[0].blocks) == 1


def _symbol(op: ir.Operation) -> str:
    return str(ir.StringAttr(op.attributes["sym_name"]).value)


def _format_symbols(names: list[str]) -> str:
    return ", ".join(f"@{name}" for name in names)
