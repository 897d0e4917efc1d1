"""The lit configuration of mlc's tests, for any project whose tests run mlc-opt.

# lit.cfg.py
from mlc.tools.lit import configure

configure(config, lit_config, name="my-project", root=os.path.dirname(__file__))
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Text to generic form and back, chunk by chunk: what is checked is the text of the last printing.
_ROUNDTRIP = (
    "mlc-opt --split-input-file %s | mlc-opt --split-input-file --mlir-print-op-generic "
    "| mlc-opt --split-input-file | filecheck %s"
)


def configure(config: Any, lit_config: Any, *, name: str, root: str, excludes: Sequence[str] = ()) -> None:
    """Sets up `config`, lit's, for the .mlir files under `root`.

    mlc-opt, mlc-translate, mlc, filecheck and python are found next to the Python that runs lit.
    Substitutions: `%roundtrip`, `%python`, and lit's own. Feature: `ptxas`, where it is installed.
    Results of tests (`%t`) go to `build/lit` under `root`. Folders called `Inputs`, and
    those in `excludes`, hold no tests.
    """
    import lit.formats

    config.name = name
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir"]
    config.excludes = ["Inputs", *excludes]
    config.test_source_root = root
    config.test_exec_root = os.path.join(root, "build", "lit")
    config.substitutions += [("%roundtrip", _ROUNDTRIP), ("%python", sys.executable)]
    if shutil.which("ptxas"):  # tests that assemble PTX say REQUIRES: ptxas
        config.available_features.add("ptxas")
    programs = str(Path(sys.executable).parent)
    config.environment["PATH"] = os.pathsep.join([programs, config.environment.get("PATH", "")])
    # mlc from where lit's own Python has it, if that is another checkout than the installed one.
    if "PYTHONPATH" in os.environ:
        config.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
    missing = [tool for tool in ("mlc-opt", "filecheck") if not Path(programs, tool).exists()]
    if missing:
        lit_config.fatal(f"{', '.join(missing)} not found in {programs}: pip install mlc-compiler[test]")
