"""Passes at random, their options mutated, and pipelines that nest them where they may not fit."""

from __future__ import annotations

from functools import cache
from random import Random

from mlc.bindings.upstream_table import upstream_passes
from mlc.passes import registry
from mlc.pipelines.named import pipeline_names

# fmt: off
_ANCHORS = (
    "func.func", "func.func", "func.func", "any", "any", "llvm.func", "gpu.module", "gpu.module(gpu.func",
    "scf.for",
)
# fmt: on
_ODD_ANCHORS = ("builtin.module", "no.such", "spirv.module", "", "3", "func", "func.func(", "any.any")
# fmt: off
_VALUES = (
    "", "0", "-1", "1", "true", "maybe", "99999999999999999999", "1e9", "-0x1", "a,b", "1,2,,3", "{}",
    "{1,2}", "'a b'", '"', "'", "}", "{", "=", "x y", "[1]", "\u00e9", "func.func(cse)", "none", "a" * 5000,
    "\\", "$(true)", "%s", "\t", "\udcff",
)
# fmt: on


@cache
def pass_names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ours, with the named pipelines, and upstream's."""
    return (*sorted(registry.names()), *sorted(pipeline_names())), tuple(sorted(upstream_passes()))


def random_pass(random: Random) -> str:
    """The name of a pass; one in three is ours."""
    ours, upstream = pass_names()
    return random.choice(ours if random.random() < 0.33 else upstream)


def random_flags(random: Random) -> list[str]:
    """One to three passes as flags, with their options as they are."""
    return [f"--{random_pass(random)}" for _ in range(random.choice((1, 1, 2, 3)))]


def known_options(name: str) -> list[str]:
    """`name=default` of the options of a pass."""
    if name in upstream_passes():
        return upstream_passes()[name].options.split()
    cls = registry.lookup(name)
    if cls is None:
        return []
    from mlc.passes.options import option_infos

    return [f"{info.name}={info.default}" for info in option_infos(cls)]


def mutated_options(random: Random, name: str) -> str:
    """Text for the options of pass `name`: unknown ones, wrong types, extreme values, stray braces."""
    options = known_options(name) or ["no-such=1"]
    parts = []
    for _ in range(random.choice((1, 1, 2, 4))):
        key, _, default = random.choice(options).partition("=")
        shape = random.random()
        if shape < 0.1:
            key = random.choice(("no-such", "", key.upper(), key[:-1], "-" + key))
        parts.append(key if shape > 0.9 else f"{key}={random.choice((*_VALUES, default))}")
    text = random.choice((" ", " ", "  ", ",")).join(parts)
    return random.choice((text, text, text, "{" + text + "}", "{" + text, text + "}", " " + text))


def options_arguments(random: Random) -> list[str]:
    """Flags or a pipeline with a pass whose options are mutated."""
    ours, upstream = pass_names()
    configurable = [name for name in (*ours, *upstream) if known_options(name)]
    name = random.choice(configurable)
    options = mutated_options(random, name)
    if random.random() < 0.5:
        return [f"--{name}={options}"]
    anchor = random.choice(("builtin.module", "any", "func.func"))
    return [f"--pass-pipeline={anchor}({name}{{{options}}})"]


def random_pipeline(random: Random, depth: int = 0) -> str:
    """A pipeline, not always one that nests correctly."""
    elements = []
    for _ in range(random.choice((1, 1, 2, 3))):
        if depth < 3 and random.random() < 0.4:
            elements.append(_anchor(random, random_pipeline(random, depth + 1)))
        else:
            elements.append(random_pass(random))
    return ",".join(elements)


def _anchor(random: Random, inner: str) -> str:
    """`inner` on an op; one time in ten on one that there is not, or where it cannot be."""
    anchor = random.choice(_ODD_ANCHORS if random.random() < 0.1 else _ANCHORS)
    return f"{anchor}({inner}){')' * anchor.count('(')}"


def pipeline_arguments(random: Random) -> list[str]:
    """Flags, which nest by themselves, so that passes run; or a pipeline, one in five of them damaged."""
    if random.random() < 0.5:
        return [f"--{random_pass(random)}" for _ in range(random.choice((2, 3, 4, 6)))]
    text = random_pipeline(random)
    if random.random() < 0.7:
        text = f"{random.choice(('builtin.module', 'builtin.module', 'any', 'func.func'))}({text})"
    if random.random() < 0.2:
        at = random.randint(0, len(text))
        text = (
            text[:at]
            + random.choice("(){},=' \"|*-") * random.choice((1, 1, 500))
            + text[at + random.randint(0, 2) :]
        )
    return [f"--pass-pipeline={text}"]
