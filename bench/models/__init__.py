"""The model set: deterministic models with random weights and non-degenerate outputs.

`python -m bench.models NAME...` builds; `inputs`, `model_path` and `manifest` give access to what was built.
"""

from bench.models.store import BUILD, inputs, manifest, model_path

__all__ = ["BUILD", "inputs", "manifest", "model_path"]
