"""The printer of mlc-opt: the printer flags of the command line as one function."""

from __future__ import annotations

from typing import Any, Protocol

from mlc.bindings import ir, parent_op
from mlc.bindings.diagnostics import capture_diagnostics
from mlc.tools.command_line import CommandLine, UsageError
from mlc.tools.opt.value_users import print_annotated


class Printer(Protocol):
    """Turns an op into text."""

    def __call__(self, op: ir.Operation, verified: bool = False, /) -> str:
        """Returns the text of `op`, which is not verified again before printing if it is `verified`."""


_SWITCHES = {
    "mlir-print-op-generic": "print_generic_op_form",
    "mlir-print-debuginfo": "enable_debug_info",
    "mlir-pretty-debuginfo": "pretty_debug_info",
    "mlir-use-nameloc-as-prefix": "use_name_loc_as_prefix",
    "mlir-print-skip-regions": "skip_regions",
    "mlir-print-assume-verified": "assume_verified",
}
_LIMITS = {
    "mlir-elide-elementsattrs-if-larger": "large_elements_limit",
    "mlir-elide-resource-strings-if-larger": "large_resource_limit",
}


def make_printer(line: CommandLine) -> Printer:
    """Returns the printer that the flags ask for. Raises `UsageError`."""
    options: dict[str, Any] = {option: line.switch(flag) for flag, option in _SWITCHES.items()}
    options["enable_debug_info"] |= options["pretty_debug_info"]
    for flag, option in _LIMITS.items():
        if line.is_given(flag):
            options[option] = line.count(flag, 0)
    assumed = options["assume_verified"]
    users, unique = line.switch("mlir-print-value-users"), line.switch("mlir-print-unique-ssa-ids")
    if (users or unique) and options["use_name_loc_as_prefix"]:
        raise UsageError(
            "--mlir-use-nameloc-as-prefix cannot be combined with --mlir-print-value-users or -unique-ssa-ids"
        )
    local = line.switch("mlir-print-local-scope")

    def show(op: ir.Operation, verified: bool = False, /) -> str:
        """Prints `op` with the options."""
        # Printing verifies, and invalid IR is printed in generic form; its errors were reported before.
        options["assume_verified"] = assumed or verified
        with capture_diagnostics(op.context):
            local_scope = local or parent_op(op) is not None
            if not (users or unique):
                return op.get_asm(use_local_scope=local_scope, **options)
            valid = options["assume_verified"] or op.verify()
            form = {"print_generic_op_form": options["print_generic_op_form"] or not valid}
            scope = {"use_local_scope": local_scope}
            return print_annotated(op, options | form | scope, users=users, unique=unique)

    return show
