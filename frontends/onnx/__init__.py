"""The ONNX front end: `import_model` turns a model into a module of the `graph` dialect."""

from __future__ import annotations

from mlc.frontends.onnx.import_budget import ImportBudget
from mlc.frontends.onnx.model import ImportedModel, import_model

__all__ = ["ImportBudget", "ImportedModel", "import_model"]
