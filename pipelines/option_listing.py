"""Lists a plan with all options of all passes, as `--dump-pass-pipeline` and dumps of IR show it."""

from __future__ import annotations

from dataclasses import replace

from mlc.bindings import PassManager, ir
from mlc.bindings.upstream import parse_upstream
from mlc.pipelines.grammar import NestedElements, PassNode, PipelineError, parse_elements, parse_pipeline
from mlc.pipelines.plan import PassPlan, PassStep


def with_all_options(step: PassStep, manager: PassManager) -> PassStep:
    """Returns an upstream step with all options in its text, as the pass manager of it alone prints them."""
    inside = str(manager).partition("(")[2].removesuffix(")")
    is_pass = inside.startswith(f"{step.name}{{") and inside.endswith("}")
    return replace(step, text=inside) if is_pass else step


def listing(plan: PassPlan, context: ir.Context) -> str:
    """Returns `plan` with one pass per line, in mlir-opt's form. Raises `UpstreamPassError` for wrong
    options."""
    return _lines(_expand(plan, context), "")


def _expand(plan: PassPlan, context: ir.Context) -> NestedElements:
    elements: list[NestedElements | PassNode] = []
    for item in plan.items:
        if isinstance(item, PassPlan):
            elements.append(_expand(item, context))
        elif item.python is not None:
            elements += parse_elements(item.text)
        else:
            manager = parse_upstream(f"{plan.anchor}({item.text})", context)
            elements += _reparse(str(manager), item)
    return NestedElements(plan.anchor, tuple(elements))


def _reparse(text: str, step: PassStep) -> tuple[NestedElements | PassNode, ...]:
    """Parses upstream's text of a step, or keeps the step for the few passes that print broken options."""
    try:
        return parse_pipeline(text).elements
    except PipelineError:
        return (PassNode(step.text),)


def _lines(nest: NestedElements, indent: str) -> str:
    inside = f"{indent}  "
    items = [
        _lines(element, inside) if isinstance(element, NestedElements) else f"{inside}{element}"
        for element in nest.elements
    ]
    return f"{indent}{nest.anchor}(\n" + ",\n".join(items) + f"\n{indent})"
