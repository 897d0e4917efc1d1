"""The descriptions of the zoo's models."""

from pathlib import Path

from bench.zoo.model import Input, Model


def test_descriptions_survive_json() -> None:
    inputs = {
        "input_ids": Input("int64", ("batch", "length"), "integers(0, 100)"),
        "past": Input("float32", ("batch", 4, "length - 1", 16)),
    }
    sizes = ({"batch": 1, "length": 7}, {"batch": 3, "length": 50})
    model = Model(
        "group/model", Path("group/model.onnx"), inputs, sizes, tolerance=1e-3, tags=frozenset({"nlp"})
    )
    assert Model.from_json(model.to_json()) == model
