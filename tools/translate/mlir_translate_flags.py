"""The flags of upstream's mlir-translate, and what a user of them has to know of mlc-translate.

For its page and its errors. Flags of LLVM's own libraries are left out. A name with `*` at its end stands
for all that begin so.
"""

from __future__ import annotations

_NO_BINDING = "upstream's Python bindings have no way to it"
_IMPORT = "belongs to `--import-llvm`"
_CPP = "belongs to `--mlir-to-cpp`"
_PRINTER = "nothing here prints MLIR but `--import-onnx`; `mlc-opt` reprints it in any form"

# Flag -> what differs, and why; empty where nothing does.
MLIR_TRANSLATE_FLAGS: dict[str, str] = {
    "allow-unregistered-dialect": "",
    "declare-variables-at-top": _CPP,
    "deserialize-spirv": _NO_BINDING,
    "drop-di-composite-type-elements": _IMPORT,
    "emit-expensive-warnings": _IMPORT,
    "error-diagnostics-only": "",
    "export-smtlib": "not offered; `export_smtlib` of the wheel's Python module `dialects.smt` does it",
    "file-id": _CPP,
    "help": "",
    "import-llvm": (
        "refused: the MLIR bindings that mlc builds on cannot read LLVM IR (their library has no import); "
        "use mlir-translate of an LLVM installation"
    ),
    "import-structs-as-literals": _IMPORT,
    "import-wasm": _NO_BINDING,
    "mlir-disable-threading": "there is one thread; leave it out",
    "mlir-elide-*": _PRINTER,
    "mlir-print-debuginfo": "with `--import-onnx`",
    "mlir-print-*": _PRINTER,
    "mlir-timing": "not measured; `mlc-opt` has it for passes",
    "mlir-to-cpp": "the bindings have no C++ emitter; use mlir-translate of an LLVM installation",
    "mlir-to-llvmir": "LLVM 24's text; with a target or a level as that target's, optimised",
    "no-implicit-module": "",
    "o": "written in one step: a failure leaves the file that was there",
    "output-split-marker": "",
    "prefer-unregistered-intrinsics": _IMPORT,
    "serialize-spirv": _NO_BINDING,
    "smtlibexport-*": "belongs to `--export-smtlib`",
    "spirv-*": "belongs to `--serialize-spirv`",
    "split-input-file": "",
    "test-*": "upstream's test translations are not in the wheel",
    "verify-diagnostics": "",
    "version": "",
}
