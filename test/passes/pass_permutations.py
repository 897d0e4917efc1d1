"""Graph passes in random orders on random graphs, and what they break.

As a program, `python test/passes/pass_permutations.py SEED` prints the module of a graph, for mlc-opt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    FOLDERS = ("passes/evaluator", "numerics", "numerics/random_cases", "frontends/onnx")
    sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in FOLDERS]

from graph_evaluator import evaluate
from oracle import difference
from random_patterns import PatternGraph

from mlc.bindings import ir
from mlc.frontends.onnx import ImportedModel, import_model
from mlc.passes.base import PassError
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.instrumentation import Instrumentation
from mlc.pipelines.lists.graph import GRAPH_OPTIMIZE, LOWER_GRAPH
from mlc.pipelines.plan import PassStep

# Passes round constants to the models' f32; everything else is computed in double precision.
TOLERANCE = 2e-6


def _distinct(elements: Sequence[str]) -> list[str]:
    return [fromkey for fromkey in dict.fromkeys(elements) if "verify" not in fromkey]


def optimizers() -> list[str]:
    """The passes of graph-optimize."""
    return _distinct(GRAPH_OPTIMIZE)


def lowerings() -> list[str]:
    """The passes of lower-graph before constant work goes to `@prepare`."""
    return _distinct(LOWER_GRAPH[: LOWER_GRAPH.index("graph-split-prepare")])


def permutation(seed: int) -> list[str]:
    """The optimizers in some order, then what lower-graph adds in some order; `@prepare` splits off last.

    Odd seeds mix optimizers and the others.
    """
    rng = np.random.default_rng(seed)
    first = optimizers()
    more = [lowering for lowering in lowerings() if lowering not in first]
    rng.shuffle(first)
    rng.shuffle(more)
    order = [*first, *more]
    if seed % 2:
        rng.shuffle(order)
    return [*order, "graph-split-prepare"]


def import_subject(graph: PatternGraph) -> ImportedModel:
    return import_model(graph.model())


class Claims(Instrumentation):
    """Whether a pass reports for every op on which it ran that it changed nothing."""

    unchanged_only = True

    def after(self, step: PassStep, op: ir.Operation) -> None:
        self.unchanged_only = False

    def on_unchanged(self, step: PassStep, op: ir.Operation) -> None:
        pass


@dataclass
class Subject:
    """A random graph, imported, with its results before any pass."""

    seed: int
    # By text: modules that passes made, what is wrong with them, and what passes make of them.
    modules: dict[str, ir.Operation] = field(default_factory=dict)
    checked: dict[str, str | None] = field(default_factory=dict)
    steps: dict[tuple[str, str], str] = field(default_factory=dict)

    @cached_property
    def graph(self) -> PatternGraph:
        return PatternGraph(self.seed)

    @cached_property
    def imported(self) -> ImportedModel:
        return import_subject(self.graph)

    @property
    def text(self) -> str:
        """The module before any pass."""
        return str(self.imported.module.operation.get_asm())

    @property
    def inputs(self) -> list[np.ndarray]:
        return [self.graph.inputs[name] for name in self.imported.inputs]

    @cached_property
    def expected(self) -> list[np.ndarray]:
        return self.results(self.imported.module.operation)

    def results(self, module: ir.Operation) -> list[np.ndarray]:
        return evaluate(module, self.inputs, self.imported.weights)

    def after(
        self,
        passes: Sequence[str],
        before: ir.Operation | None = None,
        instrumentation: Instrumentation | None = None,
    ) -> ir.Operation:
        """A copy of `before`, by default of the imported module, after `passes`. Raises PassError."""
        module = (self.imported.module.operation if before is None else before).clone()
        pipeline = f"builtin.module({','.join(passes)})"
        run_pipeline(pipeline, module, instrumentation, verify_each=False)
        return module

    def failure(self, passes: Sequence[str]) -> str | None:
        """Returns the fault of the program after `passes`, or None."""
        text = self.text
        self.modules[text] = self.imported.module.operation
        try:
            for name in passes:
                text = self.step(text, name)
        except (PassError, ir.MLIRError) as error:
            return f"{type(error).__name__}: {error}"
        if text not in self.checked:
            self.checked[text] = self.compare(self.modules[text])
        return self.checked[text]

    def step(self, text: str, name: str) -> str:
        """The text of the known module `text` after a pass, which runs on equal modules only once."""
        if (text, name) not in self.steps:
            claims = Claims()
            module = self.after([name], self.modules[text], claims)
            after = str(module.get_asm(assume_verified=True))
            if claims.unchanged_only and after != text:
                raise PassError(f"{name} changed the module and says that it did not")
            if after not in self.modules and not module.verify():
                raise PassError(f"the module is not valid after {name}")
            self.modules.setdefault(after, module)
            self.steps[text, name] = after
        return self.steps[text, name]

    def compare(self, module: ir.Operation) -> str | None:
        """Returns the fault of the module's results, or None."""
        wrong = [
            f"{name} {found}"
            for name, actual, expected in zip(
                self.imported.outputs, self.results(module), self.expected, strict=True
            )
            if (found := difference(actual, expected, TOLERANCE))
        ]
        return "; ".join(wrong) or None


def shrink(passes: Sequence[str], fails: Callable[[Sequence[str]], object]) -> list[str]:
    """As few of `passes`, in their order, as still fail: drops one at a time, until none can be spared."""
    kept = list(passes)
    while True:
        for index in range(len(kept)):
            fewer = [*kept[:index], *kept[index + 1 :]]
            if fails(fewer):
                kept = fewer
                break
        else:
            return kept


def report(subject: Subject, passes: Sequence[str]) -> str:
    """Returns the failure of `passes`, and a command line of mlc-opt with the fewest that fail."""
    fewest = shrink(passes, subject.failure)
    flags = " ".join(f"--{name}" for name in fewest)
    return f"{subject.failure(fewest)}\n{command(subject.seed)} {flags}"


def command(seed: int) -> str:
    """The command line that has mlc-opt read the graph, without its passes."""
    return f"python test/passes/pass_permutations.py {seed} | mlc-opt"


def main() -> None:
    print(Subject(int(sys.argv[1])).text)


if __name__ == "__main__":
    main()
