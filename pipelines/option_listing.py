"""A plan with all options of all passes, as `--dump-pass-pipeline` and dumps of IR show it."""

from __future__ import annotations

from dataclasses import replace

from mlc.bindings import PassManager, ir
from mlc.bindings.upstream import parse_upstream
from mlc.pipelines.grammar import Nest, PassNode, PipelineError, parse_elements, parse_pipeline
from mlc.pipelines.plan import Plan, Step


def with_all_options(step: Step, manager: PassManager) -> Step:
    """An upstream step whose text shows each option, as the pass manager that holds only it does."""
    inside = str(manager).partition("(")[2].removesuffix(")")
    is_pass = inside.startswith(f"{step.name}{{") and inside.endswith("}")
    return replace(step, text=inside) if is_pass else step


def listing(plan: Plan, context: ir.Context) -> str:
    """`plan` with one pass per line, in mlir-opt's form. Raises `UpstreamPassError` for wrong options."""
    return _lines(_expanded(plan, context), "")


def _expanded(plan: Plan, context: ir.Context) -> Nest:
    elements: list[Nest | PassNode] = []
    for item in plan.items:
        if isinstance(item, Plan):
            elements.append(_expanded(item, context))
        elif item.python is not None:
            elements += parse_elements(item.text)
        else:
            manager = parse_upstream(f"{plan.anchor}({item.text})", context)
            elements += _reparsed(str(manager), item)
    return Nest(plan.anchor, tuple(elements))


def _reparsed(text: str, step: Step) -> tuple[Nest | PassNode, ...]:
    """What upstream prints is pipeline text, but for a few passes that print broken options."""
    try:
        return parse_pipeline(text).elements
    except PipelineError:
        return (PassNode(step.text),)


def _lines(nest: Nest, indent: str) -> str:
    inside = f"{indent}  "
    items = [
        _lines(element, inside) if isinstance(element, Nest) else f"{inside}{element}"
        for element in nest.elements
    ]
    return f"{indent}{nest.anchor}(\n" + ",\n".join(items) + f"\n{indent})"
