"""Configuration of lit: `lit test` or `lit test/passes/graph/simplify/graph-decompose.mlir`."""

import os

from mlc.tools.lit import configure

root = os.path.dirname(os.path.abspath(__file__))
hidden = [name for name in os.listdir(root) if name.startswith(".")]
excludes = ["build", "same_code", *hidden]
configure(config, lit_config, name="mlc", root=root, excludes=excludes)  # noqa: F821
