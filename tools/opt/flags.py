"""The flags of mlc-opt, besides one flag per pass and pipeline."""

from __future__ import annotations

from dataclasses import replace

from mlc.tools.command_line import Flag
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

# Flags by their headings in `--help`.
FLAG_GROUPS: dict[str, tuple[Flag, ...]] = {
    "General": (
        HELP,
        replace(HELP, name="h"),
        VERSION,
        Flag("list-passes", "list all passes and pipelines, ours and upstream's"),
        Flag("show-dialects", "list all dialects, ours and upstream's"),
        OUTPUT,
        Flag(
            "load-plugin",
            "load a plugin: a Python file or package with register(registry)",
            "path",
            repeated=True,
        ),
        Flag("mlir-disable-threading", "accepted and ignored: mlc-opt runs passes on one thread"),
    ),
    "Input and output": (
        SPLIT_INPUT_FILE,
        OUTPUT_SPLIT_MARKER,
        ALLOW_UNREGISTERED,
        NO_IMPLICIT_MODULE,
        Flag(
            "irdl-file",
            "load the dialects that an IRDL file defines, before the input is parsed",
            "file",
            repeated=True,
        ),
        Flag("emit-bytecode", "write bytecode instead of text"),
        Flag("emit-bytecode-version", "the version of the bytecode format to write", "version"),
        Flag(
            "verify-roundtrip", "check that the input survives printing and parsing, as text and as bytecode"
        ),
    ),
    "Pipelines": (
        Flag(
            "pass-pipeline",
            "run a textual pipeline, e.g. builtin.module(cse,func.func(canonicalize))",
            "text",
            letter="p",
        ),
        Flag("dump-pass-pipeline", "print the pipeline, after implicit nesting, to stderr before it runs"),
        Flag("verify-each", "verify the IR after each pass (default true)", "bool", optional=True),
    ),
    "Diagnostics": (
        VERIFY_DIAGNOSTICS,
        Flag(
            "mlir-diagnostic-verbosity-level",
            "the least grave diagnostics that are shown: errors, warnings or remarks (default)",
            "level",
        ),
        COLOR,
        Flag("mlir-disable-diagnostic-notes", "do not print notes of diagnostics"),
        Flag(
            "mlir-print-op-on-diagnostic",
            "print the op of an error as a note (default true)",
            "bool",
            optional=True,
        ),
    ),
    "Reproducers": (
        Flag("run-reproducer", "run the pipeline that the input file holds"),
        Flag(
            "mlir-pass-pipeline-crash-reproducer",
            "write a reproducer to a file when a pass fails, crashes or hangs",
            "file",
        ),
        Flag(
            "mlir-pass-pipeline-local-reproducer",
            "with the above: the reproducer holds only the pass that failed and the IR before it",
        ),
        Flag("mlir-generate-reproducer", "write a reproducer to a file before the passes run", "file"),
    ),
    "IR before and after passes": (
        Flag("mlir-print-ir-before", "print IR before the given passes", "passes", repeated=True),
        Flag("mlir-print-ir-after", "print IR after the given passes", "passes", repeated=True),
        Flag("mlir-print-ir-before-all", "print IR before each pass"),
        Flag("mlir-print-ir-after-all", "print IR after each pass"),
        Flag("mlir-print-ir-after-change", "with -after flags: print only if the pass changed the IR"),
        Flag("mlir-print-ir-after-failure", "print IR after a pass that failed"),
        Flag("mlir-print-ir-module-scope", "print the whole module, also for passes on functions"),
        Flag(
            "mlir-print-ir-tree-dir",
            "with the flags above: write each print to a file, in a tree of folders by op",
            "folder",
        ),
        Flag(
            "trace-rewrites",
            "print each rewrite of a Python pattern: where, the op before, the ops after; "
            "of patterns whose names match a regular expression, or of all",
            "regex",
            optional=True,
        ),
    ),
    "Form of printed IR": (
        Flag("mlir-print-op-generic", "print the generic form of ops"),
        Flag("mlir-print-debuginfo", "print locations"),
        Flag("mlir-pretty-debuginfo", "print locations in a form for people; cannot be parsed"),
        Flag("mlir-print-skip-regions", "print ops without what is inside their regions"),
        Flag("mlir-print-assume-verified", "print without verifying first"),
        Flag("mlir-print-value-users", "print the users of values as comments"),
        Flag("mlir-print-unique-ssa-ids", "print names of values that are unique across regions"),
        Flag("mlir-print-local-scope", "print without aliases for locations, types and attributes"),
        Flag("mlir-use-nameloc-as-prefix", "name values after their named locations"),
        Flag("mlir-elide-elementsattrs-if-larger", "elide constants with more elements", "count"),
        Flag("mlir-elide-resource-strings-if-larger", "elide resources with more characters", "count"),
    ),
    "Timing and statistics": (
        Flag("mlir-timing", "print the time that each pass took to stderr"),
        Flag("mlir-timing-display", "as a tree (default), or as a list with the longest first", "tree|list"),
        Flag("mlir-output-format", "the form of the timing report: text (default) or json", "text|json"),
        Flag(
            "mlir-pass-statistics", "print what passes of mlc count, and how often each pattern rewrote an op"
        ),
        Flag(
            "mlir-pass-statistics-display",
            "by position in the pipeline (default), or as a list with the sums by pass",
            "pipeline|list",
        ),
    ),
    "Crashes": GUARD_FLAGS,
}
FLAGS = tuple(flag for flags in FLAG_GROUPS.values() for flag in flags)
