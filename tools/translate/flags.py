"""The flags of mlc-translate: one per translation, and their options."""

from __future__ import annotations

from dataclasses import replace

from mlc.tools.command_line import CommandLine, Flag, UsageError
from mlc.tools.flags import (
    ALLOW_UNREGISTERED,
    COLOR,
    GUARD_FLAGS,
    HELP,
    NO_IMPLICIT_MODULE,
    OUTPUT,
    OUTPUT_SPLIT_MARKER,
    SPLIT_INPUT_FILE,
    VERIFY_DIAGNOSTICS,
    VERSION,
)
from mlc.tools.upstream_flags import MLIR_TRANSLATE_FLAGS

# Translation -> "module:function"; the function takes the command line, the input's path and the
# activity, and writes the output.
WHOLE_FILE = {
    "import-onnx": "mlc.tools.translate.import_onnx:import_onnx",
}

# Translation of MLIR -> "module:function"; the function takes the command line, raises `UsageError`, and
# returns a `Translate` (see process.py), which is called for every chunk of the input.
EXPORTS = {
    "mlir-to-llvmir": "mlc.tools.translate.export:to_llvm_ir",
    "mlir-to-asm": "mlc.tools.translate.export:to_assembly",
    "mlir-to-obj": "mlc.tools.translate.export:to_object",
    "mlir-to-ptx": "mlc.tools.translate.gpu:to_ptx",
    "mlir-to-cubin": "mlc.tools.translate.gpu:to_cubin",
    "mlir-to-amdgcn": "mlc.tools.translate.gpu:to_amdgcn",
    "mlir-to-amdgcn-obj": "mlc.tools.translate.gpu:to_amdgcn_object",
}
TRANSLATIONS = {**WHOLE_FILE, **EXPORTS}

FLAGS = (
    HELP,
    VERSION,
    *GUARD_FLAGS,
    Flag("import-onnx", "ONNX model to a module of the graph dialect"),
    Flag("mlir-to-llvmir", "module of the llvm dialect to LLVM IR text, unoptimised unless a level is given"),
    Flag("mlir-to-asm", "module of the llvm dialect to assembly"),
    Flag("mlir-to-obj", "module of the llvm dialect to an object file"),
    Flag("mlir-to-ptx", "gpu.module of llvm and nvvm ops, or a module with nvvm.kernel functions, to PTX"),
    Flag("mlir-to-cubin", "the same to a cubin; needs ptxas (PATH, CUDA_HOME, /usr/local/cuda, triton)"),
    Flag("mlir-to-amdgcn", "gpu.module of llvm and rocdl ops, or rocdl.kernel functions, to AMD assembly"),
    Flag("mlir-to-amdgcn-obj", "the same to an object file, which a linker (ld.lld) makes loadable"),
    Flag("import-llvm", "refused, with the reason: the MLIR bindings cannot read LLVM IR"),
    OUTPUT,
    Flag("dim", "fix a dynamic dim of an ONNX model, e.g. batch=1", "name=size", repeated=True),
    Flag("shape", "give an input's shape, e.g. x:1x3x224x224 (-1 keeps a dim)", "input:dims", repeated=True),
    Flag(
        "import-budget",
        "let an ONNX model expand to more: nodes, constant_bytes, elements or seconds=N",
        "limit=N",
        repeated=True,
    ),
    Flag("mlir-print-debuginfo", "print locations: the names of ONNX nodes"),
    Flag("target-triple", "e.g. aarch64-unknown-linux-gnu (default: the module's, or the host's)", "triple"),
    Flag("target-cpu", "processor: LLVM's name (default: host, or the triple's generic one)", "cpu"),
    Flag("target-features", "features to add or take away, e.g. +avx2,-sse4a; +ptx86 for PTX", "features"),
    Flag("gpu-arch", "GPU, e.g. sm_90a or gfx942 (default sm_80, gfx942)", "arch"),
    Flag("gpu-module", "the gpu.module to translate, where there are several", "name"),
    Flag("opt-level", "LLVM's optimisation level, 0 to 3 (default 3; --mlir-to-llvmir: none)", "level"),
    *(Flag(f"O{level}", f"short for --opt-level={level}") for level in range(4)),
    SPLIT_INPUT_FILE,
    replace(OUTPUT_SPLIT_MARKER, help=f"{OUTPUT_SPLIT_MARKER.help} (default: an empty line)"),
    ALLOW_UNREGISTERED,
    NO_IMPLICIT_MODULE,
    VERIFY_DIAGNOSTICS,
    Flag("error-diagnostics-only", "do not print warnings, remarks and notes"),
    COLOR,
)

_CPU = ("mlir-to-llvmir", "mlir-to-asm", "mlir-to-obj")
_GPU = ("mlir-to-ptx", "mlir-to-cubin", "mlir-to-amdgcn", "mlir-to-amdgcn-obj")
# Flag -> the translations that it changes; with others it would be silently without effect.
_APPLIES = {
    **dict.fromkeys(("dim", "shape", "import-budget", "mlir-print-debuginfo"), ("import-onnx",)),
    **dict.fromkeys(("target-triple", "target-cpu"), _CPU),
    **dict.fromkeys(("gpu-arch", "gpu-module"), _GPU),
    **dict.fromkeys(("target-features", "opt-level", "O0", "O1", "O2", "O3"), _CPU + _GPU),
    **dict.fromkeys(
        (
            "split-input-file",
            "output-split-marker",
            "allow-unregistered-dialect",
            "no-implicit-module",
            "verify-diagnostics",
            "error-diagnostics-only",
        ),
        tuple(EXPORTS),
    ),
}


def chosen_translation(line: CommandLine) -> str:
    """The one translation that was asked for. Raises `UsageError`, also for flags that do not go with it."""
    if line.switch("import-llvm"):
        raise UsageError(f"--import-llvm is {MLIR_TRANSLATE_FLAGS['import-llvm']}")
    chosen = [name for name in TRANSLATIONS if line.switch(name)]
    if len(chosen) != 1:
        listed = ", ".join(f"--{name}" for name in TRANSLATIONS)
        raise UsageError(f"exactly one translation must be given: one of {listed}")
    for flag, translations in _APPLIES.items():
        if line.is_given(flag) and chosen[0] not in translations:
            raise UsageError(f"--{flag} has no effect on --{chosen[0]}")
    return chosen[0]


def optimization_level(line: CommandLine) -> int | None:
    """The level of --opt-level or -O, None if neither was given. Raises `UsageError`."""
    given = [level for level in range(4) if line.switch(f"O{level}")]
    if line.is_given("opt-level"):
        given.append(int(line.choice("opt-level", ("0", "1", "2", "3"))))
    if len(set(given)) > 1:
        raise UsageError(f"several optimisation levels: {', '.join(map(str, given))}")
    return given[0] if given else None
