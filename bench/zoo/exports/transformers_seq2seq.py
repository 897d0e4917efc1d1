"""Encoders and decoders of sequence-to-sequence models of transformers, exported separately."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import transformers
from torch import nn
from transformers import PreTrainedModel

from bench.zoo.exports.modules import Apply, Call
from bench.zoo.exports.registry import export
from bench.zoo.exports.transformers_heads import build
from bench.zoo.model import Input

VOCABULARY = 1000
LAYERS = 2
IDS = Input("int64", ("batch", "length"), f"integers(0, {VOCABULARY})")
ENCODED = {"input_ids": IDS, "attention_mask": Input("int64", ("batch", "length"), "padding")}
ENCODED_SIZES = ({"batch": 2, "length": 50}, {"batch": 1, "length": 77}, {"batch": 3, "length": 7})
STEP_SIZES = (
    {"batch": 2, "past": 4, "encoded": 9},
    {"batch": 1, "past": 31, "encoded": 50},
    {"batch": 3, "past": 1, "encoded": 7},
)
BART: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "d_model": 256,
    "encoder_layers": LAYERS,
    "decoder_layers": LAYERS,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 512,
    "decoder_ffn_dim": 512,
    "pad_token_id": 0,
    "decoder_start_token_id": 0,
}


def _cache_inputs(heads: int, size: int, encoded: int | str = "encoded") -> dict[str, Input]:
    lengths: dict[str, int | str] = {"decoder": "past", "encoder": encoded}
    return {
        f"past_key_values.{layer}.{side}.{part}": Input("float32", ("batch", heads, length, size))
        for layer in range(LAYERS)
        for side, length in lengths.items()
        for part in ("key", "value")
    }


def _step_inputs(past: dict[str, Input]) -> dict[str, Input]:
    return {
        "input_ids": Input("int64", ("batch", 1), f"integers(0, {VOCABULARY})"),
        "encoder_attention_mask": Input("int64", ("batch", "encoded"), "padding"),
    } | past


def _outputs(past: Sequence[str]) -> list[str]:
    return ["logits", *(name.replace("past_key_values", "present") for name in past if ".decoder." in name)]


def _cache(past: Sequence[torch.Tensor]) -> transformers.EncoderDecoderCache:
    """The cache of a step: of the tokens so far, and of the encoder's result, which stays."""
    own = transformers.DynamicCache(list(zip(past[0::4], past[1::4], strict=True)))
    crossed = transformers.DynamicCache(list(zip(past[2::4], past[3::4], strict=True)))
    return transformers.EncoderDecoderCache(own, crossed)


def _present(cache: transformers.EncoderDecoderCache) -> list[torch.Tensor]:
    return [one for layer in cache.self_attention_cache.layers for one in (layer.keys, layer.values)]


def _step(width: int) -> Callable[..., Any]:
    """A step of a decoder. The encoder's result, of `width`, is in the cache; its shape alone is read."""

    def step(
        module: Any, ids: torch.Tensor, mask: torch.Tensor, *past: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        encoded = torch.zeros((*mask.shape, width), dtype=torch.float32)
        result = module(
            decoder_input_ids=ids,
            attention_mask=mask,
            encoder_outputs=(encoded,),
            past_key_values=_cache(past),
            use_cache=True,
        )
        return (result.logits, *_present(result.past_key_values))

    return step


T5_PAST = _cache_inputs(heads=4, size=32)
T5: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "d_model": 128,
    "d_kv": 32,
    "d_ff": 256,
    "num_layers": LAYERS,
    "num_heads": 4,
    "decoder_start_token_id": 0,
    "feed_forward_proj": "gated-gelu",
}


@export("transformers/t5-encoder", "script dynamo", ENCODED, ENCODED_SIZES, outputs=["last_hidden_state"])
def _t5_encoder() -> nn.Module:
    return Call(build(transformers.T5Config(**T5), "T5EncoderModel"), ENCODED, ["last_hidden_state"])


@export("transformers/t5-step", "dynamo", _step_inputs(T5_PAST), STEP_SIZES, outputs=_outputs(list(T5_PAST)))
def _t5_step() -> nn.Module:
    return Apply(build(transformers.T5Config(**T5), "T5ForConditionalGeneration"), _step(T5["d_model"]))


BART_PAST = _cache_inputs(heads=4, size=64)


@export("transformers/bart-encoder", "dynamo", ENCODED, ENCODED_SIZES, outputs=["last_hidden_state"])
def _bart_encoder() -> nn.Module:
    model = build(transformers.BartConfig(**BART), "BartModel", "sdpa")
    return Call(model.get_encoder(), ENCODED, ["last_hidden_state"])


@export(
    "transformers/bart-step", "script", _step_inputs(BART_PAST), STEP_SIZES, outputs=_outputs(list(BART_PAST))
)
def _bart_step() -> nn.Module:
    return Apply(
        build(transformers.BartConfig(**BART), "BartForConditionalGeneration"), _step(BART["d_model"])
    )


WHOLE = ENCODED | {"decoder_input_ids": Input("int64", ("batch", "generated"), f"integers(0, {VOCABULARY})")}
WHOLE_SIZES = (
    {"batch": 2, "length": 50, "generated": 9},
    {"batch": 1, "length": 7, "generated": 77},
    {"batch": 3, "length": 16, "generated": 1},
)


@export("transformers/marian", "script", WHOLE, WHOLE_SIZES, outputs=["logits"])
def _marian() -> nn.Module:
    config = transformers.MarianConfig(**BART)
    return Call(build(config, "MarianMTModel"), WHOLE, ["logits"], use_cache=False)


@export("transformers/pegasus", "dynamo", WHOLE, WHOLE_SIZES, outputs=["logits"])
def _pegasus() -> nn.Module:
    config = transformers.PegasusConfig(**BART)
    return Call(build(config, "PegasusForConditionalGeneration"), WHOLE, ["logits"], use_cache=False)


@export("transformers/prophetnet", "script", WHOLE, WHOLE_SIZES, outputs=["logits", "logits_ngram"])
def _prophetnet() -> nn.Module:
    config = transformers.ProphetNetConfig(
        vocab_size=VOCABULARY,
        hidden_size=60,
        encoder_ffn_dim=90,
        num_encoder_layers=1,
        num_encoder_attention_heads=3,
        decoder_ffn_dim=90,
        num_decoder_layers=1,
        num_decoder_attention_heads=3,
        max_position_embeddings=128,
        ngram=2,
        num_buckets=8,
        relative_max_distance=16,
    )
    model = build(config, "ProphetNetForConditionalGeneration")
    return Call(model, WHOLE, ["logits", "logits_ngram"], use_cache=False)


# Thirty seconds of sound in the published model; here three.
WHISPER: dict[str, Any] = BART | {
    "num_mel_bins": 80,
    "max_source_positions": 150,
    "max_target_positions": 128,
}
FEATURES = {"input_features": Input("float32", ("batch", 80, 300))}
BATCHES = ({"batch": 2}, {"batch": 1})


def _whisper() -> PreTrainedModel:
    config = transformers.WhisperConfig(**WHISPER, bos_token_id=1, eos_token_id=2)
    return build(config, "WhisperForConditionalGeneration", "sdpa")


@export("transformers/whisper-encoder", "script dynamo", FEATURES, BATCHES, outputs=["last_hidden_state"])
def _whisper_encoder() -> nn.Module:
    return Call(_whisper().get_encoder(), FEATURES, ["last_hidden_state"])


WHISPER_PAST = _cache_inputs(heads=4, size=64, encoded=150)
WHISPER_STEP = {"input_ids": Input("int64", ("batch", 1), f"integers(0, {VOCABULARY})")} | WHISPER_PAST
WHISPER_SIZES = ({"batch": 2, "past": 4}, {"batch": 1, "past": 31}, {"batch": 3, "past": 1})


@export(
    "transformers/whisper-step",
    "dynamo script",
    WHISPER_STEP,
    WHISPER_SIZES,
    outputs=_outputs(list(WHISPER_PAST)),
)
def _whisper_step() -> nn.Module:
    def step(module: Any, ids: torch.Tensor, *past: torch.Tensor) -> tuple[torch.Tensor, ...]:
        encoded = torch.zeros((ids.shape[0], 150, WHISPER["d_model"]))
        result = module(
            decoder_input_ids=ids, encoder_outputs=(encoded,), past_key_values=_cache(past), use_cache=True
        )
        return (result.logits, *_present(result.past_key_values))

    return Apply(_whisper(), step)


OCR = {
    "input_ids": Input("int64", ("batch", "length"), f"integers(0, {VOCABULARY})"),
    "encoder_hidden_states": Input("float32", ("batch", 197, 192)),
}


@export("transformers/trocr-decoder", "script", OCR, ENCODED_SIZES, outputs=["logits"])
def _trocr() -> nn.Module:
    config = transformers.TrOCRConfig(
        vocab_size=VOCABULARY,
        d_model=256,
        decoder_layers=LAYERS,
        decoder_attention_heads=4,
        decoder_ffn_dim=512,
        cross_attention_hidden_size=192,
    )
    return Call(build(config, "TrOCRForCausalLM"), OCR, ["logits"], use_cache=False)
