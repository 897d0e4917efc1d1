"""The sweep draws the same cells from the same seed, and its page names the slow ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest

from bench.sweep import page, record
from bench.sweep.families import SHARES, cells


def entry(index: int, ms: float, is_open: bool = False) -> record.Entry:
    """Returns a recorded cell beside a faster peer of 1 ms and a slower one."""
    names = ["mlc", *(["mlc_fixed"] if is_open else [])]
    times = {**dict.fromkeys(names, ms), "onnxruntime": 1.0, "openvino": 1.5}
    return {
        "seed": 1,
        "index": index,
        "family": "pool",
        "name": f"of {index}",
        "open": is_open,
        "threads": 1,
        "processor": "one",
        "engines": {name: _times_of(value) for name, value in times.items()},
    }


def _times_of(ms: float) -> dict[str, Any]:
    return {"ms": ms, "ratio": ms}


def test_a_seed_gives_the_same_cells() -> None:
    first, second = ([cell.name for _, cell in cells(3, 0, 20)] for _ in range(2))
    assert first == second
    assert first[5:] == [cell.name for _, cell in cells(3, 5, 15)]
    assert first != [cell.name for _, cell in cells(4, 0, 20)]


def test_every_family_draws_models_with_inputs_that_suit_them() -> None:
    families = set()
    for _, cell in cells(5, 0, 2 * len(SHARES)):
        families.add(cell.family)
        model = cell.model()
        onnx.checker.check_model(model)
        drawn = cell.draw(0)
        for value in model.graph.input:
            dims = value.type.tensor_type.shape.dim
            shape = drawn[value.name].shape
            assert len(dims) == len(shape)
            assert all(
                dim.dim_param or dim.dim_value == extent for dim, extent in zip(dims, shape, strict=True)
            )
    assert families == set(SHARES)


def test_the_page_lists_cells_slower_than_the_faster_peer() -> None:
    text = page.markdown([entry(0, 0.5), entry(1, 1.2, True), entry(2, 1.1)])
    assert "| 1 | pool of 1, open | 1.2 | 1.20 | 1.20 | 1.0 | 1.5 |" in text
    assert "pool of 0" not in text and "pool of 2" not in text
    assert "| pool | 3 | 0.87 | 1 | 1.20 | 1 | 1.20 | 1.20 |" in text


def test_a_cell_is_recorded_once(tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    record.store([entry(1, 2.0), entry(0, 1.0), entry(1, 3.0)], path)
    assert [found["engines"]["mlc"]["ms"] for found in record.read(path)] == [1.0, 3.0]


def test_the_picture_is_the_same_again(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from bench.sweep import picture

    for name in ("one.svg", "two.svg"):
        picture.save([entry(0, 0.5), entry(1, 1.2, True)], tmp_path / name)
    assert (tmp_path / "one.svg").read_text() == (tmp_path / "two.svg").read_text()
    with pytest.raises(ValueError, match="no cell"):
        picture.save([], tmp_path / "none.svg")
