"""mlc, through its standard backend interface."""

from collections.abc import Callable
from typing import Any

from onnx import ModelProto

import mlc
from mlc import onnx_backend
from mlc.compiler import worker_pool

NAME = "mlc"
VERSION = mlc.__version__
_POOL = worker_pool(1)


def prepare(model: ModelProto) -> Callable[[list[Any]], Any]:
    """Compiles the model with one worker process, which all models share, without the cache."""
    return onnx_backend.prepare(model, threads=1, cache=False, pool=_POOL).run
