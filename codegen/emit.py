"""Compiles LLVM IR text to object code, assembly or optimised IR, through llvmlite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import llvmlite.binding as llvm

from mlc.codegen.errors import CodegenError
from mlc.codegen.llvm_text import add_definition_attributes, set_target, to_llvm22, unknown_intrinsics
from mlc.targets import Target
from mlc.threads import once

OutputFormat = Literal["object", "asm", "llvm-ir"]
# The unit of SVE's vector lengths too.
NEON_BITS = 128


def emit(
    ir_text: str,
    target: Target,
    output: OutputFormat = "object",
    optimize: int = 3,
    *,
    own_runtime: bool = True,
) -> bytes:
    """Compiles the LLVM IR `ir_text` (of LLVM 22 or 24) for `target`.

    `optimize` is LLVM's level, 0 to 3. The code is position-independent (small code model). Multiplications
    and additions are fused only where the IR has the `contract` flag. With `own_runtime` OpenMP's entry
    points are those of mlc's runtime, `mlc_kmpc_*`. Returns the object file, or the text of the assembly or
    of the optimised IR in UTF-8. Raises CodegenError with LLVM's message."""
    with _target_machine(target, optimize) as machine:
        text = set_target(to_llvm22(ir_text, own_runtime), target.triple, str(machine.target_data))
        text = add_definition_attributes(text, _function_attributes(target), _vector_length(target))
        # Closed in this order: left to the garbage collector, which keeps none in a cycle (an exception's
        # traceback is enough for one), the module would be freed after its context, and crash.
        with llvm.create_context() as context, _parse(text, context) as module:
            _optimize(module, machine, optimize)
            return _output(module, machine, output)


def link_modules(texts: Sequence[str]) -> str:
    """Links IR texts of LLVM 22 or 24 to one of LLVM 22; private symbols stay separate.

    Raises CodegenError when `texts` is empty, or two of them define the same symbol.
    """
    if not texts:
        raise CodegenError("nothing to link: no LLVM module was given")
    initialize_llvm()
    with llvm.create_context() as context, _parse(to_llvm22(texts[0]), context) as linked:
        for text in texts[1:]:
            with _parse(to_llvm22(text), context) as part:
                _link(linked, part)
        return str(linked)


def _link(linked: llvm.ModuleRef, part: llvm.ModuleRef) -> None:
    """Moves `part` into `linked`."""
    try:
        linked.link_in(part)
    except RuntimeError as error:
        raise CodegenError("LLVM cannot link the modules", (str(error).strip(),)) from None


@once
def initialize_llvm() -> None:
    """Initialises all targets of llvmlite's LLVM, once per process."""
    # Loop strength reduction keeps an address per row of a register tile, more than there are registers; its
    # loads share one address and differ by constants.
    llvm.set_option("mlc", "-disable-lsr")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def _target_machine(target: Target, optimize: int) -> llvm.TargetMachine:
    initialize_llvm()
    try:
        return llvm.Target.from_triple(target.triple).create_target_machine(
            cpu=target.cpu,
            features=",".join(target.features),
            opt=optimize,
            reloc="pic",
            codemodel="small",
        )
    except RuntimeError as error:
        raise CodegenError(f"LLVM has no target {target.triple}", (str(error).strip(),)) from None


def _function_attributes(target: Target) -> dict[str, str]:
    """Returns the attributes of every definition: the processor, and the width of the target's vectors.

    Without the width, LLVM splits loops into 256-bit vectors on many processors that have 512-bit ones.
    """
    attributes = {}
    if target.cpu:
        attributes["target-cpu"] = target.cpu
    if target.architecture == "x86_64":
        attributes["prefer-vector-width"] = str(target.vector_bits)
    if target.features:
        attributes["target-features"] = ",".join(target.features)
    return attributes


def _vector_length(target: Target) -> str:
    """Returns the attribute by which LLVM uses SVE of the vectors' length or more, if NEON is shorter."""
    if target.architecture == "aarch64" and target.vector_bits > NEON_BITS:
        return f"vscale_range({target.vector_bits // NEON_BITS},0)"
    return ""


def _parse(text: str, context: llvm.ContextRef) -> llvm.ModuleRef:
    try:
        module = llvm.parse_assembly(text, context)
    except RuntimeError as error:
        raise CodegenError("LLVM refuses the generated IR", (str(error).strip(),)) from None
    try:
        _check(module)
    except CodegenError:
        module.close()
        raise
    return module


def _check(module: llvm.ModuleRef) -> None:
    """Raises CodegenError for invalid IR, and for intrinsics that this LLVM does not know."""
    try:
        module.verify()
    except RuntimeError as error:
        raise CodegenError("LLVM refuses the generated IR", (str(error).strip(),)) from None
    unknown = unknown_intrinsics(module.functions)
    if unknown:
        version = ".".join(map(str, llvm.llvm_version_info[:2]))
        raise CodegenError(f"intrinsics unknown to LLVM {version}: {', '.join(unknown)}")


def _optimize(module: llvm.ModuleRef, machine: llvm.TargetMachine, level: int) -> None:
    """Runs LLVM's default pipeline of `level` over `module`."""
    with llvm.create_pipeline_tuning_options(speed_level=level) as tuning:
        tuning.loop_vectorization = True
        tuning.slp_vectorization = False
        # Schedules unroll what is worth it; LLVM's own unrolling of their loops only costs compile time.
        tuning.loop_unrolling = False
        with llvm.create_pass_builder(machine, tuning) as builder, builder.getModulePassManager() as manager:
            manager.run(module, builder)


def _output(module: llvm.ModuleRef, machine: llvm.TargetMachine, output: OutputFormat) -> bytes:
    if output == "llvm-ir":
        return str(module).encode()
    try:
        return machine.emit_assembly(module).encode() if output == "asm" else machine.emit_object(module)
    except RuntimeError as error:
        raise CodegenError("LLVM cannot generate code", (str(error).strip(),)) from None
