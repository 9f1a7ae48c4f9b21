"""A causal model of a few thousand random weights with a tokenizer of whole words, in the format of transformers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

SPECIAL = ("<pad>", "</s>", "<unk>", "<user>", "<bot>")
TEMPLATE = "{% for message in messages %}<user> {{ message['content'] }} {% endfor %}<bot>"


def save_tiny_chat(folder: Path, texts: Iterable[str], *, template: str = TEMPLATE, seed: int = 0) -> Path:
    """Write a Llama that knows the words of `texts`; what it says is the same every time, and no sense."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]", text)})
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        additional_special_tokens=["<user>", "<bot>"],
        chat_template=template or None,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=256,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).eval().save_pretrained(folder)
    return folder
