"""Networks of transformers with one of the heads that it has for an architecture."""

from __future__ import annotations

from typing import Any

import transformers
from transformers import PreTrainedModel

from bench.zoo.exports.weights import seed


def build(config: Any, head: str, attention: str = "eager") -> PreTrainedModel:
    """Builds the class `head` of transformers for `config`, with seeded weights."""
    config._attn_implementation = attention
    return seed(getattr(transformers, head)._from_config(config))
