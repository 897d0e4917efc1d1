"""The ONNX front end: `import_model`."""

from __future__ import annotations

from mlc.frontends.onnx.model import ImportedModel, import_model

__all__ = ["ImportedModel", "import_model"]
