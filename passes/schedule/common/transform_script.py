"""Scripts of upstream's transform dialect, run on one kernel."""

from __future__ import annotations

from mlc.bindings import interpreter, ir

HANDLE = "!transform.any_op"


def run_script(root: ir.Operation, body: str) -> None:
    """Applies `body`, transform ops on the handle `%root` to `root` written as MLIR text, to `root`.

    Raises ValueError or MLIRError with MLIR's message when a transform does not apply.
    """
    text = (
        "module attributes {transform.with_named_sequence} {\n"
        f"transform.named_sequence @__transform_main(%root: {HANDLE}) {{\n{body}\ntransform.yield\n}}\n}}"
    )
    with root.context, ir.Location.unknown():
        script = ir.Module.parse(text)
        interpreter.apply_named_sequence(root, script.body.operations[0].operation, script.operation)


def apply_patterns(*pattern_sets: str) -> str:
    """Returns a script: one greedy rewrite of the root with the named pattern sets
    (`vector.lower_outerproduct`, ...)."""
    lines = "\n".join(f"transform.apply_patterns.{name}" for name in pattern_sets)
    return f"transform.apply_patterns to %root {{\n{lines}\n}} : {HANDLE}"


def match(result: str, attribute: str) -> str:
    """Returns a script: `%result` becomes the handle to every op below the root that carries `attribute`."""
    return (
        f"%{result} = transform.structured.match attributes{{{attribute}}} in %root : ({HANDLE}) -> {HANDLE}"
    )


def match_ops(result: str, *names: str) -> str:
    """Returns a script: `%result` becomes the handle to every op below the root with one of the names."""
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"%{result} = transform.structured.match ops{{[{quoted}]}} in %root : ({HANDLE}) -> {HANDLE}"
