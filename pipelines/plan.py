"""Resolves pipeline text to a plan: every name is a pass, every pass is nested in the op that it runs on."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from mlc.bindings.upstream_table import UpstreamPass, upstream_passes
from mlc.passes import registry
from mlc.passes.base import OptionError, Pass
from mlc.pipelines.grammar import NestedElements, PassNode, PipelineError, parse_elements
from mlc.pipelines.named import RENAMED, lookup_pipeline, pipeline_names

_TOP = "builtin.module"


@dataclass(frozen=True)
class PassStep:
    """One pass. IR dumps and timing show `title` and `text`; `python` is None for upstream passes."""

    name: str
    title: str
    text: str
    python: Pass | None = None


@dataclass(frozen=True)
class PassPlan:
    """Steps and nested plans that run, in order, on each op called `anchor`."""

    anchor: str
    items: tuple[PassStep | PassPlan, ...]

    def __str__(self) -> str:
        inside = ",".join(item.text if isinstance(item, PassStep) else str(item) for item in self.items)
        return f"{self.anchor}({inside})"


def resolve(nest: NestedElements, text: str = "") -> PassPlan:
    """Resolves names, options and implicit nesting. `text` is the pipeline for error messages.

    A pass on functions directly under `builtin.module` is nested in `func.func`, as mlir-opt's flags do.
    Raises `PipelineError` for unknown names, wrong options and passes on the wrong op.
    """
    return PassPlan(nest.anchor, _merge(_resolve(nest.elements, nest.anchor, text, ())))


def _resolve(
    elements: tuple[NestedElements | PassNode, ...], anchor: str, text: str, expanding: tuple[str, ...]
) -> list[PassStep | PassPlan]:
    items: list[PassStep | PassPlan] = []
    for element in elements:
        if isinstance(element, NestedElements):
            items.append(
                PassPlan(element.anchor, _merge(_resolve(element.elements, element.anchor, text, expanding)))
            )
        elif (listed := lookup_pipeline(element.name)) is not None:
            items.extend(_expand(element, listed, anchor, text, expanding))
        else:
            items.append(_plan_pass(element, anchor, text))
    return items


def _expand(
    node: PassNode, listed: list[str], anchor: str, text: str, expanding: tuple[str, ...]
) -> list[PassStep | PassPlan]:
    if node.name in expanding:
        raise PipelineError(f"named pipeline '{node.name}' contains itself", text, node.position)
    if node.options:
        raise PipelineError(f"named pipeline '{node.name}' has no options", text, node.position)
    inside = ",".join(listed)
    return _resolve(parse_elements(inside), anchor, inside, (*expanding, node.name))


def _plan_pass(node: PassNode, anchor: str, text: str) -> PassStep | PassPlan:
    """Returns the pass as a step on `anchor`, nested implicitly if necessary."""
    if entry := upstream_passes().get(node.name):
        step, accepted, nested = _upstream_step(entry, node), _accepts(entry, anchor), entry.anchor
    elif cls := registry.lookup(node.name):
        step, accepted, nested = _python_step(cls, node, text), cls.anchor in ("any", anchor), cls.anchor
    else:
        raise PipelineError(unknown_name(node.name), text, node.position)
    if accepted:
        return step
    if anchor != _TOP:
        raise PipelineError(f"pass '{node.name}' runs on '{nested}', not on '{anchor}'", text, node.position)
    return PassPlan(nested, (step,))


def _python_step(cls: type[Pass], node: PassNode, text: str) -> PassStep:
    try:
        instance = cls.from_text(node.options)
    except OptionError as error:
        raise PipelineError(f"pass '{node.name}': {error}", text, node.position) from None
    return PassStep(node.name, cls.__name__, str(instance), instance)


def _upstream_step(entry: UpstreamPass, node: PassNode) -> PassStep:
    return PassStep(node.name, entry.title, str(node))


def _accepts(entry: UpstreamPass, anchor: str) -> bool:
    """Whether a pass runs on an op; those that were not probed are left to upstream's check."""
    return anchor in entry.anchors or anchor not in _probed_anchors() or not entry.anchors


@cache
def _probed_anchors() -> frozenset[str]:
    return frozenset(name for known in upstream_passes().values() for name in known.anchors)


def _merge(items: list[PassStep | PassPlan]) -> tuple[PassStep | PassPlan, ...]:
    """Merges adjacent plans on the same anchor, so that each op runs through all their steps before the
    next."""
    merged: list[PassStep | PassPlan] = []
    for item in items:
        last = merged[-1] if merged else None
        if isinstance(item, PassPlan) and isinstance(last, PassPlan) and item.anchor == last.anchor:
            merged[-1] = PassPlan(item.anchor, _merge([*last.items, *item.items]))
        else:
            merged.append(item)
    return tuple(merged)


def unknown_name(name: str) -> str:
    """Returns the message for an unknown `name`: with the new name of a renamed pass, or with similar
    names."""
    if name in RENAMED:
        return f"there is no pipeline '{name}' any more; it is {RENAMED[name]}"
    if name in registry.RENAMED:
        return f"there is no pass '{name}' any more; it is '{registry.RENAMED[name]}'"
    known = [*registry.names(), *pipeline_names(), *upstream_passes()]
    return f"there is no pass or pipeline named '{name}'{did_you_mean(name, known)}"


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Returns `; did you mean 'x'?` with the names similar to `name`, or ""."""
    close = difflib.get_close_matches(name, known, n=3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
