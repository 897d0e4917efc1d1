"""A C program linked with the library that `mlc compile --emit=shared-lib` writes: the same results."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

# Reads the input from a file, prints the output as exact hexadecimal values.
PROGRAM = r"""
#include "mlp.h"
#include <stdio.h>

int main(int argc, char **argv) {
  float x[MLP_INPUT_0_ELEMENTS], y[MLP_OUTPUT_0_ELEMENTS];
  const void *inputs[MLP_NUM_INPUTS] = {x};
  void *outputs[MLP_NUM_OUTPUTS] = {y};
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file || fread(x, sizeof x, 1, file) != 1)
    return 1;
  if (mlp_init(NULL) != 0 || mlp_run(inputs, outputs) != 0) {
    fprintf(stderr, "%s\n", mlp_error());
    return 2;
  }
  for (size_t i = 0; i < MLP_OUTPUT_0_ELEMENTS; i++)
    printf("%a\n", y[i]);
  mlp_finalize();
  return 0;
}
"""


@pytest.mark.parametrize("embedded", [False, True])
def test_c_program(mlc: Any, mlp: Path, tmp_path: Path, embedded: bool) -> None:
    options = ["--embed-weights"] if embedded else []
    data = mlc("compile", mlp, "--emit=shared-lib", *options, "--json").json()
    files = ["libmlp.so", "mlp.h", *([] if embedded else ["mlp.weights"])]
    assert sorted(path.name for path in tmp_path.iterdir()) == files
    assert (data["output"], data["header"], data["weights"]) == (
        "libmlp.so",
        "mlp.h",
        None if embedded else "mlp.weights",
    )
    (tmp_path / "main.c").write_text(PROGRAM)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(["cc", *flags, "main.c", "libmlp.so", "-o", "main"], cwd=tmp_path, check=True)

    x = np.random.default_rng(3).standard_normal((2, 24), np.float32)
    x.tofile(tmp_path / "x.bin")
    np.save(tmp_path / "x.npy", x)
    done = subprocess.run(
        [tmp_path / "main", tmp_path / "x.bin"], capture_output=True, text=True, check=True, env={}
    )
    assert mlc("run", mlp, "--input", "x.npy", "--save-outputs", "y.npz").status == 0
    printed = [float.fromhex(line) for line in done.stdout.split()]
    assert printed == np.load("y.npz")["y"].ravel().tolist()
