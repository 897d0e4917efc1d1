"""Chooses the tests that a change of files can break, the closest ones first.

A test has a distance from the change:
- 0 if the test itself changed, or a file that it takes from `Inputs`;
- 1 if it is named like a changed source and is in the folder under `test/` that mirrors the source's;
- otherwise 2 plus the number of imports between a module that the test uses and a changed one.

A Python test uses the modules that it imports, itself or by the helpers beside it. A lit test uses the
programs and the passes that its RUN lines name; a pipeline's passes are one step further. Of tests at one
distance those come first whose folders are closest to the mirrored ones.

For example, after a change of `passes/graph/simplify/decompose.py` the closest tests are
`test/passes/graph/simplify/graph-decompose.mlir` (1, by its name), those with `--graph-decompose` in a RUN
line or an import of the module (2), and those that run `--graph-optimize` (3).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

import grimp

from mlc.passes import registry
from mlc.pipelines.named import lookup_pipeline, pipeline_names

CHANGED, SAME_NAME, USED = 0, 1, 2
_PROGRAMS = {
    "mlc": "mlc.tools.mlc.main",
    "mlc-opt": "mlc.tools.opt.main",
    "mlc-reduce": "mlc.tools.reduce.main",
    "mlc-translate": "mlc.tools.translate.main",
}
_WORD = re.compile(r"[a-z][a-z0-9-]*")
_INPUTS = "Inputs"
_PACKAGES = ("mlc", "bench")
_PIPELINES = "mlc.pipelines.named"


def affected_tests(root: Path, changed: Collection[str], imports: int = 4) -> dict[str, int]:
    """Returns the paths of the tests under `root`/test that a change of the files `changed` can break.

    Each path is mapped to its distance, the closest first. Tests further than `imports` imports from every
    changed module are left out. Paths are relative to `root` and have forward slashes.
    """
    distances = _Distances(root, changed, imports)
    found = {test: distances.of_test(PurePosixPath(test)) for test in _tests(root)}
    within = {test: distance for test, distance in found.items() if distance <= USED + imports}
    return dict(sorted(within.items(), key=lambda item: (item[1], distances.folders_apart(item[0]), item[0])))


def _tests(root: Path) -> Iterator[str]:
    for path in (root / "test").rglob("*"):
        lit_test = path.suffix == ".mlir" and _INPUTS not in path.parts
        python_test = path.suffix == ".py" and path.name.startswith("test_")
        if lit_test or python_test:
            yield path.relative_to(root).as_posix()


class _Distances:
    """The distances of modules and tests from the changed files."""

    def __init__(self, root: Path, changed: Collection[str], imports: int) -> None:
        self._root = root
        self._changed = [PurePosixPath(path) for path in changed]
        self._imports = imports

    def of_test(self, test: PurePosixPath) -> int:
        """Returns the distance of a test from the changed files."""
        if test in self._changed or any(_is_input(path, test) for path in self._changed):
            return CHANGED
        if any(_is_named_like(path, test) for path in self._changed):
            return SAME_NAME
        return USED + min(self._used_by(test), default=self._imports + 1)

    def folders_apart(self, test: str) -> int:
        """Returns the distance of a test's folder from the closest folder that mirrors a changed file's."""
        folder = PurePosixPath(test).parent
        mirrors = (path.parent if path.parts[0] == "test" else "test" / path.parent for path in self._changed)
        return min((_folders_apart(folder, mirror) for mirror in mirrors), default=0)

    def _used_by(self, test: PurePosixPath) -> Iterator[int]:
        """Yields the number of imports between each module that the test uses and the changed ones."""
        if test.suffix == ".mlir":
            yield from self._used_by_run_lines((self._root / test).read_text(errors="replace"))
            return
        files = self._with_helpers(test)
        yield from (0 for path in files if path in self._changed)
        yield from (
            self._modules[module]
            for path in files
            for module in self._imported_by(path) & self._modules.keys()
        )

    def _used_by_run_lines(self, text: str) -> Iterator[int]:
        words = {word for line in text.splitlines() if "RUN:" in line for word in _WORD.findall(line)}
        for word in words:
            for module, further in _modules_of_word(word):
                if module in self._modules:
                    yield self._modules[module] + further

    @cached_property
    def _modules(self) -> dict[str, int]:
        """The modules that import a changed one within the limit, with the number of imports between."""
        graph = _import_graph(self._root)
        found = {module: 0 for path in self._changed if (module := _module(path)) in graph.modules}
        latest = set(found)
        for distance in range(1, self._imports + 1):
            importers = {
                user for module in latest for user in graph.find_modules_that_directly_import(module)
            }
            latest = importers - found.keys()
            found |= dict.fromkeys(latest, distance)
        return found

    def _with_helpers(self, test: PurePosixPath) -> set[PurePosixPath]:
        """The test, the conftest files that hold for it, and the helpers that they import by name."""
        found = {test} | {folder / "conftest.py" for folder in test.parents} & self._python_files.keys()
        latest = found
        while latest:
            names = {name.split(".")[0] for path in latest for name in self._imported_by(path)}
            latest = {helper for name in names for helper in self._helpers.get(name, ())} - found
            found = found | latest
        return found

    def _imported_by(self, path: PurePosixPath) -> set[str]:
        return self._python_files.get(path, set())

    @cached_property
    def _python_files(self) -> dict[PurePosixPath, set[str]]:
        """The names that the Python files of the tests import."""
        files = (self._root / "test").rglob("*.py")
        return {
            PurePosixPath(path.relative_to(self._root).as_posix()): imported_names(path.read_text())
            for path in files
        }

    @cached_property
    def _helpers(self) -> Mapping[str, set[PurePosixPath]]:
        """The files of the tests that one imports by a name: modules, and packages with all their files."""
        found: dict[str, set[PurePosixPath]] = {}
        for path in self._python_files:
            if not path.name.startswith(("test_", "conftest")):
                found.setdefault(path.stem, set()).add(path)
            if (folder := path.parent) / "__init__.py" in self._python_files:
                found.setdefault(folder.name, set()).add(path)
        return found


def imported_names(source: str) -> set[str]:
    """Returns the dotted names that a Python source imports anywhere, functions included.

    `from a import b` counts as `a` and `a.b`, as `b` may be a module. Relative imports are left out.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _import_graph(root: Path) -> grimp.ImportGraph:
    """Returns the imports of mlc, and of `bench`, which is not installed, if it is in the checkout.

    Pipelines import the passes that they name.
    """
    packages = [
        package for package in _PACKAGES if package == "mlc" or (root / package / "__init__.py").exists()
    ]
    sys.path.insert(0, str(root))
    try:
        graph = grimp.build_graph(*packages, cache_dir=None)
    finally:
        sys.path.remove(str(root))
    for module in {module for name in pipeline_names() for module, _ in _modules_of_word(name)}:
        graph.add_import(importer=_PIPELINES, imported=module)
    return graph


def _module(path: PurePosixPath) -> str:
    """The import name of a source file: the folders at the top of the repository are packages of mlc."""
    parts = path.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts if path.parts[0] in _PACKAGES else ("mlc", *parts))


def _modules_of_word(word: str) -> Iterable[tuple[str, int]]:
    """The modules that a word of a RUN line stands for, and how many steps they are from it."""
    if word in _PROGRAMS:
        yield _PROGRAMS[word], 0
    elif pipeline := lookup_pipeline(word):
        yield _PIPELINES, 0
        for inner in {inner for element in pipeline for inner in _WORD.findall(element)}:
            yield from ((module, steps + 1) for module, steps in _modules_of_word(inner))
    elif target := registry.target(word):
        yield target.partition(":")[0] if isinstance(target, str) else target.__module__, 0


def _is_input(path: PurePosixPath, test: PurePosixPath) -> bool:
    """Whether `path` is in the folder `Inputs` beside a lit test."""
    return test.suffix == ".mlir" and test.parent / _INPUTS in path.parents


def _folders_apart(first: PurePosixPath, second: PurePosixPath) -> int:
    common = {first, *first.parents} & {second, *second.parents}
    return len(first.parts) + len(second.parts) - 2 * max(len(folder.parts) for folder in common)


def _is_named_like(source: PurePosixPath, test: PurePosixPath) -> bool:
    """Whether a test in the mirrored folder has all words of the source's name, in their order."""
    if test.parent != PurePosixPath("test") / source.parent:
        return False
    wanted, words = _words(source), _words(test)
    return any(words[start : start + len(wanted)] == wanted for start in range(len(words)))


def _words(path: PurePosixPath) -> list[str]:
    return re.split("[_-]", path.stem)
