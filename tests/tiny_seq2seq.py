"""A T5 of a few thousand random weights with a tokenizer of whole words, in the format of transformers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

SPECIAL = ("<pad>", "</s>", "<unk>")


def save_tiny_t5(folder: Path, texts: Iterable[str], *, seed: int = 0) -> Path:
    """Write a model that knows the words of `texts`; its probabilities depend on every word of its input."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())})
    config = T5Config(
        vocab_size=len(SPECIAL) + len(words),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
        tie_word_embeddings=False,
    )
    torch.manual_seed(seed)
    model = T5ForConditionalGeneration(config).eval()
    model.lm_head.weight.data *= 0.1  # as drawn, nearly all probability lies on one word
    model.save_pretrained(folder)
    _tokenizer(words).save_pretrained(folder)
    return folder


def _tokenizer(words):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=512,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_input_names=["input_ids", "attention_mask"],
    )
