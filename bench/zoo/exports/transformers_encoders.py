"""Encoders of text from transformers, with fewer layers than the published ones and their heads."""

from __future__ import annotations

from typing import Any

import transformers
from torch import nn

from bench.zoo.exports.modules import Call
from bench.zoo.exports.registry import export
from bench.zoo.exports.transformers_heads import build
from bench.zoo.model import Input

VOCABULARY = 1000
IDS = Input("int64", ("batch", "length"), f"integers(0, {VOCABULARY})")
MASK = Input("int64", ("batch", "length"), "padding")
SIZES = ({"batch": 2, "length": 50}, {"batch": 1, "length": 128}, {"batch": 3, "length": 7})

TOKENS = {"input_ids": IDS, "attention_mask": MASK}
PAIRS = TOKENS | {"token_type_ids": Input("int64", ("batch", "length"), "integers(0, 2)")}
BOXES = Input("int64", ("batch", "length", 4), "arange")
# Two layers of four heads of 64, as in the published models.
SMALL: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 1024,
}


@export("transformers/bert-classification", "script dynamo", PAIRS, SIZES, outputs=["logits"])
def _bert() -> nn.Module:
    return Call(build(transformers.BertConfig(**SMALL), "BertForSequenceClassification"), PAIRS, ["logits"])


@export("transformers/bert-sdpa-question-answering", "script dynamo", PAIRS, SIZES, outputs=["start", "end"])
def _bert_sdpa() -> nn.Module:
    model = build(transformers.BertConfig(**SMALL), "BertForQuestionAnswering", "sdpa")
    return Call(model, PAIRS, ["start_logits", "end_logits"])


@export("transformers/distilbert-token-classification", "script", TOKENS, SIZES, outputs=["logits"])
def _distilbert() -> nn.Module:
    config = transformers.DistilBertConfig(
        vocab_size=VOCABULARY, dim=256, n_layers=2, n_heads=4, hidden_dim=1024
    )
    return Call(build(config, "DistilBertForTokenClassification"), TOKENS, ["logits"])


@export("transformers/roberta-masked-lm", "dynamo script", TOKENS, SIZES, outputs=["logits"])
def _roberta() -> nn.Module:
    config = transformers.RobertaConfig(**SMALL, max_position_embeddings=514)
    return Call(build(config, "RobertaForMaskedLM", "sdpa"), TOKENS, ["logits"])


@export("transformers/albert", "dynamo", PAIRS, SIZES, outputs=["last_hidden_state", "pooler_output"])
def _albert() -> nn.Module:
    config = transformers.AlbertConfig(**SMALL, embedding_size=128)
    return Call(build(config, "AlbertModel"), PAIRS, ["last_hidden_state", "pooler_output"])


@export("transformers/deberta", "script", PAIRS, SIZES, outputs=["last_hidden_state"])
def _deberta() -> nn.Module:
    config = transformers.DebertaConfig(
        **SMALL, relative_attention=True, pos_att_type=["c2p", "p2c"], type_vocab_size=2
    )
    return Call(build(config, "DebertaModel"), PAIRS, ["last_hidden_state"])


@export("transformers/deberta-v2-classification", "script dynamo", PAIRS, SIZES, outputs=["logits"])
def _deberta_v2() -> nn.Module:
    config = transformers.DebertaV2Config(
        **SMALL,
        relative_attention=True,
        pos_att_type=["c2p", "p2c"],
        type_vocab_size=2,
        position_buckets=32,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        position_biased_input=False,
    )
    return Call(build(config, "DebertaV2ForSequenceClassification"), PAIRS, ["logits"])


@export("transformers/electra-discriminator", "dynamo", PAIRS, SIZES, outputs=["logits"])
def _electra() -> nn.Module:
    config = transformers.ElectraConfig(**SMALL, embedding_size=128)
    return Call(build(config, "ElectraForPreTraining", "sdpa"), PAIRS, ["logits"])


@export("transformers/mpnet", "script", TOKENS, SIZES, outputs=["last_hidden_state"])
def _mpnet() -> nn.Module:
    return Call(build(transformers.MPNetConfig(**SMALL), "MPNetModel"), TOKENS, ["last_hidden_state"])


# Without padding: a padded token may have no other within its window.
UNPADDED = TOKENS | {"attention_mask": Input("int64", ("batch", "length"), "ones")}


@export("transformers/modernbert-masked-lm", "dynamo", UNPADDED, SIZES, outputs=["logits"])
def _modernbert() -> nn.Module:
    config = transformers.ModernBertConfig(
        **(SMALL | {"intermediate_size": 384, "num_hidden_layers": 4}),
        local_attention=16,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        cls_token_id=1,
        sep_token_id=2,
    )
    return Call(build(config, "ModernBertForMaskedLM", "sdpa"), TOKENS, ["logits"])


LAYOUT = {"input_ids": IDS, "bbox": BOXES, "attention_mask": MASK}


@export("transformers/layoutlm-token-classification", "dynamo", LAYOUT, SIZES, outputs=["logits"])
def _layoutlm() -> nn.Module:
    config = transformers.LayoutLMConfig(**SMALL, max_2d_position_embeddings=64)
    return Call(build(config, "LayoutLMForTokenClassification"), LAYOUT, ["logits"])


PERCEIVED = {"inputs": IDS, "attention_mask": MASK}


@export("transformers/perceiver-classification", "script", PERCEIVED, SIZES, outputs=["logits"])
def _perceiver() -> nn.Module:
    config = transformers.PerceiverConfig(
        vocab_size=VOCABULARY, num_latents=32, d_latents=128, d_model=96, num_self_attends_per_block=2
    )
    return Call(build(config, "PerceiverForSequenceClassification"), PERCEIVED, ["logits"])


PLAIN = {"input_ids": IDS}


@export("transformers/fnet", "dynamo", PLAIN, SIZES, outputs=["last_hidden_state"])
def _fnet() -> nn.Module:
    config = transformers.FNetConfig(
        vocab_size=VOCABULARY, hidden_size=60, num_hidden_layers=2, intermediate_size=90
    )
    return Call(build(config, "FNetModel"), PLAIN, ["last_hidden_state"])
