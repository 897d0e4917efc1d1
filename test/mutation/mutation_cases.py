"""One case from a seed and an index: everything random comes from a generator seeded by both."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from attribute_mutations import mutate_attributes
from byte_mutations import mutate_bytes
from flag_mutations import mutate_flags
from mutation_seeds import INPUT, Seed, seeds
from pipeline_mutations import options_arguments, pipeline_arguments, random_flags
from token_mutations import mutate_tokens

from mlc.bindings import create_context, ir, parse_module
from mlc.bindings.parsing import ParseError

_TRANSLATIONS = 0.12  # share of the cases for mlc-translate


@dataclass(frozen=True)
class Case:
    """A command and its input. `category` says what was mutated, `origin` names the seed."""

    index: int
    category: str
    origin: str
    tool: str
    arguments: tuple[str, ...]
    data: bytes

    def save(self, folder: Path) -> Path:
        """Writes the case to a new folder and returns that."""
        path = folder / f"{self.index:06}-{self.category}"
        path.mkdir(parents=True, exist_ok=True)
        (path / INPUT).write_bytes(self.data)
        command = {
            "tool": self.tool,
            "arguments": self.arguments,
            "category": self.category,
            "origin": self.origin,
        }
        (path / "command.json").write_text(json.dumps(command, indent=1) + "\n")
        return path

    @classmethod
    def load(cls, path: Path) -> Case:
        """Reads what `save` wrote."""
        command = json.loads((path / "command.json").read_text())
        data = (path / INPUT).read_bytes()
        index = int(path.name.partition("-")[0])
        return cls(
            index, command["category"], command["origin"], command["tool"], tuple(command["arguments"]), data
        )


def case_of(seed: int, index: int) -> Case:
    """The case `index` of the run with `seed`; the same in every process."""
    random = Random(f"{seed}/{index}")
    category = random.choices(list(_CATEGORIES), [weight for weight, _ in _CATEGORIES.values()])[0]
    start = random.choice(_by_tool()["mlc-translate" if random.random() < _TRANSLATIONS else "mlc-opt"])
    arguments, data = _CATEGORIES[category][1](random, start)
    return Case(index, category, start.name, start.tool, tuple(arguments), data)


@cache
def _by_tool() -> dict[str, list[Seed]]:
    return {tool: [seed for seed in seeds() if seed.tool == tool] for tool in ("mlc-opt", "mlc-translate")}


def _bytes(random: Random, start: Seed) -> tuple[list[str], bytes]:
    return _own_or_random(random, start), mutate_bytes(random, start.text.encode())


def _tokens(random: Random, start: Seed) -> tuple[list[str], bytes]:
    return _own_or_random(random, start), mutate_tokens(random, start.text).encode()


def _attributes(random: Random, start: Seed) -> tuple[list[str], bytes]:
    return _own_or_random(random, start), mutate_attributes(random, generic_form(start.text)).encode()


def _options(random: Random, start: Seed) -> tuple[list[str], bytes]:
    return _for_optimizer(random, start, options_arguments(random))


def _pipelines(random: Random, start: Seed) -> tuple[list[str], bytes]:
    return _for_optimizer(random, start, pipeline_arguments(random))


def _flags(random: Random, start: Seed) -> tuple[list[str], bytes]:
    return mutate_flags(random, start.tool, list(start.arguments)), start.text.encode()


def _bytecode(random: Random, start: Seed) -> tuple[list[str], bytes]:
    return _own_or_random(random, start), mutate_bytes(random, bytecode(start.text))


_CATEGORIES: dict[str, tuple[int, Callable[[Random, Seed], tuple[list[str], bytes]]]] = {
    "bytes": (15, _bytes),
    "tokens": (27, _tokens),
    "attributes": (18, _attributes),
    "options": (10, _options),
    "pipelines": (15, _pipelines),
    "flags": (10, _flags),
    "bytecode": (5, _bytecode),
}
CATEGORIES = tuple(_CATEGORIES)


def _own_or_random(random: Random, start: Seed) -> list[str]:
    """The seed's own arguments, or, in every third case of mlc-opt, passes at random."""
    if start.tool != "mlc-opt" or random.random() < 0.67:
        return list(start.arguments)
    return [INPUT, *random_flags(random)]


def _for_optimizer(random: Random, start: Seed, passes: list[str]) -> tuple[list[str], bytes]:
    """Half of the inputs are mutated as well, so that passes meet IR that no test shows them."""
    text = mutate_tokens(random, start.text) if random.random() < 0.5 else start.text
    if start.tool != "mlc-opt":
        return mutate_flags(random, start.tool, list(start.arguments)), text.encode()
    return [INPUT, *passes], text.encode()


@cache
def generic_form(text: str) -> str:
    """The generic form of `text`, or `text` where it is not valid."""
    module = _parse(text)
    return text if module is None else module.operation.get_asm(print_generic_op_form=True)


@cache
def bytecode(text: str) -> bytes:
    """The bytecode of `text`, or that of an empty module where it is not valid."""
    from mlc.tools.opt.output import to_bytecode

    module = _parse(text) or _parse("module {}")
    assert module is not None
    return to_bytecode(module.operation)


@cache
def _context() -> ir.Context:
    from mlc.dialects import load

    context = create_context(allow_unregistered_dialects=True)
    load(context)
    return context


def _parse(text: str) -> ir.Module | None:
    try:
        return parse_module(text, _context())
    except ParseError:
        return None
