"""The flags of upstream's mlir-reduce that mlc-reduce has not, and why: for its errors."""

from __future__ import annotations

_ALL = "mlc-reduce tries all of its edits, until none makes the input smaller"

MLIR_REDUCE_FLAGS: dict[str, str] = {
    "reduction-tree": f"{_ALL}; its options `test` and `test-arg` are flags: `--test=script.sh`",
    "opt-reduction-pass": f"{_ALL}; passes are tried by a test that runs `mlc-opt`",
    "no-implicit-module": "the input is a module, or is put into one",
    "split-input-file": "chunks between split markers are found by themselves",
}
