"""A cross-encoder for tests, of two small BERT layers with weights set by hand: it scores shared words.

A word's vector is random signs. In layer 1 each word attends to its like, in the question before itself, and takes over
that one's segment: +1 where the question has the word, -1 where it has not. In layer 2 [CLS] takes the passage's mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_STOP = "the|a|an|of|in|on|at|to|and|or|is|was|were|are|who|what|when|where|which|did|do|does|by|for|it|its|with|that"
_HIDDEN, _WORD = 128, 96
_SEGMENT, _MATCH = 100, 101
"""The dimensions that say which text a word stands in, and whether the question has it."""


def save_tiny_cross_encoder(folder: Path, texts: Iterable[str], labels: int = 1) -> Path:
    """Write a model that knows the words of `texts`; with two labels the second means relevant."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    words = sorted({word for text in texts for word in re.findall(r"\w+", text.lower())})
    config = BertConfig(
        vocab_size=len(SPECIAL) + len(words),
        hidden_size=_HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=512,
        num_labels=labels,
    )
    torch.manual_seed(0)
    model = BertForSequenceClassification(config).eval()
    with torch.no_grad():
        _set_weights(model, labels)
    model.save_pretrained(folder)
    word_tokenizer(words).save_pretrained(folder)
    return folder


def _set_weights(model, labels):
    import torch

    for name, weight in model.named_parameters():
        if "LayerNorm" not in name:
            weight.zero_()
    embeddings = model.bert.embeddings
    signs = torch.randint(0, 2, (model.config.vocab_size, _WORD)) * 2.0 - 1
    embeddings.word_embeddings.weight[:, :_WORD] = signs
    embeddings.token_type_embeddings.weight[0, _SEGMENT] = 1
    embeddings.token_type_embeddings.weight[1, _SEGMENT] = -1
    first, second = (layer.attention for layer in model.bert.encoder.layer)
    for place in range(_WORD):
        first.self.query.weight[place, place] = 1.5
        first.self.key.weight[place, place] = 1
    first.self.query.bias[_SEGMENT] = 25  # a like word in the question before a like word in the passage
    first.self.key.weight[_SEGMENT, _SEGMENT] = 1
    first.self.value.weight[_MATCH, _SEGMENT] = 1
    first.output.dense.weight[_MATCH, _MATCH] = 4
    second.self.query.bias[_SEGMENT] = -60  # the mean over the passage alone
    second.self.key.weight[_SEGMENT, _SEGMENT] = 1
    second.self.value.weight[_MATCH, _MATCH] = 1
    second.output.dense.weight[_MATCH, _MATCH] = 4
    model.bert.pooler.dense.weight[0, _MATCH] = 0.3
    model.classifier.weight[labels - 1, 0] = 5


def word_tokenizer(words, window=512):
    """Return a tokenizer of whole words without the commonest ones, for models that read pairs."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Lowercase(),
            normalizers.Replace(Regex(rf"\b(?:{_STOP})\b|[^\w\s]"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=window,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
