"""Programs in the disk cache, or from another process: bundles, and the weights of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlc.codegen.cache import Cache
from mlc.compiler.code_path import CodePath
from mlc.compiler.options import Options
from mlc.compiler.programs.assemble import Names, assemble
from mlc.compiler.programs.bundle import Bundle, Stage, portable_weights
from mlc.compiler.programs.program import CompiledProgram, run_prepare
from mlc.compiler.sources.imported_module import Imported
from mlc.compiler.sources.onnx_model import OnnxSource
from mlc.compiler.sources.open_source import Source
from mlc.compiler.stage_timer import Timer


def look_up(source: Source, options: Options, path: CodePath) -> tuple[str | None, Bundle | None]:
    """Returns the program's key in the cache (None where it is not cached) and its bundle, if there is one
    and the files beside the model are unchanged."""
    digest = source.digest()
    if digest is None or not options.uses_cache():
        return None, None
    cache = Cache()
    key = cache.key("program", digest, repr(path), options.key_text())
    found = cache.get(key)
    bundle = Bundle.from_bytes(found) if found is not None else None
    return key, bundle if bundle is not None and _is_current(source, bundle) else None


def _is_current(source: Source, bundle: Bundle) -> bool:
    return isinstance(source, OnnxSource) and all(
        source.buffer(entry) is not None for entry in bundle.external
    )


def program_of(
    source: OnnxSource, bundle: Bundle, path: CodePath, timer: Timer, options: Options
) -> CompiledProgram | None:
    """Returns the program on the model's weights; None if they have changed."""
    prepared: list[np.ndarray] = []
    if "prepare" in bundle.stages:
        weights = _weights(source, bundle.stages["prepare"], [])
        if weights is None:
            return None
        with timer.stage("prepare"):
            prepared = prepare(bundle.stages["prepare"], weights)
    main = bundle.stages["main"]
    weights = _weights(source, main, prepared)
    if weights is None:
        return None
    report = {**bundle.report, "seconds": timer.seconds, "from_cache": True}
    names = Names(source.name, bundle.inputs, bundle.outputs, options.dim_ranges())
    return assemble(names, path, main, weights, report)


def _weights(source: OnnxSource, stage: Stage, prepared: Sequence[np.ndarray]) -> list[np.ndarray] | None:
    arrays = []
    for weight in stage.weights:
        if isinstance(weight, bytes):
            array: np.ndarray | None = np.frombuffer(weight, np.uint8)
        else:
            array = prepared[weight] if isinstance(weight, int) else source.buffer(weight)
        if array is None:
            return None
        arrays.append(array)
    return arrays


def prepare(stage: Stage, weights: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Returns the results of `@prepare`."""
    assert stage.step_list is not None, "split gives @prepare a step list"
    return run_prepare(stage.host, stage.step_list, list(stage.objects.values()), weights)


def bundle_of(
    source: OnnxSource, stages: Mapping[str, Stage], imported: Imported, report: Mapping[str, Any]
) -> Bundle:
    """Returns the compiled stages as a bundle, without the weights."""
    portable = {
        name: replace(stage, weights=portable_weights(stage.host, source, imported.store))
        for name, stage in stages.items()
    }
    return Bundle(portable, imported.inputs, imported.outputs, report, source.external(imported.store))
