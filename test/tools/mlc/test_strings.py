"""`mlc` on models of strings."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper


@pytest.fixture
def split(tmp_path: Path) -> Path:
    """A model that splits strings at commas."""
    x = helper.make_tensor_value_info("x", TensorProto.STRING, ["n"])
    outputs = [helper.make_tensor_value_info(name, dtype, None) for name, dtype in (("y", 8), ("z", 7))]
    nodes = [helper.make_node("StringSplit", ["x"], ["y", "z"], delimiter=",")]
    graph = helper.make_graph(nodes, "split", [x], outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, tmp_path / "split.onnx")
    return tmp_path / "split.onnx"


def test_strings_are_read_drawn_shown_and_written(mlc: Any, split: Path, tmp_path: Path) -> None:
    given, made = tmp_path / "x.npy", tmp_path / "y.npz"
    np.save(given, np.array(["a,b", "ä", ""]))
    shown = mlc("run", split, "--input", given, "--save-outputs", made).out
    assert "string[3,2]" in shown and "4 different" in shown
    with np.load(made, allow_pickle=False) as found:
        assert found["y"].tolist() == [["a", "b"], ["ä", ""], ["", ""]]
        assert found["z"].tolist() == [2, 1, 1]
    data = mlc("run", split, "--dim", "n=20", "--json").json()
    assert data["inputs"]["x"]["shape"] == [20] and data["inputs"]["x"]["different"] > 5


def test_functions_of_the_runtime_are_listed(mlc: Any, split: Path, tmp_path: Path) -> None:
    done = mlc("compile", split, "-o", tmp_path / "split.mlcx")
    assert "functions  of the runtime: string_split_count, string_split" in done.out
    assert mlc("report", tmp_path / "split.mlcx", "--json").json()["report"]["functions"] == [
        "string_split_count",
        "string_split",
    ]


_PROGRAM = r"""
#include "split.h"
#include <stdio.h>
#include <stdlib.h>

static int split(const char *const *texts, int64_t count) {
  split_array inputs[] = {{(void *)texts, 0, {count}}}, outputs[SPLIT_NUM_OUTPUTS] = {0};
  if (split_run(inputs, outputs) != 0)
    return printf("%s\n", split_error());
  const char *const *parts = outputs[0].data;
  const int64_t *counts = outputs[1].data;
  for (int64_t row = 0; row < outputs[0].shape[0]; row++) {
    printf("%lld:", (long long)counts[row]);
    for (int64_t i = 0; i < outputs[0].shape[1]; i++)
      printf(" [%s]", parts[row * outputs[0].shape[1] + i]);
    printf("\n");
  }
  free(outputs[0].data);
  free(outputs[1].data);
  return 0;
}

int main(void) {
  const char *texts[] = {"a,b", "\xc3\xa4", "", "a,,c,d", NULL};
  char memory[64];
  split_array inputs[] = {{texts, 0, {1}}}, outputs[SPLIT_NUM_OUTPUTS] = {{memory, sizeof memory}};
  if (split_init(NULL) != 0)
    return 1;
  split(texts, 3);
  split(texts + 3, 1);
  split(texts + 3, 2);
  split(texts, 0);
  printf("%d %s\n", split_run(inputs, outputs), split_error());
  inputs[0].data = (char *)texts + 1;
  outputs[0].data = NULL;
  printf("%d %s\n", split_run(inputs, outputs), split_error());
  printf("%d %s\n", split_run(inputs, NULL), split_error());
  inputs[0].data = NULL;
  printf("%d %s\n", split_run(inputs, outputs), split_error());
  split_finalize();
  return 0;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_shared_library_takes_and_gives_text(mlc: Any, split: Path, tmp_path: Path) -> None:
    mlc("compile", split, "--emit", "shared-lib", "-o", tmp_path / "libsplit.so")
    (tmp_path / "main.c").write_text(_PROGRAM)
    command = ["cc", "-Wall", "-Werror", "main.c", "-o", "main", "-L.", "-lsplit", "-Wl,-rpath,."]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        *("2: [a] [b]", "1: [ä] []", "1: [] []"),
        "4: [a] [] [c] [d]",
        "split: input 'x': string 1 is NULL",
        "-1 split: output 'y': the library allocates strings, `data` must be NULL",
        "-1 split: input 'x': its memory is not aligned to 8 bytes",
        "-1 split: `outputs` is NULL",
        "-1 split: input 'x': `data` is NULL",
    ]
