"""Finds dead code: `python -P -m mlc.tools.checks.unused`, in a checkout. `make lint` runs it.

Follows references from what is run and from what is public: entry points of pyproject.toml, files that are
programs, what decorators and class keywords register, the exports of public packages, examples, generated
files, and what the pages under docs/ import. A function, class, method, constant or field of a dataclass that
is not reached is unused; one that is reached only together with the tests is used by tests alone.

Names are resolved through imports, so that a function is not saved by others of its name. Methods and fields
are reached by any attribute or string of their name, since the types of values are not inferred.
"""

from __future__ import annotations

import builtins
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mlc.tools.checks.checkout import files, is_generated, is_test
from mlc.tools.checks.names import Reference, SourceDefinition, SourceModule, Uses, read_module

# Packages whose exports are for users.
PUBLIC = ("mlc", "mlc.onnx_backend", "mlc.runtime", "mlc.kernels", "mlc.tools.lit")

# What looks dead and is not, and why.
ALLOWED: Mapping[str, str] = {
    "Flags.U": "a field for a flag of regular expressions that changes nothing; set by its letter",
    "KernelResources.stack_bytes": "`dataclasses.asdict` writes it into a kernel's report",
    "Stream.idle": "mlc.runtime.cuda works without the compiler; the query beside `synchronize`",
    "once.cache_clear": "tests of plugins load them again; `functools.cache` has the same method",
}

# Base classes that call no methods that only a subclass defines.
_PASSIVE = frozenset("ABC Enum Flag Generic IntEnum NamedTuple Protocol StrEnum TypedDict".split())
_PAGE_IMPORT = re.compile(r"from (mlc[\w.]*) import ([\w, ]+)")
# `exe.save(...)`, in hand-written pages.
_PAGE_ATTRIBUTE = re.compile(r"`\w+\.(\w+)")
_ENTRY_POINT = re.compile(r'"([\w.]+):(\w+)"')


@dataclass(frozen=True, order=True)
class Unreached:
    """Code that nothing reaches. `line` is 0 for a whole module."""

    path: str
    line: int
    category: str
    name: str

    def message(self, verdict: str) -> str:
        """Returns the finding as a line of text; `verdict` is "unused" or "used by tests alone"."""
        return f"{self.path}:{self.line}: {self.category} {self.name} is {verdict}"


@dataclass
class Reachability:
    """Definitions and modules that can be reached, by name, from those added so far."""

    modules: Mapping[str, SourceModule]
    loaded: set[str] = field(default_factory=set)
    # (module, name) of definitions and of imports; (module, "Class.name") of members.
    reached: set[Reference] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    # Members and the like that are reached by their first use as an attribute.
    _waiting: dict[str, list[Reference]] = field(default_factory=lambda: defaultdict(list))
    _queue: list[tuple[SourceModule, Uses]] = field(default_factory=list)

    def load(self, name: str, *, computed: bool = False) -> None:
        """Adds a module, and the packages that hold it. `computed`: its functions are used as attributes."""
        module = self.modules.get(name)
        if module is None:
            return
        if computed:
            for attribute in module.definitions:
                self._await((module.name, attribute), attribute)
        if module.name in self.loaded:
            return
        self.loaded.add(module.name)
        self.load(module.name.rpartition(".")[0])
        self._queue.append((module, module.body))
        for own, definition in module.definitions.items():
            if definition.registered or _is_special(own):
                self.add((module.name, own))

    def add(self, reference: Reference) -> None:
        """Adds a definition, an import or a member; a name that is none of them may be a module."""
        source, name = reference
        module = self.modules.get(source)
        if module is None or (module.name, name) in self.reached:
            return
        definition = _find(module, name)
        if definition is None and name not in module.imports:
            self.load(f"{source}.{name}")
            return
        self.reached.add((module.name, name))
        self.load(source)
        if definition is None:
            self.add(module.imports[name])
            return
        self._queue.append((module, definition.uses))
        for member in definition.members:
            self._add_member(module, name, definition, member)

    def _add_member(
        self, module: SourceModule, owner: str, definition: SourceDefinition, member: str
    ) -> None:
        reference = (module.name, f"{owner}.{member}")
        if (
            definition.members[member].registered
            or _is_special(member)
            or self._has_callers(module, definition)
        ):
            self.add(reference)
        else:
            self._await(reference, member)

    def _has_callers(self, module: SourceModule, definition: SourceDefinition) -> bool:
        """Whether a base class from elsewhere may call methods of the class."""
        for source, name in definition.bases:
            if name in _PASSIVE or (not source and hasattr(builtins, name)):
                continue
            found = self._resolve((source or module.name, name))
            if found is None or self._has_callers(*found):
                return True
        return False

    def _resolve(self, reference: Reference) -> tuple[SourceModule, SourceDefinition] | None:
        module = self.modules.get(reference[0])
        if module is None:
            return None
        if reference[1] in module.imports and reference[1] not in module.definitions:
            return self._resolve(module.imports[reference[1]])
        definition = module.definitions.get(reference[1])
        return (module, definition) if definition else None

    def add_attributes(self, names: Iterable[str]) -> None:
        """Adds the members of these names, and modules whose names they are."""
        for name in set(names) - self.attributes:
            self.attributes.add(name)
            if "." in name:
                self.load(name, computed=True)
            for reference in self._waiting.pop(name, []):
                self.add(reference)

    def _await(self, reference: Reference, attribute: str) -> None:
        if attribute in self.attributes:
            self.add(reference)
        else:
            self._waiting[attribute].append(reference)

    def follow(self) -> None:
        """Adds everything that what has been added refers to."""
        while self._queue:
            module, uses = self._queue.pop()
            for name in uses.modules:
                self.load(name)
            for package in uses.packages:
                for name, found in self.modules.items():
                    # The folders of tests have the names of packages.
                    if name.startswith(f"{package}.") and not is_test(found.path):
                        self.load(name, computed=True)
            for source, name in uses.names:
                self.add((source or module.name, name)) if name else self.load(source)
            self.add_attributes(uses.attributes)


def _find(module: SourceModule, name: str) -> SourceDefinition | None:
    owner, _, member = name.partition(".")
    definition = module.definitions.get(owner)
    return definition.members.get(member) if definition and member else definition


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def read_modules(texts: Mapping[str, str], linked: Iterable[str]) -> dict[str, SourceModule]:
    """Returns the modules of a checkout by name. `linked` are the folders that are packages of mlc.

    A file outside mlc is also found by the names that a program in its folder, or one above, imports it by.
    """
    inside = set(linked)
    modules: dict[str, SourceModule] = {}
    for path, text in texts.items():
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        name = ".".join(["mlc", *parts] if parts[0] in inside else parts)
        modules[name] = read_module(name, path, text)
    for name, module in list(modules.items()):
        if not name.startswith("mlc."):
            for end in _ends(name):
                modules.setdefault(end, module)
    return modules


def _ends(name: str) -> Iterator[str]:
    while "." in name:
        name = name.partition(".")[2]
        yield name


def start(reach: Reachability, root: Path) -> None:
    """Adds what is run or public without tests."""
    for source, name in _ENTRY_POINT.findall((root / "pyproject.toml").read_text()):
        reach.add((source, name))
    for package in PUBLIC:
        _add_all(reach, reach.modules[package])
    for module in reach.modules.values():
        if module.path.startswith("examples/") and not is_test(module.path):
            _add_all(reach, module)
        elif module.is_program and not is_test(module.path):
            reach.load(module.name)
    for page in [root / "README.md", *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]:
        text = page.read_text()
        for source, names in _PAGE_IMPORT.findall(text):
            for name in names.split(","):
                reach.add((source, name.strip()))
        if "Generated by" not in text:
            reach.add_attributes(_PAGE_ATTRIBUTE.findall(text))


def start_tests(reach: Reachability) -> None:
    """Adds all that tests define."""
    for module in reach.modules.values():
        if is_test(module.path):
            _add_all(reach, module)


def _add_all(reach: Reachability, module: SourceModule) -> None:
    reach.load(module.name)
    for name in [*module.imports, *module.definitions]:
        reach.add((module.name, name))
    for owner, definition in module.definitions.items():
        for member in definition.members:
            reach.add((module.name, f"{owner}.{member}"))


def find_unreached(reach: Reachability) -> Iterator[Unreached]:
    """Yields what has not been reached, tests aside; of a module or class that is not, only itself."""
    for module in {module.name: module for module in reach.modules.values()}.values():
        if is_test(module.path):
            continue
        if module.name not in reach.loaded:
            yield Unreached(module.path, 0, "module", module.name)
            continue
        for name, definition in module.definitions.items():
            if (module.name, name) not in reach.reached:
                yield Unreached(module.path, definition.line, definition.category, name)
                continue
            for own, member in definition.members.items():
                if (module.name, f"{name}.{own}") not in reach.reached:
                    yield Unreached(module.path, member.line, member.category, f"{name}.{own}")


def check(root: Path) -> list[str]:
    """Returns a line for each piece of dead code, and for each name that is allowed without need."""
    linked = [path.name for path in (root / "mlc").iterdir() if path.is_symlink()]
    texts = files(root, (".py",))
    reach = Reachability(read_modules(texts, linked))
    start(reach, root)
    for module in list(reach.modules.values()):
        if is_generated(texts[module.path]):
            _add_all(reach, module)
    reach.follow()
    found = sorted(find_unreached(reach))
    start_tests(reach)
    reach.follow()
    dead = set(find_unreached(reach))
    messages = [
        item.message("unused" if item in dead else "used by tests alone")
        for item in found
        if item.name not in ALLOWED
    ]
    stale = ALLOWED.keys() - {item.name for item in found}
    return [*messages, *(f"{name} is allowed, but it is no dead code" for name in sorted(stale))]


def main() -> int:
    """Prints the dead code of the checkout in the current folder; returns 1 if there is some."""
    messages = check(Path.cwd())
    for message in messages:
        print(message)
    return int(bool(messages))


if __name__ == "__main__":
    sys.exit(main())
