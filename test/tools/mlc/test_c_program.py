"""A C program linked with the library that `mlc compile --emit=shared-lib` writes: the same results."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

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


# Runs with the indices of the command line; prints what the calls return.
LOOK_UP_PROGRAM = r"""
#include "look_up.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  float y[2] = {0};
  if (look_up_init(NULL) != 0)
    return 1;
  for (int i = 1; i < argc; i++) {
    int64_t index = atoi(argv[i]);
#ifdef LOOK_UP_NUM_DIMS
    look_up_array x = {&index, sizeof index, {1}}, result = {y, sizeof y, {0}};
    const int status = look_up_run(&x, &result);
#else
    const int status = look_up_run((const void *[]){&index}, (void *[]){y});
#endif
    printf("%d %g %s\n", status, y[1], status ? look_up_error() : "");
  }
  look_up_finalize();
  return 0;
}
"""


@pytest.mark.parametrize("count", [1, "n"])
def test_index_out_of_range(mlc: Any, tmp_path: Path, count: int | str) -> None:
    """The call returns -1 and a message; the next one works."""
    table = numpy_helper.from_array(np.arange(6, dtype=np.float32).reshape(3, 2), "table")
    nodes = [helper.make_node("Gather", ["table", "i"], ["y"], name="words")]
    shapes = {"i": (TensorProto.INT64, [count]), "y": (TensorProto.FLOAT, [count, 2])}
    inputs, outputs = ([helper.make_tensor_value_info(name, *shapes[name])] for name in "iy")
    graph = helper.make_graph(nodes, "g", inputs, outputs, [table])
    versions = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=10), tmp_path / "look_up.onnx")
    mlc("compile", "look_up.onnx", "--emit=shared-lib")
    (tmp_path / "main.c").write_text(LOOK_UP_PROGRAM)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(["cc", *flags, "main.c", "liblook_up.so", "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run(
        [tmp_path / "main", "2", "3", "-4", "-3"], capture_output=True, text=True, check=True, env={}
    )
    wrong = "look_up: Gather 'words': index {} at [0] is out of bounds for axis 0 of size 3"
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines == ["0 5", f"-1 5 {wrong.format(3)}", f"-1 5 {wrong.format(-4)}", "0 1"]
