"""Sequences and optionals as inputs and outputs of `mlc run`, lists in .npz files; in shared libraries."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import parser

ROWS = [np.arange(3, dtype=np.float32), np.ones(2, np.float32)]
X = np.array([7], np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    text = """<ir_version: 10, opset_import: ["" : 21]> g
      (seq(float[]) s, float[1] x, optional(float[n]) o) => (seq(float[]) r, bool h)
      { r = SequenceInsert(s, x) h = OptionalHasElement(o) }"""
    path = tmp_path / "model.onnx"
    onnx.save(parser.parse_model(text), path)
    return path


def test_sequences_from_and_to_files(mlc: Any, model: Path) -> None:
    np.savez("rows.npz", *ROWS)
    np.save("x.npy", X)
    done = mlc(
        "run", model, "--input", "s=rows.npz", "--input", "x=x.npy", "--save-outputs", "out.npz", "--json"
    )
    assert done.status == 0
    assert done.json()["inputs"]["s[1]"]["shape"] == [2] and done.json()["outputs"]["h"]["max"] == 0
    with np.load("out.npz") as found:
        assert sorted(found) == ["h", "r[0]", "r[1]", "r[2]"]
        for index, expected in enumerate([*ROWS, X]):
            np.testing.assert_array_equal(found[f"r[{index}]"], expected)


def test_sequences_in_an_archive_of_all_inputs(mlc: Any, model: Path) -> None:
    np.savez("all.npz", **{"s[0]": ROWS[0], "s[1]": ROWS[1], "x": X, "o": X})  # type: ignore[arg-type]
    done = mlc("run", model, "--inputs", "all.npz", "--json")
    assert done.status == 0 and done.json()["outputs"]["r[1]"]["max"] == 1
    assert done.json()["outputs"]["h"]["max"] == 1
    np.savez("gap.npz", **{"s[0]": ROWS[0], "s[2]": ROWS[1], "x": X})  # type: ignore[arg-type]
    done = mlc("run", model, "--inputs", "gap.npz")
    assert done.status == 1 and "gap.npz: holds s[0], s[2] of the sequence 's'" in done.err


def test_sequences_that_are_not_given_are_empty(mlc: Any, model: Path) -> None:
    data = mlc("run", model, "--json").json()
    assert list(data["outputs"]) == ["r[0]", "h"] and data["outputs"]["h"]["max"] == 0


def test_sequences_are_verified(mlc: Any, model: Path) -> None:
    np.savez("rows.npz", *ROWS)
    done = mlc("run", model, "--input", "s=rows.npz", "--verify=reference", "--json")
    assert done.json()["verify"]["passed"] and len(done.json()["verify"]["outputs"]) == 4


_FRONT = """<ir_version: 10, opset_import: ["" : 21]> front (int64 n, float[m] x) => (float[k] z) {
  s = SequenceEmpty() true = Constant<value = bool {1}>() zero = Constant<value = int64 {0}>()
  r = Loop(n, true, s) <body = b (int64 i, bool c, seq(float[]) t) => (bool d, seq(float[]) u) {
    d = Identity(c) e = CastLike(i, x) y = Add(x, e) u = SequenceInsert(t, y, zero)
  }> z = ConcatFromSequence<axis = 0>(r)
}"""
_PROGRAM = r"""
#include "front.h"
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  float x[] = {0.5f, 0.25f};
  if (front_init(NULL) != 0)
    return 1;
  for (int64_t n = 4000; n <= 20000; n += 16000) {
    front_array inputs[] = {{&n, 0, {0}}, {x, 0, {2}}}, outputs[FRONT_NUM_OUTPUTS] = {0};
    if (front_run(inputs, outputs) != 0)
      printf("%s\n", front_error());
    else {
      const float *z = outputs[0].data;
      printf("%lld %g %g\n", (long long)outputs[0].shape[0], z[0], z[7999]);
    }
    free(outputs[0].data);
  }
  front_finalize();
  return 0;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_shared_library_releases_sequences(mlc: Any, tmp_path: Path) -> None:
    """4000 sequences of up to 4000 elements, in 3 MB."""
    onnx.save(parser.parse_model(_FRONT), tmp_path / "front.onnx")
    mlc("compile", tmp_path / "front.onnx", "--emit", "shared-lib", "-o", tmp_path / "libfront.so")
    (tmp_path / "main.c").write_text(_PROGRAM)
    command = ["cc", "-Wall", "-Werror", "main.c", "-o", "main", "-L.", "-lfront", "-Wl,-rpath,."]
    subprocess.run(command, cwd=tmp_path, check=True)
    bound = {**os.environ, "MLC_OBJECT_BYTES": "3000000"}
    done = subprocess.run(["./main"], cwd=tmp_path, env=bound, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "8000 3999.5 0.25",
        "front: sequence_insert 'Loop:r/SequenceInsert:u': the strings and sequences of a call need more than"
        " 3000000 bytes (MLC_OBJECT_BYTES)",
    ]
