"""What the reader's training minimises.

Span loss with the [CLS] piece as "no answer" as in Devlin et al. 2019, section 4.3; support of a sentence is the mean
logit of its pieces; answerability is the fourth logit of [CLS].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag_pipeline.extractive_qa.decoding import ANSWERABLE, END, START, SUPPORT

if TYPE_CHECKING:
    from torch import Tensor

_FAR = -1e4
_SUPPORT_WEIGHT = 0.5
_ANSWERABLE_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Batch:
    """Tensors of one batch, (batch, length) where nothing else is said.

    `starts`, `ends`: 1 where a gold answer starts and ends, at [CLS] where there is none. `choices`: 1 where a span
    may start or end. `sentences`: number of each piece's sentence, −1 outside the passage; `supports` (batch,
    sentences): 1 where a sentence holds the answer, −1 where there is no such sentence; `answerable` (batch).
    """

    ids: Tensor
    mask: Tensor
    kinds: Tensor
    starts: Tensor
    ends: Tensor
    choices: Tensor
    sentences: Tensor
    supports: Tensor
    answerable: Tensor


def loss(logits: Tensor, batch: Batch) -> Tensor:
    """Return the mean loss of a batch; `logits` (batch, length, 4), in float32."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy

    span = (_spread(logits[..., START], batch.starts, batch) + _spread(logits[..., END], batch.ends, batch)) / 2
    answerable = cross_entropy(logits[:, 0, ANSWERABLE], batch.answerable)
    means = sentence_means(logits[..., SUPPORT], batch.sentences, batch.supports.shape[1])
    there = batch.supports >= 0
    support = cross_entropy(means[there], batch.supports[there]) if bool(there.any()) else torch.zeros(())
    return span + _SUPPORT_WEIGHT * support + _ANSWERABLE_WEIGHT * answerable


def _spread(logits: Tensor, gold: Tensor, batch: Batch) -> Tensor:
    """Return minus the log of the probability that falls on any gold place."""
    allowed = logits + (1 - batch.choices) * _FAR
    on_gold = (allowed + (1 - gold) * _FAR).logsumexp(-1)
    return (allowed.logsumexp(-1) - on_gold).mean()


def sentence_means(logits: Tensor, sentences: Tensor, count: int) -> Tensor:
    """Return the mean logit of each sentence, (batch, count); 0 where there is no such sentence."""
    import torch

    inside = sentences >= 0
    numbers = sentences.clamp(min=0)
    total = torch.zeros(logits.shape[0], count, dtype=logits.dtype).scatter_add(1, numbers, logits * inside)
    pieces = torch.zeros_like(total).scatter_add(1, numbers, inside.to(logits.dtype))
    return total / pieces.clamp(min=1)
