"""A sequence classifier of random weights for pairs of texts: small BERT, tokenizer of whole words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tests.tiny_cross_encoder import SPECIAL, word_tokenizer


def save_tiny_classifier(folder: Path, texts: Iterable[str], *, labels: int = 1, window: int = 64) -> Path:
    """Write a model that knows the words of `texts` and reads `window` tokens; its numbers lie about -3 to 3."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    words = sorted({word for text in texts for word in re.findall(r"\w+", text.lower())})
    config = BertConfig(
        vocab_size=len(SPECIAL) + len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=window,
        num_labels=labels,
        initializer_range=0.5,  # as drawn for a large model, these few weights would hardly tell inputs apart
    )
    torch.manual_seed(0)
    BertForSequenceClassification(config).eval().save_pretrained(folder)
    word_tokenizer(words, window).save_pretrained(folder)
    return folder
