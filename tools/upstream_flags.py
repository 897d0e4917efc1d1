"""The flags of upstream's mlir-opt, mlir-translate and mlir-reduce, and what a user of them has to know.

For the tools' pages and errors. Flags of LLVM's own libraries and of passes are left out. A name with `*` at
its end stands for all that begin so.
"""

from __future__ import annotations

_NO_BINDING = "upstream's Python bindings have no way to it"
_WRITTEN = "written in one step: a failure leaves the file that was there"
_HELP = "`--help` lists everything"
_IMPORT = "belongs to `--import-llvm`"
_CPP = "belongs to `--mlir-to-cpp`"
_PRINTER = "nothing here prints MLIR but `--import-onnx`; `mlc-opt` reprints it in any form"
_ALL = "mlc-reduce tries all of its edits, until none makes the input smaller"

# Flag -> what differs, and why; empty where nothing does.
MLIR_OPT_FLAGS: dict[str, str] = {
    "<pass>[=options]": "",
    "allow-unregistered-dialect": "",
    "color": "",
    "debug": "the wheel's MLIR is built without assertions, and so without debug output",
    "debug-counter": _NO_BINDING,
    "debug-only": "the wheel's MLIR is built without assertions, and so without debug output",
    "dump-pass-pipeline": "",
    "elide-resource-data-from-bytecode": _NO_BINDING,
    "emit-bytecode": "",
    "emit-bytecode-version": "",
    "emit-bytecode-producer": _NO_BINDING,
    "help": "no descriptions of upstream's passes: the bindings do not hold them",
    "help-hidden": _HELP,
    "help-list": _HELP,
    "irdl-file": "may be given several times",
    "list-passes": "ours, upstream's and named pipelines, apart",
    "load-dialect-plugin": f"{_NO_BINDING}; `--load-plugin` has Python dialects, `--irdl-file` simple ones",
    "load-pass-plugin": f"{_NO_BINDING}; passes in Python come with `--load-plugin`",
    "log-actions-to": f"{_NO_BINDING}; `--trace-rewrites` shows the rewrites of Python patterns",
    "log-mlir-actions-filter": _NO_BINDING,
    "mlir-debug-counter": _NO_BINDING,
    "mlir-diagnostic-verbosity-level": "",
    "mlir-disable-diagnostic-notes": "",
    "mlir-disable-threading": "accepted: there is one thread, since Python ops need the interpreter's lock",
    "mlir-elide-elementsattrs-if-larger": "",
    "mlir-elide-resource-strings-if-larger": "",
    "mlir-enable-debugger-hook": _NO_BINDING,
    "mlir-generate-reproducer": "",
    "mlir-output-format": "",
    "mlir-pass-pipeline-crash-reproducer": (
        "also for hangs and crashes of the process, which leave a temporary file without the flag"
    ),
    "mlir-pass-pipeline-local-reproducer": "",
    "mlir-pass-statistics": "of Python passes and patterns; the wheel's MLIR is built without statistics",
    "mlir-pass-statistics-display": "",
    "mlir-pretty-debuginfo": "",
    "mlir-print-debug-counter": _NO_BINDING,
    "mlir-print-debuginfo": "",
    "mlir-print-elementsattrs-with-hex-if-larger": _NO_BINDING,
    "mlir-print-ir-after": "",
    "mlir-print-ir-after-all": "an upstream pipeline, such as `sparsifier`, is one step",
    "mlir-print-ir-after-change": "",
    "mlir-print-ir-after-failure": "",
    "mlir-print-ir-before": "",
    "mlir-print-ir-before-all": "",
    "mlir-print-ir-module-scope": "needs no `--mlir-disable-threading`",
    "mlir-print-ir-tree-dir": "",
    "mlir-print-local-scope": "",
    "mlir-print-assume-verified": "",
    "mlir-print-op-generic": "",
    "mlir-print-op-on-diagnostic": "",
    "mlir-print-skip-regions": "",
    "mlir-print-stacktrace-on-diagnostic": f"{_NO_BINDING}; `--mlc-traceback` is for Python passes",
    "mlir-print-unique-ssa-ids": "not together with `--mlir-use-nameloc-as-prefix`",
    "mlir-print-value-users": "with `--mlir-print-debuginfo` locations are printed inline",
    "mlir-timing": (
        "wall time only, no rows for analyses, one row for an upstream pipeline, one report for all chunks"
    ),
    "mlir-timing-display": "",
    "mlir-use-nameloc-as-prefix": "",
    "mlir-very-unsafe-disable-verifier-on-parsing": (
        f"{_NO_BINDING}; `--verify-each=false` skips the checks between passes"
    ),
    "no-implicit-module": "",
    "o": _WRITTEN,
    "output-split-marker": "",
    "pass-pipeline": "also `-p`",
    "profile-actions-to": _NO_BINDING,
    "remark-format": f"{_NO_BINDING}; remarks are diagnostics, see `--mlir-diagnostic-verbosity-level`",
    "remark-policy": _NO_BINDING,
    "remarks-filter": _NO_BINDING,
    "remarks-output-file": _NO_BINDING,
    "run-reproducer": "takes reproducers of mlir-opt as well",
    "show-dialects": "",
    "split-input-file": "",
    "stats": "the wheel's MLIR is built without statistics; see `--mlir-pass-statistics`",
    "test-*": "upstream's test passes and its `test` dialect are not in the wheel",
    "verify-diagnostics": "",
    "verify-each": "",
    "verify-roundtrip": "",
    "version": "",
    "view-op-graph": "",
}


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
    "o": _WRITTEN,
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
# Only those that mlc-reduce has not.
MLIR_REDUCE_FLAGS: dict[str, str] = {
    "reduction-tree": f"{_ALL}; its options `test` and `test-arg` are flags: `--test=script.sh`",
    "opt-reduction-pass": f"{_ALL}; passes are tried by a test that runs `mlc-opt`",
    "no-implicit-module": "the input is a module, or is put into one",
    "split-input-file": "chunks between split markers are found by themselves",
}
