"""The comparison of a call's outputs with those of another engine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.session import CommandSession

if TYPE_CHECKING:
    import numpy as np

    from mlc.runtime import Executable
    from mlc.tools.mlc.each_node.findings import Finding

Arrays = Mapping[str, "np.ndarray"]


@dataclass(frozen=True)
class Verification:
    """The comparison of `mlc run --verify`: `engine` runs the ONNX model `oracle`, whose outputs may differ
    by `tolerance`. With `each_node` the first node whose result differs by more is searched for."""

    engine: str
    oracle: Path
    tolerance: float
    each_node: bool
    threads: int | None

    def run(
        self,
        executable: Executable,
        inputs: Mapping[str, Any],
        outputs: Arrays,
        flags: CompileFlags,
        session: CommandSession,
    ) -> tuple[dict[str, Any], Finding | None]:
        """Returns the comparison of the `outputs` of a call as JSON data, and what `each_node` found in parts
        of the model, which `flags` compile."""
        from mlc.tools.mlc.object_values import flat
        from mlc.tools.mlc.peer_engines import call_peer, load_peer

        found = call_peer(self.engine, load_peer(self.engine, self.oracle, self.threads), inputs)
        expected = flat(dict(zip((spec.name for spec in executable.outputs), found, strict=True)))
        data = {"engine": self.engine, "tolerance": self.tolerance, **self._compare(outputs, expected)}
        if not self.each_node:
            return data, None
        finding = self._search(inputs, outputs, expected, flags, session)
        return {**data, "each_node": finding.data, "passed": data["passed"] and finding.passed}, finding

    def _compare(self, outputs: Arrays, expected: Arrays) -> dict[str, Any]:
        from mlc.tools.mlc.deviations import difference

        results: dict[str, dict[str, Any]] = {}
        for name in {**outputs, **expected}:
            error, reason = math.inf, "there is none" if name in expected else "there should be none"
            if name in outputs and name in expected:
                error, reason = difference(outputs[name], expected[name])
            passed = error <= self.tolerance
            results[name] = {"error": error if math.isfinite(error) else None, "passed": passed}
            if reason:
                results[name]["reason"] = reason
        return {"passed": all(value["passed"] for value in results.values()), "outputs": results}

    def _search(
        self,
        inputs: Mapping[str, Any],
        outputs: Arrays,
        expected: Arrays,
        flags: CompileFlags,
        session: CommandSession,
    ) -> Finding:
        from mlc.tools.mlc.each_node.engines import Engines
        from mlc.tools.mlc.each_node.partial_models import PartialModels
        from mlc.tools.mlc.each_node.search import Search, differ

        models = PartialModels(self.oracle)
        with Engines(models, self.engine, flags, session, self.threads) as engines:
            search = Search(engines, inputs, self.tolerance)
            return search.run(outputs_differ=differ(outputs, expected, self.tolerance))
