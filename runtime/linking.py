"""Links the code that a manifest describes into a program that can be called."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime.arguments import convert_input
from mlc.runtime.errors import ExecutableError
from mlc.runtime.host_features import check_host
from mlc.runtime.manifest import Manifest, own_objects

if TYPE_CHECKING:
    from mlc.runtime._native import Image, Program
    from mlc.runtime.container import Buffer
    from mlc.runtime.cuda.execution.program import PlannedProgram


def link(
    manifest: Manifest, objects: Sequence[Buffer], weights: Mapping[str, Any], origin: str
) -> Program | PlannedProgram:
    """Links relocatable objects, or loads a plan, whose images `objects` are. Raises ExecutableError, with a
    message that begins with `origin`, if the parts do not fit together or cannot run here."""
    if manifest.plan is None:
        return _native(manifest, objects, weights, origin)
    from mlc.runtime.cuda.execution.program import PlannedProgram

    return PlannedProgram(manifest.plan, objects, weights)


def link_measured(
    manifest: Manifest,
    objects: Sequence[Buffer],
    weights: Mapping[str, Any],
    origin: str,
    measured: tuple[tuple[str, int], ...],
) -> Program:
    """Links relocatable objects as `link`; `Program.profile` measures the launches of the kernels `measured`,
    of which each has a name and a number of dims."""
    return _native(manifest, objects, weights, origin, measured)


def _native(
    manifest: Manifest,
    objects: Sequence[Buffer],
    weights: Mapping[str, Any],
    origin: str,
    measured: tuple[tuple[str, int], ...] = (),
) -> Program:
    # GPU programs do without the C extension.
    from mlc.runtime._native import Program

    names = [dim.name for dim in manifest.dims or ()]
    check_host(manifest.target, origin)
    try:
        return Program(
            image=_image(manifest, objects, measured),
            symbol=manifest.entry,
            inputs=tuple(spec.native(names) for spec in manifest.inputs),
            outputs=tuple(spec.native() for spec in manifest.outputs),
            weights=tuple(weights[spec.name] for spec in manifest.weights),
            arena_bytes=manifest.arena_bytes,
            convert=partial(convert_input, manifest.inputs),
            array_type=np.ndarray,
            dims=None if manifest.dims is None else tuple(dim.native() for dim in manifest.dims),
            messages=manifest.messages,
        )
    except (ValueError, KeyError, ImportError, OSError) as error:
        raise ExecutableError(f"{origin}: {error.args[0] if error.args else error}") from error


def _image(manifest: Manifest, objects: Sequence[Buffer], measured: tuple[tuple[str, int], ...]) -> Image:
    """Links the code. Libraries stay open: their handles are never closed."""
    from mlc.runtime._native import Image

    own = own_objects(manifest, objects)
    handles = tuple(ctypes.CDLL(path)._handle for path in manifest.libraries)
    return Image(own, handles, measured) if measured else Image(own, handles)
