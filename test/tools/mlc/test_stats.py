"""`mlc stats`: totals, tables, levels, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from onnx import helper

# x[2,24] by 24x40, relu, by 40x5.
MACS = 2 * 24 * 40 + 2 * 40 * 5


def test_totals(mlc: Any, mlp: Path) -> None:
    data = mlc("stats", mlp, "--json").json()
    assert data["level"] == "import" and data["parameters"] == 24 * 40 + 40 + 40 * 5 + 5
    assert data["macs"] == MACS and data["weight_bytes"] == 4 * data["parameters"]
    assert data["accesses"] == MACS + 24 * 40 + 40 * 5 + 2 * 40 + 2 * 5
    assert data["flops"] == 2 * MACS + 2 * 40 + 2 * 5 + 2 * 40
    assert data["peak_bytes"] == 4 * (2 * 40 + 2 * 40)
    assert [(row["op"], row["count"]) for row in data["op_types"]] == [
        ("matmul", 2),
        ("add", 2),
        ("relu", 1),
    ]


def test_per_op_names_the_nodes(mlc: Any, mlp: Path) -> None:
    data = mlc("stats", mlp, "--per-op", "--json").json()
    [first, second] = [op for op in data["ops"] if op["products"]]
    assert first["nodes"] == ["first"] and first["shape"] == [2, 40] and first["dtype"] == "float32"
    assert (first["parameters"], second["parameters"]) == (24 * 40, 40 * 5)
    shown = mlc("stats", mlp, "--per-op").out
    assert "convolutions and products" in shown and "other ops" in shown
    assert any(line.split()[:2] == ["first", "matmul"] for line in shown.splitlines())


def test_kernels_have_launches_and_a_planned_arena(mlc: Any, mlp: Path) -> None:
    data = mlc("stats", mlp, "--kernels", "--json").json()
    assert data["level"] == "form-kernels" and data["launches"] >= data["kernels"] >= 2
    assert data["arena_bytes"] >= data["arena_lower_bound"] > 0
    imported = mlc("stats", mlp, "--json").json()
    assert data["flops"] >= imported["flops"] and data["moved_bytes"] != imported["moved_bytes"]
    shown = mlc("stats", mlp, "--kernels").out
    assert f"{data['kernels']}, in {data['launches']} launches" in shown and "planned arena" in shown


def test_fusion_can_be_compared(mlc: Any, mlp: Path) -> None:
    apart = "graph-form-kernels=graph-form-kernels{fuse=false}"
    fused = mlc("stats", mlp, "--kernels", "--json").json()
    single = mlc("stats", mlp, "--kernels", "--json", "--replace-pass", apart).json()
    assert single["launches"] > fused["launches"] and single["moved_bytes"] > fused["moved_bytes"]
    assert single["flops"] == fused["flops"]


def test_optimized_is_after_the_graph_pipeline(mlc: Any, save: Any, tmp_path: Path) -> None:
    nodes = [helper.make_node("Identity", ["x"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
    path = save(tmp_path / "identity.onnx", nodes, inputs={"x": [8]}, outputs={"y": [8]})
    op_names = {
        level: [row["op"] for row in mlc("stats", path, "--json", *flags).json()["op_types"]]
        for level, flags in (("import", ()), ("graph-optimize", ("--optimized",)))
    }
    assert op_names["graph-optimize"] == ["relu"] and "relu" in op_names["import"]


def test_vgg_16_of_the_literature(mlc: Any, save: Any, tmp_path: Path) -> None:
    """VGG-16 without its classifier at 126x224 has 8380 million MACs."""
    nodes, last, channels = [], "x", 3
    weights: dict[str, np.ndarray] = {}
    for block, (width, count) in enumerate([(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]):
        for index in range(count):
            name = f"conv{block + 1}_{index + 1}"
            weights[f"{name}.w"] = np.zeros((width, channels, 3, 3), np.float32)
            weights[f"{name}.b"] = np.zeros(width, np.float32)
            inputs = [last, f"{name}.w", f"{name}.b"]
            nodes.append(helper.make_node("Conv", inputs, [f"{name}.c"], name, pads=[1, 1, 1, 1]))
            nodes.append(helper.make_node("Relu", [f"{name}.c"], [name]))
            last, channels = name, width
        pool = f"pool{block + 1}"
        nodes.append(helper.make_node("MaxPool", [last], [pool], kernel_shape=[2, 2], strides=[2, 2]))
        last = pool
    path = save(
        tmp_path / "vgg.onnx",
        nodes,
        inputs={"x": [1, 3, 126, 224]},
        outputs={last: [1, 512, 3, 7]},
        weights=weights,
    )
    data = mlc("stats", path, "--json").json()
    assert data["macs"] // 10**6 == 8380
    assert data["parameters"] == 14_714_688
    assert "8380.6 M" in mlc("stats", path).out


def test_dynamic_dims(mlc: Any, save: Any, tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"], "act")]
    path = save(tmp_path / "dynamic.onnx", nodes, inputs={"x": ["batch", 8]}, outputs={"y": ["batch", 8]})
    done = mlc("stats", path)
    assert (
        done.status == 1
        and "input 'x' is ?x8: give --dim batch=N" in done.err
        and "Traceback" not in done.err
    )
    for flags in (("--dim", "batch=3"), ("--shape", "x:3x8")):
        assert mlc("stats", path, "--json", *flags).json()["flops"] == 24


def test_sizes_that_only_a_call_knows(mlc: Any, tmp_path: Path) -> None:
    (tmp_path / "dynamic.mlir").write_text(
        "func.func @main(%x: tensor<6xf32>, %d: tensor<2xi64>) -> tensor<?x?xf32> {\n"
        '  %0 = "graph.reshape"(%x, %d) {shape = array<i64: -1, -1>}'
        " : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>\n"
        '  %1 = "graph.relu"(%0) : (tensor<?x?xf32>) -> tensor<?x?xf32> loc("act")\n'
        "  return %1 : tensor<?x?xf32>\n}\n"
    )
    data = mlc("stats", "dynamic.mlir", "--json").json()
    cause = "dim 0 of a value of type tensor<?x?xf32> is not known"
    assert data["unknown"] == [{"node": "act", "op": "relu", "cause": cause}] and data["flops"] == 0
    shown = mlc("stats", "dynamic.mlir").out
    assert "1 op of sizes that depend on data, in no sum above: relu 'act'" in " ".join(shown.split())
    assert "outputs of known sizes" in " ".join(shown.split()) and "relu (1 not known)" in shown


def test_data_dependent_sizes_beside_known_ones(mlc: Any, save: Any, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["y"], "known"),
        helper.make_node("NonZero", ["m"], ["f"], "which"),
        helper.make_node("Squeeze", ["f", "axis"], ["p"], "positions"),
        helper.make_node("Gather", ["x", "p"], ["g"], "rows"),
        helper.make_node("MatMul", ["g", "w"], ["z"], "unknown"),
    ]
    path = save(
        tmp_path / "rows.onnx",
        nodes,
        inputs={"x": [8, 6], "m": [8]},
        outputs={"y": [8, 64], "z": ["k", 64]},
        weights={"w": np.ones((6, 64), np.float32), "axis": np.zeros(1, np.int64)},
    )
    for flags in ((), ("--optimized",), ("--kernels",)):
        data = mlc("stats", path, "--json", "--per-op", *flags).json()
        assert data["macs"] == 8 * 6 * 64 and data["parameters"] >= 6 * 64 and "arena_bytes" not in data
        assert "unknown" in [op["node"] for op in data["unknown"]]
        [known, unknown] = [op for op in data["ops"] if op["products"]]
        assert known["nodes"] == ["known"] and not known["unknown"] and known["macs"] == data["macs"]
        assert unknown["shape"][0] is None and unknown["macs"] == 0
        lines = mlc("stats", path, "--per-op", *flags).out.splitlines()
        line = next(line for line in lines if line.startswith("unknown "))
        assert line.split()[-5:] == ["?"] * 5


def test_usage_and_broken_models(mlc: Any, mlp: Path) -> None:
    assert mlc("stats").status == 2
    assert mlc("stats", mlp, "--optimized", "--kernels").status == 2
    done = mlc("stats", "absent.onnx")
    assert done.status == 1 and "absent.onnx" in done.err and "No such file or directory" in done.err
    Path("done.mlcx").write_bytes(b"PK\3\4")
    assert "done.mlcx is compiled already" in mlc("stats", "done.mlcx").err
    Path("arrays.npz").write_bytes(b"PK\3\4")
    assert "arrays.npz holds arrays; give a model" in mlc("stats", "arrays.npz").err
    Path("cut.onnx").write_bytes(mlp.read_bytes()[:3000])
    done = mlc("stats", "cut.onnx", "--json")
    assert done.status == 1 and "cut.onnx: not a valid ONNX model" in done.json()["error"]


def test_dims_without_names_are_given_by_shape(mlc: Any, save: Any, tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    path = save(tmp_path / "unnamed.onnx", nodes, inputs={"x": [None, 8]}, outputs={"y": [None, 8]})
    assert "input 'x' is ?x8: give --shape x:?x8 with integers" in mlc("stats", path).err


def test_lines_end_without_blanks(mlc: Any, mlp: Path) -> None:
    lines = mlc("stats", mlp).out.splitlines()
    assert len(lines) > 10 and [line for line in lines if line.endswith(" ")] == []
