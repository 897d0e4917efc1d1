"""Transformers with random weights, exported from PyTorch. Needs the extra `torch`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import onnx

if TYPE_CHECKING:
    import torch

SEQUENCE = 128
OPSET = 18
TOLERANCE = 1e-4

# The exporter turns "sdpa" attention into one with a guard (IsNaN, Where) after every softmax.
ATTENTION = "eager"


def export(name: str, *, any_length: bool = False) -> onnx.ModelProto:
    """Build and export the model `name`, and compare ONNX Runtime's result with PyTorch's. A transformer of
    `any_length` takes `seq` tokens.

    Raises ModuleNotFoundError without the extra, ValueError where the two differ.
    """
    import torch

    wrapped = module(name)
    example = _example(wrapped.module.config)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            wrapped,
            (example,),
            input_names=["x" if example.is_floating_point() else "input_ids"],
            output_names=["y"],
            dynamo=True,
            opset_version=OPSET,
            verbose=False,
            dynamic_shapes=({1: torch.export.Dim("seq", max=512)},) if any_length else None,
        )
        _check(name, program.model_proto, example, wrapped(example))
    return program.model_proto


def module(name: str, attention: str = ATTENTION) -> torch.nn.Module:
    """The model `name` with its random weights, ready to be called with its one input.

    `attention`: which of PyTorch's implementations of it.
    """
    import torch

    torch.manual_seed(0)
    model, field = MODELS[name]()
    model.set_attn_implementation(attention)
    return _one_output(model.eval(), field)


def _example(config: Any) -> torch.Tensor:
    import torch

    generator = torch.Generator().manual_seed(1)
    if hasattr(config, "image_size"):
        return torch.randn(1, 3, config.image_size, config.image_size, generator=generator)
    return torch.randint(0, config.vocab_size, (1, SEQUENCE), generator=generator)


def _one_output(module: Any, field: str) -> torch.nn.Module:
    """`module` without a key-value cache, returning only `field` of its result."""
    import torch

    class OneOutput(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.module = module

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            options = {"use_cache": False} if field == "logits" and not x.is_floating_point() else {}
            return getattr(self.module(x, **options), field)

    return OneOutput()


def _check(name: str, model: onnx.ModelProto, example: torch.Tensor, expected: torch.Tensor) -> None:
    from bench.models.reference import run

    (actual,) = run(model, {model.graph.input[0].name: example.numpy()})
    error = abs(actual - expected.numpy()).max() / abs(expected.numpy()).max()
    if not error < TOLERANCE:
        raise ValueError(
            f"export of '{name}': ONNX Runtime differs from PyTorch by {error:.2g}, over {TOLERANCE:g}"
        )


def _bert_base() -> tuple[Any, str]:
    from transformers import BertConfig, BertModel

    return BertModel(BertConfig(attn_implementation=ATTENTION), add_pooling_layer=False), "last_hidden_state"


def _gpt2() -> tuple[Any, str]:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(attn_implementation=ATTENTION)), "logits"


def _vit_base() -> tuple[Any, str]:
    from transformers import ViTConfig, ViTForImageClassification

    return ViTForImageClassification(ViTConfig(num_labels=1000, attn_implementation=ATTENTION)), "logits"


def _llama_small() -> tuple[Any, str]:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=32000,
        hidden_size=512,
        intermediate_size=1376,
        num_hidden_layers=8,
        num_attention_heads=8,
        max_position_embeddings=512,
        attn_implementation=ATTENTION,
    )
    return LlamaForCausalLM(config), "logits"


MODELS: dict[str, Callable[[], tuple[Any, str]]] = {
    "bert_base_s128": _bert_base,
    "gpt2_s128": _gpt2,
    "vit_b16": _vit_base,
    "llama_s128": _llama_small,
}
VOCABULARY = {"bert_base_s128": 30522, "gpt2_s128": 50257, "llama_s128": 32000}
