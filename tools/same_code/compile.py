"""Compiles subjects to normalised texts of each stage and of each kernel, in worker processes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from mlc.tools.same_code.normalise import Normaliser, hash_of, read_renames, sort_declarations
from mlc.tools.same_code.record import STAGES
from mlc.tools.same_code.subjects import TARGETS, Subject

ENTRIES = ("main", "prepare")
# The target of `@prepare`, instead of the host.
PREPARE_TARGET = "x86-64-v3"
FAILED = "failed\n"


@dataclass(frozen=True)
class RecordedKernel:
    """A kernel, or a host function, to compile. `key` is a hash of its normalised text, `symbols` are its
    name and those of the kernels that it calls."""

    key: str
    symbols: tuple[str, ...]
    text: str
    pipeline: str
    target: str
    level: int


@cache
def normaliser() -> Normaliser:
    """Returns the normaliser of this process."""
    return Normaliser(read_renames())


def stages_job(payload: dict[str, Any]) -> dict[str, Any]:
    """Runs a job: {"subject", "target" of `TARGETS`, "folder" for files, "root" of the model set's builders}
    -> {"texts": normalised by stage, "kernels": `Kernel`s}.

    The stage at which compiling failed has the text "failed"; "message" has the cause, but may change.
    """
    from mlc.compiler import Options
    from mlc.compiler.levels import levels

    if payload["root"] not in sys.path:
        sys.path.append(payload["root"])
    subject, target = Subject.from_fields(payload["subject"]), payload["target"]
    texts: dict[str, str] = {}
    kernels: list[RecordedKernel] = []
    try:
        options = Options(
            target=TARGETS[target].name, cache=False, dims=dict(subject.dims), precision=subject.precision
        )
        module = None
        model = subject.load(Path(payload["folder"]))
        for stage, (_, module) in zip(STAGES, levels(model, options), strict=False):
            texts[stage] = _module_text(module.operation)
        assert module is not None
        kernels = list(_kernels(module.operation, options, target))
    except Exception as error:
        texts[STAGES[len(texts)]] = FAILED
        texts["message"] = f"{type(error).__name__}: {error}"
    return {"texts": texts, "kernels": [asdict(kernel) for kernel in kernels]}


def _module_text(module: Any) -> str:
    return normaliser().module(_parts(module), ENTRIES)


def _parts(module: Any) -> dict[str, str]:
    """Returns the generic texts of a module's ops, by symbol."""
    parts = {}
    for index, view in enumerate(module.regions[0].blocks[0]):
        op = view.operation
        name = op.attributes["sym_name"].value if "sym_name" in op.attributes else f"unnamed{index}"
        parts[name] = _generic(op)
    return parts


def _generic(op: Any) -> str:
    return op.get_asm(
        print_generic_op_form=True, use_local_scope=True, enable_debug_info=False, assume_verified=True
    )


def _kernels(module: Any, options: Any, target: str) -> Iterator[RecordedKernel]:
    from mlc.codegen.host_target import resolve_target
    from mlc.compiler.code_path import code_paths
    from mlc.compiler.compilation_units import split

    prepare = resolve_target(PREPARE_TARGET if TARGETS[target].on_gpu else TARGETS[target].name)
    paths = code_paths(options)
    paths["prepare"] = replace(paths["prepare"], target=prepare, machine=prepare)
    for units in split(module, paths).values():
        for name, text in units.kernels_to_compile().items():
            path = units.path_of(name)
            yield _kernel(module, [name], text, path.kernel, path, target)
        if units.path.host is not None:
            called = sorted(units.host.kernels, key=units.host.text.find)
            yield _kernel(
                module, [units.host.name, *called], units.host.text, units.path.host, units.path, target
            )


def _kernel(
    module: Any, symbols: Sequence[str], text: str, pipeline: str, path: Any, target: str
) -> RecordedKernel:
    from mlc.bindings import ir

    with module.context:
        generic = normaliser().code(_generic(ir.Module.parse(text).operation), symbols)
    key = hash_of(f"{path.level}\n{generic}")
    return RecordedKernel(key, tuple(symbols), text, pipeline, str(path.machine), path.level)


def code_job(payload: dict[str, Any]) -> dict[str, Any]:
    """Runs a job: a `Kernel` -> {"texts"}: "source", and normalised "llvm" (the llvm dialect), "ll" (LLVM
    IR), "asm" (assembly, or PTX). If the kernel fails to compile, "llvm" is "failed" and "message" the
    cause."""
    from mlc.codegen.emit import emit
    from mlc.compiler.kernel_job import convert_pass_errors, lower_module
    from mlc.targets import GpuTarget, parse_target

    kernel = RecordedKernel(**payload)
    target = parse_target(kernel.target)
    on_gpu = isinstance(target, GpuTarget)
    texts = {"source": kernel.text}
    try:
        with convert_pass_errors(), lower_module(kernel.text, kernel.pipeline) as module:
            # Declarations are in the order of kernels' names.
            parts = [normaliser().code(part, kernel.symbols) for part in _parts(module).values()]
            texts["llvm"] = "\n".join(sorted(parts))
            texts["ll"] = _llvm_ir(module, kernel, on_gpu)
        texts["asm"] = emit(texts["ll"], target, "asm", kernel.level, own_runtime=not on_gpu).decode()
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return {"texts": {"source": kernel.text, "llvm": FAILED, "message": message}}
    normalised = {stage: normaliser().code(text, kernel.symbols) for stage, text in texts.items()}
    return {"texts": {stage: sort_declarations(text) for stage, text in normalised.items()}}


def _llvm_ir(module: Any, kernel: RecordedKernel, on_gpu: bool) -> str:
    from mlc.bindings import llvm
    from mlc.compiler.device.kernel_job import device_ir

    return device_ir(module) if on_gpu else llvm.translate_module_to_llvmir(module)
