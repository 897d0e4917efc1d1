"""Configuration of lit: `lit test`, `lit .` or `lit test/passes/graph/fold-batch-norm.mlir`."""

import os

from mlc.tools.lit import configure

root = os.path.dirname(os.path.abspath(__file__))
hidden = [name for name in os.listdir(root) if name.startswith(".")]
excludes = ["bench", "build", "docs", "examples", "same_code", *hidden]
configure(config, lit_config, name="mlc", root=root, excludes=excludes)  # noqa: F821
