"""Pass switches: passes of the graph-level pipelines are disabled, replaced, or restricted to a class of
exactness.

Named pipelines are expanded for that, so that reproducers and IR dumps show the passes that run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mlc.passes import registry
from mlc.passes.exactness import CLASSES
from mlc.passes.options import split_options
from mlc.pipelines.grammar import NestedElements, PassNode, PipelineError, parse_elements
from mlc.pipelines.named import lookup_pipeline
from mlc.pipelines.plan import did_you_mean, resolve

Elements = tuple[NestedElements | PassNode, ...]

# Passes without which no program compiles, and why. They may be replaced by pipelines that hold them.
REQUIRED = {
    "graph-form-kernels": "kernels are what is compiled",
    "host-plan-memory": "host functions compile as programs on buffers",
    "host-verify": "what is not verified there can crash the compiled program",
}
# Passes that stay whatever their exactness: without them some ops have no lowering.
LOWERS = ("graph-decompose", "graph-decompose-attention", "graph-materialize-padding")
_ANCHOR = "builtin.module"
_DEFAULT = "rounding"


def apply_switches(
    pipelines: Sequence[str],
    disabled: Sequence[str] = (),
    replaced: Mapping[str, str] | None = None,
    exactness: str = _DEFAULT,
) -> list[NestedElements]:
    """Returns each of `pipelines` (elements on a module, as text) as a separate pipeline, with passes
    switched.

    `disabled` are names of passes to remove, `replaced` maps names to pipeline text; passes of a replacement
    are not replaced again. Passes get `exactness` as their option of that name, where their text does not
    give it; those without such an option are removed if their class is worse, except `LOWERS`. Without
    switches named pipelines stay names. Raises `PipelineError` for names that no pipeline holds, for
    replacements that are no pipelines, for required passes, and for an `exactness` that is no class.
    """
    if exactness not in CLASSES:
        raise PipelineError(f"exactness must be one of {', '.join(CLASSES)}, not '{exactness}'")
    parsed = [parse_elements(text) for text in pipelines]
    switches: dict[str, Elements] = {**dict.fromkeys(disabled, ()), **_replacements(replaced or {})}
    if switches or exactness != _DEFAULT:
        parsed = [tuple(_expand(elements)) for elements in parsed]
        _check(switches, [node.name for elements in parsed for node in _nodes(elements)])
        parsed = [tuple(_switch(elements, switches)) for elements in parsed]
    if exactness != _DEFAULT:
        parsed = [tuple(_restrict(elements, exactness)) for elements in parsed]
    return [NestedElements(_ANCHOR, elements) for elements in parsed]


def pass_names(pipelines: Sequence[str]) -> list[str]:
    """Returns the names of the passes of `pipelines`, in order."""
    return [node.name for text in pipelines for node in _nodes(tuple(_expand(parse_elements(text))))]


def _replacements(replaced: Mapping[str, str]) -> dict[str, Elements]:
    """Returns the parsed replacements; each must be a pipeline on modules."""
    parsed = {}
    for name, text in replaced.items():
        elements = parse_elements(text)
        if not elements:
            raise PipelineError(f"the replacement of '{name}' is empty; to take it out, disable it")
        resolve(NestedElements(_ANCHOR, elements), text)
        parsed[name] = tuple(_expand(elements))
    return parsed


def _expand(elements: Elements) -> Iterator[NestedElements | PassNode]:
    """Yields the elements with named pipelines expanded, and without positions, which refer to other text."""
    for element in elements:
        if isinstance(element, NestedElements):
            yield NestedElements(element.anchor, tuple(_expand(element.elements)))
        elif (listed := lookup_pipeline(element.name)) is not None:
            yield from _expand(parse_elements(",".join(listed)))
        else:
            yield replace(element, position=None)


def _nodes(elements: Elements) -> Iterator[PassNode]:
    for element in elements:
        if isinstance(element, NestedElements):
            yield from _nodes(element.elements)
        else:
            yield element


def _check(switches: Mapping[str, Elements], names: Sequence[str]) -> None:
    for name, elements in switches.items():
        if name not in names:
            known = sorted(set(names))
            hint = did_you_mean(name, known) or f"; they hold {', '.join(known)}"
            raise PipelineError(f"the graph-level pipelines hold no pass '{name}'{hint}")
        if name in REQUIRED and name not in [node.name for node in _nodes(elements)]:
            raise PipelineError(f"pass '{name}' cannot be switched off: {REQUIRED[name]}")


def _switch(elements: Elements, switches: Mapping[str, Elements]) -> Iterator[NestedElements | PassNode]:
    for element in elements:
        if isinstance(element, NestedElements):
            inside = tuple(_switch(element.elements, switches))
            yield from (NestedElements(element.anchor, inside),) if inside else ()
        elif element.name in switches:
            yield from switches[element.name]
        else:
            yield element


def _restrict(elements: Elements, exactness: str) -> Iterator[NestedElements | PassNode]:
    """Yields the elements restricted to a class of exactness."""
    for element in elements:
        if isinstance(element, NestedElements):
            inside = tuple(_restrict(element.elements, exactness))
            yield from (NestedElements(element.anchor, inside),) if inside else ()
        else:
            yield from _restrict_pass(element, exactness)


def _restrict_pass(node: PassNode, exactness: str) -> Iterator[PassNode]:
    """Yields a pass, with the option if it has one that is not given; nothing if its class is worse."""
    cls = registry.lookup(node.name)
    if cls is not None and any(option.name == "exactness" for option in cls.options()):
        given = any(name == "exactness" for name, _ in split_options(node.options))
        yield node if given else replace(node, options=f"{node.options} exactness={exactness}".strip())
    elif cls is None or node.name in LOWERS or CLASSES.index(cls.exactness) <= CLASSES.index(exactness):
        yield node
