"""Decoders of text from transformers: a step that takes and returns the cache of keys and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import transformers
from torch import nn
from transformers import PreTrainedModel

from bench.zoo.exports.modules import Call
from bench.zoo.exports.registry import export
from bench.zoo.exports.weights import seed
from bench.zoo.model import Input

VOCABULARY = 1000
LAYERS = 2
# A step with many tokens, the usual one, and the first, which has no past.
STEPS = (
    {"batch": 2, "length": 3, "past": 5},
    {"batch": 1, "length": 1, "past": 77},
    {"batch": 1, "length": 9, "past": 0},
)
PROMPTS = ({"batch": 2, "length": 16}, {"batch": 1, "length": 50}, {"batch": 3, "length": 1})

IDS = Input("int64", ("batch", "length"), f"integers(0, {VOCABULARY})")
PROMPT = {"input_ids": IDS, "attention_mask": Input("int64", ("batch", "length"), "padding")}
STEP = {
    "input_ids": IDS,
    "attention_mask": Input("int64", ("batch", "past + length"), "ones"),
    "position_ids": Input("int64", ("batch", "length"), "arange(past)"),
}
# Grouped queries: four heads of 64 that share two heads of keys and values.
SMALL: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


class Step(nn.Module):
    """A step of a decoder: logits, and the cache with the keys and values of the new tokens."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        position_ids: torch.Tensor,
        *past: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        cache = transformers.DynamicCache(list(zip(past[::2], past[1::2], strict=True)))
        result = self.module(
            input_ids=input_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            past_key_values=cache,
            use_cache=True,
        )
        present = result.past_key_values.layers
        return (result.logits, *(tensor for layer in present for tensor in (layer.keys, layer.values)))


def _past(heads: int, size: int) -> dict[str, Input]:
    shape = ("batch", heads, "past", size)
    names = [f"past_key_values.{layer}.{part}" for layer in range(LAYERS) for part in ("key", "value")]
    return {name: Input("float32", shape) for name in names}


def _present(inputs: Mapping[str, Input]) -> list[str]:
    return ["logits", *(name.replace("past_key_values", "present") for name in inputs if "." in name)]


def _causal(config: Any, attention: str) -> PreTrainedModel:
    config._attn_implementation = attention
    return seed(transformers.AutoModelForCausalLM.from_config(config, attn_implementation=attention))


GROUPED = STEP | _past(heads=2, size=64)
FULL = STEP | _past(heads=4, size=64)


@export("transformers/gpt2-step", "script dynamo", FULL, STEPS, outputs=_present(FULL))
def _gpt2() -> nn.Module:
    return Step(
        _causal(transformers.GPT2Config(vocab_size=VOCABULARY, n_embd=256, n_layer=LAYERS, n_head=4), "eager")
    )


@export("transformers/llama-step", "script dynamo", GROUPED, STEPS, outputs=_present(GROUPED))
def _llama() -> nn.Module:
    return Step(_causal(transformers.LlamaConfig(**SMALL), "sdpa"))


@export("transformers/llama-prompt", "script dynamo", PROMPT, PROMPTS, outputs=["logits"])
def _llama_prompt() -> nn.Module:
    return Call(_causal(transformers.LlamaConfig(**SMALL), "eager"), PROMPT, ["logits"], use_cache=False)


@export("transformers/qwen2-step", "dynamo", GROUPED, STEPS, outputs=_present(GROUPED))
def _qwen2() -> nn.Module:
    return Step(_causal(transformers.Qwen2Config(**SMALL), "eager"))


@export("transformers/qwen3-step", "script", GROUPED, STEPS, outputs=_present(GROUPED))
def _qwen3() -> nn.Module:
    return Step(_causal(transformers.Qwen3Config(**SMALL, head_dim=64), "sdpa"))


@export("transformers/gemma2-step", "dynamo script", GROUPED, STEPS, outputs=_present(GROUPED))
def _gemma2() -> nn.Module:
    config = transformers.Gemma2Config(**SMALL, head_dim=64, query_pre_attn_scalar=64, sliding_window=16)
    return Step(_causal(config, "eager"))


@export("transformers/phi-step", "script", FULL, STEPS, outputs=_present(FULL))
def _phi() -> nn.Module:
    config = transformers.PhiConfig(**(SMALL | {"num_key_value_heads": 4}), partial_rotary_factor=0.5)
    return Step(_causal(config, "sdpa"))


@export("transformers/mistral-step", "dynamo", GROUPED, STEPS, outputs=_present(GROUPED))
def _mistral() -> nn.Module:
    return Step(_causal(transformers.MistralConfig(**SMALL, sliding_window=16), "sdpa"))


@export("transformers/mistral-prompt", "script", PROMPT, PROMPTS, outputs=["logits"])
def _mistral_prompt() -> nn.Module:
    config = transformers.MistralConfig(**SMALL, sliding_window=16)
    return Call(_causal(config, "eager"), PROMPT, ["logits"], use_cache=False)


@export("transformers/gpt-oss-prompt", "script", PROMPT, PROMPTS, outputs=["logits"])
def _gpt_oss() -> nn.Module:
    config = transformers.GptOssConfig(
        **(SMALL | {"hidden_size": 60, "intermediate_size": 90}),
        head_dim=16,
        num_local_experts=4,
        num_experts_per_tok=2,
        sliding_window=8,
        layer_types=["sliding_attention", "full_attention"],
    )
    # Products with gathered weights, which the script exporter writes.
    config._experts_implementation = "batched_mm"
    return Call(_causal(config, "eager"), PROMPT, ["logits"], use_cache=False)


@export("transformers/mpt-prompt", "script", PROMPT, PROMPTS, outputs=["logits"])
def _mpt() -> nn.Module:
    config = transformers.MptConfig(
        vocab_size=VOCABULARY, d_model=64, n_layers=LAYERS, n_heads=4, expansion_ratio=2, max_seq_len=64
    )
    return Call(_causal(config, "eager"), PROMPT, ["logits"], use_cache=False)


@export("transformers/opt-prompt", "script", PROMPT, PROMPTS, outputs=["logits"])
def _opt() -> nn.Module:
    config = transformers.OPTConfig(
        vocab_size=VOCABULARY,
        hidden_size=256,
        word_embed_proj_dim=256,
        ffn_dim=1024,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
    )
    return Call(_causal(config, "eager"), PROMPT, ["logits"], use_cache=False)


@export("transformers/bloom-prompt", "dynamo", PROMPT, PROMPTS, outputs=["logits"])
def _bloom() -> nn.Module:
    config = transformers.BloomConfig(vocab_size=VOCABULARY, hidden_size=256, n_layer=LAYERS, n_head=4)
    return Call(_causal(config, "eager"), PROMPT, ["logits"], use_cache=False)


@export("transformers/gpt-neox-prompt", "dynamo", PROMPT, PROMPTS, outputs=["logits"])
def _gpt_neox() -> nn.Module:
    config = transformers.GPTNeoXConfig(
        vocab_size=VOCABULARY,
        hidden_size=256,
        intermediate_size=1024,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
    )
    return Call(_causal(config, "sdpa"), PROMPT, ["logits"], use_cache=False)


@export("transformers/falcon-prompt", "script", PROMPT, PROMPTS, outputs=["logits"])
def _falcon() -> nn.Module:
    config = transformers.FalconConfig(
        vocab_size=VOCABULARY,
        hidden_size=256,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
        multi_query=True,
    )
    return Call(_causal(config, "eager"), PROMPT, ["logits"], use_cache=False)


# Exporters unroll the scan over the sequence.
UNROLLED = {"input_ids": Input("int64", ("batch", 12), f"integers(0, {VOCABULARY})")}
BATCHES = ({"batch": 2}, {"batch": 1}, {"batch": 5})


@export("transformers/mamba-prompt", "script dynamo", UNROLLED, BATCHES, outputs=["logits"])
def _mamba() -> nn.Module:
    config = transformers.MambaConfig(
        vocab_size=VOCABULARY, hidden_size=128, num_hidden_layers=LAYERS, state_size=8, use_mambapy=False
    )
    return Call(_causal(config, "eager"), UNROLLED, ["logits"], use_cache=False)
