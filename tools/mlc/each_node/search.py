"""Finds the first node whose result differs from another engine's, and the node that is the cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlc.errors import Error
from mlc.runtime import TensorSpec
from mlc.tools.mlc.deviations import Deviation, deviation
from mlc.tools.mlc.each_node.engines import Engines
from mlc.tools.mlc.each_node.findings import Finding, NodeFacts, ValueFacts, value_type
from mlc.tools.mlc.each_node.partial_models import PartialModels, Step
from mlc.tools.mlc.model_loading import call

# Both engines hold as many bytes of values at a time.
SLICE_BYTES = 256 << 20
# Arrays of these types have no form in which other engines return them.
_PACKED = ("int4", "uint4", "int2", "uint2", "float4_e2m1fn")


@dataclass
class Search:
    """A search in the model of `engines`, called with `inputs`.

    First every value is an output of one program, or of several that compute a slice of the values each.
    """

    engines: Engines
    inputs: Mapping[str, Any]
    tolerance: float
    slice_bytes: int = SLICE_BYTES
    # mlc's values that later nodes read.
    values: dict[str, Any] = field(default_factory=dict)
    specs: dict[str, TensorSpec] = field(default_factory=dict)
    facts: dict[str, ValueFacts] = field(default_factory=dict)

    @property
    def models(self) -> PartialModels:
        """The model and its parts."""
        return self.engines.models

    def run(self, *, outputs_differ: bool) -> Finding:
        """Searches; `outputs_differ` is whether the whole model's outputs leave the tolerance. Raises
        ToolError, CompileError."""
        self.values = dict(self.inputs)
        amplified: Finding | None = None
        for steps in self._slices():
            if wrong := self._compare(steps):
                first = amplified.first if amplified else self._node(wrong[0])
                finding = self._judge(wrong, first)
                if finding.verdict != "amplified":
                    return finding
                amplified = finding
            self._forget(steps[-1])
        if amplified is not None:
            return amplified
        return self._bisect() if outputs_differ else self._finding("within")

    def _finding(self, verdict: str, **facts: Any) -> Finding:
        return Finding(verdict, len(self.models.steps), self.engines.peer, **facts)

    def _slices(self) -> Iterator[list[Step]]:
        """Yields consecutive steps whose results need a bounded number of bytes."""
        names = [name for step in self.models.steps for name in step.results]
        sizes = self.engines.sizes(names, self.inputs) if names else {}
        part: list[Step] = []
        total = 0
        for step in self.models.steps:
            size = sum(sizes[name] for name in step.results)
            if part and total + size > self.slice_bytes:
                yield part
                part, total = [], 0
            part.append(step)
            total += size
        if part:
            yield part

    def _compare(self, steps: Sequence[Step]) -> list[Step]:
        """Computes the results of the steps in both engines; returns the steps whose results differ."""
        names = [name for step in steps for name in step.results]
        executable = self.engines.compile(self.models.part(names))
        self.specs |= {spec.name: spec for spec in (*executable.inputs, *executable.outputs)}
        found = call(executable, self.inputs)
        self.values |= found
        comparable = [name for name in names if self.specs[name].dtype not in _PACKED]
        expected = self.engines.compute_expected(self.models.part(comparable), self.inputs)
        for name in names:
            differs = deviation(found[name], expected[name]) if name in expected else None
            self.facts[name] = ValueFacts(name, value_type(found[name], self.specs[name]), differs)
        return [step for step in steps if self._is_wrong(self.facts[name] for name in step.results)]

    def _is_wrong(self, facts: Iterator[ValueFacts]) -> bool:
        return any(value.deviation is not None and self._differs(value.deviation) for value in facts)

    def _differs(self, found: Deviation) -> bool:
        return not found.relative <= self.tolerance

    def _forget(self, last: Step) -> None:
        """Drops the values that no step after `last` reads."""
        live = {name for step in self.models.steps if step.index > last.index for name in step.reads}
        self.values = {name: value for name, value in self.values.items() if name in live}

    def _judge(self, wrong: Sequence[Step], first: NodeFacts | None) -> Finding:
        """Finds the first of the steps that is wrong for mlc's own values of its inputs."""
        steps = [step for step in wrong if self._can_stand_alone(step)]
        try:
            expected = self._compute_alone(steps)
        except Error as error:
            return self._finding("unknown", first=first, note=str(error).partition("\n")[0])
        for step in steps:
            own = _worst(deviation(self.values[name], expected[name]) for name in step.results)
            if self._differs(own):
                alone = self._compile_alone(step, expected)
                return self._finding("node", first=first, cause=self._node(step), own=own, alone=alone)
        return self._finding("amplified" if steps else "unknown", first=first)

    def _can_stand_alone(self, step: Step) -> bool:
        """Whether the values that the step reads can be inputs of a model."""
        reads = [name for name in step.reads if name not in self.models.constants]
        results = [*reads, *step.results]
        return all(
            self.values.get(name) is not None and self.specs[name].dtype not in _PACKED for name in results
        )

    def _compute_alone(self, steps: Sequence[Step]) -> dict[str, Any]:
        """Returns what the other engine makes of mlc's values of the inputs of each step."""
        if not steps:
            return {}
        model, inputs = self.models.alone(steps, self.values, self.specs)
        found = self.engines.compute_expected(model, inputs).values()
        return dict(zip((name for step in steps for name in step.results), found, strict=True))

    def _compile_alone(self, step: Step, expected: Mapping[str, Any]) -> Deviation | None:
        """Returns how far the step compiled alone is from `expected`, None if it cannot be compiled so."""
        model, inputs = self.models.alone([step], self.values, self.specs)
        try:
            found = call(self.engines.compile(model, alone=True), inputs).values()
        except Error:
            return None
        return _worst(
            deviation(*pair) for pair in zip(found, (expected[n] for n in step.results), strict=True)
        )

    def _node(self, step: Step, results: Mapping[str, ValueFacts] | None = None) -> NodeFacts:
        """Returns the facts of a step; `results` are those of its results in another program."""
        constants = self.models.constants
        reads = [self._fact(name) for name in step.reads if name not in constants]
        found = [(results or self.facts).get(name, self.facts[name]) for name in step.results]
        count = sum(name in constants for name in step.reads)
        return NodeFacts(
            step.index, step.name, step.node.op_type, tuple(reads), tuple(found), count, self.tolerance
        )

    def _fact(self, name: str) -> ValueFacts:
        """Returns the facts of a result or of an input, which is the same in both engines."""
        if name in self.facts:
            return self.facts[name]
        return ValueFacts(name, value_type(self.inputs[name], self.specs[name]), Deviation())

    def _bisect(self) -> Finding:
        """Finds the first node whose result is wrong in a program that has only this result, and the model's
        outputs before it, as outputs."""
        steps = self.models.steps
        last_right, first_wrong = -1, len(steps) - 1
        found = self._compare_end(steps[-1])
        while first_wrong - last_right > 1:
            middle = (first_wrong + last_right) // 2
            facts = self._compare_end(steps[middle])
            if self._is_wrong(iter(facts.values())):
                first_wrong, found = middle, facts
            else:
                last_right = middle
        before = self._node(steps[last_right]) if last_right >= 0 else None
        wrong = self._node(steps[first_wrong], found)
        return self._finding("fused", first=wrong, cause=wrong, before=before)

    def _compare_end(self, step: Step) -> dict[str, ValueFacts]:
        """Compares the results of a step and the model's outputs that are computed up to it."""
        ends = {
            name for earlier in self.models.steps if earlier.index <= step.index for name in earlier.results
        }
        names = list(dict.fromkeys((*(name for name in self.models.outputs if name in ends), *step.results)))
        names = [name for name in names if self.specs[name].dtype not in _PACKED]
        model = self.models.part(names)
        executable = self.engines.compile(model)
        found, expected = call(executable, self.inputs), self.engines.compute_expected(model, self.inputs)
        return {
            name: ValueFacts(
                name, value_type(found[name], self.specs[name]), deviation(found[name], expected[name])
            )
            for name in names
        }


def _worst(deviations: Iterator[Deviation]) -> Deviation:
    return max(deviations, key=lambda found: found.relative, default=Deviation())


def differ(actual: Mapping[str, Any], expected: Mapping[str, Any], tolerance: float) -> bool:
    """Whether the outputs of two engines differ by more than the tolerance."""
    if actual.keys() != expected.keys():
        return True
    return not _worst(deviation(actual[name], expected[name]) for name in actual).relative <= tolerance
