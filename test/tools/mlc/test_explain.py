"""`mlc explain`: what is printed, what can be asked for, errors."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from onnx import helper
from rich.console import Console

from mlc.tools.mlc.commands.explanations import render_pass


@pytest.fixture(scope="module")
def model(save: Any, folder: Path) -> Path:
    """Saves x -> Identity -> tanh -> two equal sigmoids -> sin and cos -> add -> y."""
    nodes = [
        helper.make_node("Identity", ["x"], ["a"], "nothing"),
        helper.make_node("Tanh", ["a"], ["b"], "body/tanh"),
        helper.make_node("Sigmoid", ["b"], ["c"], "body/first"),
        helper.make_node("Sigmoid", ["b"], ["d"], "body/second"),
        helper.make_node("Sin", ["c"], ["e"], "sin"),
        helper.make_node("Cos", ["d"], ["f"], "cos"),
        helper.make_node("Add", ["e", "f"], ["y"], "sum"),
    ]
    return save(folder / "explained.onnx", nodes, inputs={"x": [64]}, outputs={"y": [64]})


def by_pass(data: Any, name: str) -> list[Any]:
    return [row for row in data["passes"] if row["pass"] == name]


def test_every_pass_is_there_with_its_pipeline(mlc: Any, model: Path) -> None:
    data = mlc("explain", model, "--json").json()
    pipelines = list(dict.fromkeys(row["pipeline"] for row in data["passes"]))
    assert pipelines == ["graph-optimize", "lower-graph", "form-kernels", "host-plan-memory"]
    assert data["passes"][0]["ops"][0] in (6, 7)
    [formed] = by_pass(data, "graph-form-kernels")
    [kernel] = [kernel for kernel in formed["kernels"] if kernel["anchor"] == "tanh"]
    assert (kernel["joined"], kernel["nodes"]) == (["sigmoid"], ["body/tanh", "body/first"])
    [planned] = by_pass(data, "host-plan-memory")
    assert planned["arena_bytes"] >= planned["arena_lower_bound"] >= 256


def test_merged_ops_are_named_by_their_onnx_nodes(mlc: Any, model: Path) -> None:
    data = mlc("explain", model, "--json").json()
    removed = [op for row in data["passes"] for op in row["removed"] if op["op"] == "sigmoid"]
    assert [(op["count"], op["nodes"]) for op in removed] == [(1, ["body/second"])]


def test_text(mlc: Any, model: Path) -> None:
    lines = mlc("explain", model).out.splitlines()
    assert any(line.startswith("changed nothing: ") for line in lines)
    assert max(map(len, lines)) <= 120 and lines[-1].startswith("    ")
    assert any(line.startswith("graph-form-kernels (form-kernels): ") for line in lines)
    assert any(line.startswith("host-plan-memory: arena ") for line in lines)
    assert "     1x tanh with sigmoid: body/tanh and 1 more" in lines
    assert not any(line.strip() == "body/first" for line in lines)
    verbose = mlc("explain", model, "--verbose").out.splitlines()
    assert any(line.strip() == "body/first" for line in verbose)


def test_one_pass(mlc: Any, model: Path) -> None:
    rows = mlc("explain", model, "--json", "--pass", "cse", "--pass", "graph-form-kernels").json()["passes"]
    assert {row["pass"] for row in rows} == {"cse", "graph-form-kernels"}


def test_ops_are_filtered_by_op_and_by_node(mlc: Any, model: Path) -> None:
    def removed_ops(pattern: str) -> set[str]:
        rows = mlc("explain", model, "--json", "--ops", pattern).json()["passes"]
        return {op["op"] for row in rows for op in row["removed"]}

    assert removed_ops("*") == removed_ops("sigmoid") == removed_ops("graph.sigmoid") == {"sigmoid"}
    assert removed_ops("body/second") == {"sigmoid"}
    assert removed_ops("body/first") == removed_ops("no such op") == set()


def test_what_matches_nothing(mlc: Any, model: Path) -> None:
    assert mlc("explain", model, "--ops", "[").out == "nothing matches '['\n"


def test_kernels_are_filtered_too(mlc: Any, model: Path) -> None:
    data = mlc("explain", model, "--json", "--ops", "tanh").json()
    [formed] = by_pass(data, "graph-form-kernels")
    assert [kernel["anchor"] for kernel in formed["kernels"]] == ["tanh"]


def test_missed_only(mlc: Any, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlc.passes.graph.fusion.form_kernels import FormKernels
    from mlc.passes.remarks import report_applied, report_missed

    run = FormKernels.run

    def remarking(self: Any, op: Any) -> None:
        for _ in range(2):
            report_missed(op, "join", "there is nothing to join with")
        report_applied(op, "something")
        run(self, op)

    monkeypatch.setattr(FormKernels, "run", remarking)
    data = mlc("explain", model, "--json", "--missed").json()
    [row] = by_pass(data, "graph-form-kernels")
    assert row["applied"] == [] and row["kernels"] == []
    assert ("join", 1) in [(remark["rule"], remark["count"]) for remark in row["missed"]]
    shown = mlc("explain", model, "--missed", "--pass", "graph-form-kernels").out
    assert "     1x missed join: " in shown and "(there is nothing to join with)" in shown
    assert "something" not in shown and " ops -> " in shown and shown.splitlines()[0].endswith("launches")
    assert "missed nothing: cse" in mlc("explain", model, "--missed", "--pass", "cse").out


def test_a_switched_off_pass_does_not_appear(mlc: Any, model: Path) -> None:
    data = mlc("explain", model, "--json", "--disable-pass", "cse").json()
    assert by_pass(data, "cse") == [] and by_pass(data, "canonicalize")


# The `--json` output of a pass that did nothing, besides the pass, its pipeline and the counts of ops.
NOTHING: dict[str, Any] = {"prepare_ops": [0, 0], "launches": 0} | {
    name: [] for name in ("applied", "missed", "removed", "added", "kernels")
}


def test_the_lines_of_a_pass() -> None:
    data = NOTHING | {
        "pass": "graph-x",
        "pipeline": "graph-optimize",
        "ops": [10, 8],
        "prepare_ops": [0, 3],
        "applied": [
            {"rule": "x.rule", "message": "a -> b", "count": 12, "nodes": ["n1", "n2", "n3"]},
            {"rule": "x.long", "message": "m" * 200, "count": 1, "nodes": ["n4"]},
        ],
        "missed": [{"rule": "x.other", "message": "a second use", "count": 2, "nodes": ["n5"]}],
        "removed": [{"op": "add", "count": 3, "nodes": ["n1"]}],
        "added": [{"op": "gelu", "count": 1, "nodes": ["n1"]}],
    }
    assert rendered_text(data).splitlines() == [
        "graph-x (graph-optimize): 10 -> 8 ops, @prepare 0 -> 3",
        "    12x x.rule: n1 and 2 more (a -> b)",
        f"     1x x.long: n4 ({'m' * 97}...)",
        "        ops: -3 add, +1 gelu",
        "     2x missed x.other: n5 (a second use)",
    ]
    assert rendered_text(data, missed_only=True).splitlines()[1:] == [
        "     2x missed x.other: n5 (a second use)"
    ]
    assert rendered_text(data, verbose=True).splitlines()[1:5] == [
        "    12x x.rule (a -> b)",
        "          n1",
        "          n2",
        "          n3",
    ]


def test_ops_that_came_and_went_stand_for_passes_without_rules() -> None:
    data = NOTHING | {
        "pass": "graph-y",
        "pipeline": "graph-y",
        "ops": [4, 4],
        "removed": [{"op": "add", "count": 3, "nodes": ["n1"]}],
        "added": [{"op": f"op{index}", "count": 1, "nodes": []} for index in range(20)],
    }
    lines = rendered_text(data).splitlines()
    assert lines[:3] == ["graph-y: 4 ops", "  -  3x add: n1", "  +  1x op0"]
    assert len(lines) == 14 and lines[-1] == "        and 9 more, which --verbose shows"


def test_what_canonicalize_removes_is_dead() -> None:
    removed = [{"op": "reshape", "count": 32, "nodes": []}]
    data = NOTHING | {"pipeline": "", "ops": [40, 8], "removed": removed}
    assert rendered_text({"pass": "canonicalize", **data}).splitlines()[1:] == ["  - 32x reshape (dead)"]
    assert rendered_text({"pass": "cse", **data}).splitlines()[1:] == ["  - 32x reshape"]


def rendered_text(data: Any, *, missed_only: bool = False, verbose: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=80, highlight=False, markup=False)
    render_pass(console, data, missed_only=missed_only, verbose=verbose)
    return stream.getvalue()


def test_errors(mlc: Any, model: Path, mlp: Path) -> None:
    done = mlc("explain", model, "--pass", "graph-simplfy")
    assert done.status == 2 and "no pass 'graph-simplfy'; did you mean" in done.err
    # A pass that exists, but not at this level.
    assert mlc("explain", model, "--pass", "convert-math-to-llvm").status == 2
    assert mlc("explain").status == 2
    done = mlc("explain", "absent.onnx")
    assert done.status == 1 and "absent.onnx" in done.err and "Traceback" not in done.err
    Path("done.mlcx").write_bytes(b"PK\3\4")
    assert "done.mlcx is compiled already" in mlc("explain", "done.mlcx").err
    Path("cut.onnx").write_bytes(mlp.read_bytes()[:3000])
    done = mlc("explain", "cut.onnx", "--json")
    assert done.status == 1 and "cut.onnx: not a valid ONNX model" in done.json()["error"]


def test_dynamic_dims(mlc: Any, save: Any, tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"], "act")]
    path = save(tmp_path / "dynamic.onnx", nodes, inputs={"x": ["batch", 8]}, outputs={"y": ["batch", 8]})
    done = mlc("explain", path, "--target", "cuda:sm_80")
    assert done.status == 1 and "input 'x' is ?x8: give --dim batch=N" in done.err
    assert mlc("explain", path, "--dim", "batch=3").status == 0
