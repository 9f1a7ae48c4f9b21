"""The network of questions in training: the last layers of the encoder and a head over the means of the parts.

What the other layers give is computed once a text; texts of like length are learned together, in bfloat16.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.question_writers.rules.question_network import (
    LEFT,
    RIGHT,
    QuestionTexts,
    network_weights,
    window_of,
)
from rag_pipeline.extractive_qa.encoding import PairEncoder, padded

if TYPE_CHECKING:
    from torch import Tensor

Array = npt.NDArray[Any]
PARTS, _OUTPUTS, _FROZEN = len(QuestionTexts._fields) + 1, 2, 3
_RATE, _HEAD_RATE, _WARM_UP, _BATCH = 1.2e-4, 1e-3, 0.1, 32
_ON_RATE, _ON_HEAD_RATE = 6e-5, 3e-4
"""Rates where it goes on from what is shipped."""
_NEAR_IN_LENGTH = 8
"""Batches whose texts are sorted by length among themselves."""
_HIDDEN = -1e4


class TrainedNetwork:
    """`folder`: the encoder's. `fit` trains, `logits` says what it gives, `weights` what is shipped.

    `goes_on`: begins with the weights that are shipped rather than with those of the encoder.
    """

    def __init__(self, folder: Path, encoder: PairEncoder, seed: int = 0, *, goes_on: bool = False) -> None:
        import torch
        from transformers import BertModel

        torch.manual_seed(seed)
        self._encoder, self._rng, self._goes_on = encoder, np.random.default_rng(seed), goes_on
        self._bert = BertModel.from_pretrained(folder, add_pooling_layer=False)
        self._head = torch.nn.Linear(PARTS * self._bert.config.hidden_size, _OUTPUTS)
        torch.nn.init.normal_(self._head.weight, std=0.01)
        torch.nn.init.zeros_(self._head.bias)
        self._bert.requires_grad_(False)
        for layer in self._bert.encoder.layer[_FROZEN:]:
            layer.requires_grad_(True)
        self._before = {name: value.clone() for name, value in self._tuned().items()}
        if goes_on:
            self._take(network_weights(folder))

    def fit(
        self, texts: Sequence[QuestionTexts], labels: Array, epochs: int = 3, *, beside: Array | None = None,
        counts: Array | None = None,
    ) -> None:  # fmt: skip
        """Train on judged questions; `labels`: (questions, 2), 0 to 1.

        `beside`: logits that others add to those of the network, (questions, 2); `counts`: what each question counts.
        """
        import torch

        read = self._read(texts)
        added = torch.zeros(labels.shape) if beside is None else torch.from_numpy(beside.astype(np.float32))
        weights = torch.ones(len(texts)) if counts is None else torch.from_numpy(counts.astype(np.float32))
        layers = [each for each in self._bert.parameters() if each.requires_grad]
        rate, head_rate = (_ON_RATE, _ON_HEAD_RATE) if self._goes_on else (_RATE, _HEAD_RATE)
        groups = [{"params": layers, "lr": rate}, {"params": self._head.parameters(), "lr": head_rate}]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
        plan = [batch for _ in range(epochs) for batch in self._batches(read)]
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1.0, (step + 1) / (_WARM_UP * len(plan))) * (len(plan) - step) / len(plan)
        )
        self._bert.train()
        for rows in plan:
            given = self._forward([read[row] for row in rows]) + added[rows]
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                given, torch.from_numpy(labels[rows]), weight=weights[rows][:, None]
            )
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(layers, 1.0)
            optimizer.step()
            schedule.step()

    def logits(self, texts: Sequence[QuestionTexts]) -> Array:
        """Return how acceptable and natural each question is, shape (questions, 2)."""
        import torch

        read = self._read(texts)
        found = np.zeros((len(read), _OUTPUTS), np.float32)
        self._bert.eval()
        with torch.inference_mode():
            for rows in _by_length(np.arange(len(read)), read):
                found[rows] = self._forward([read[row] for row in rows]).numpy()
        return found

    def weights(self, scales: Sequence[float], rank: int = 64) -> dict[str, Array]:
        """Return what question_network.safetensors holds, float16; the two outputs times `scales`."""
        found = {}
        for name, value in self._tuned().items():
            if value.ndim == 1:
                found[name] = value.numpy()
                continue
            left, sizes, right = np.linalg.svd((value - self._before[name]).numpy(), full_matrices=False)
            root = np.sqrt(sizes[:rank])
            found[name + LEFT], found[name + RIGHT] = left[:, :rank] * root, root[:, None] * right[:rank]
        scale = np.asarray(scales, np.float32)[:, None]
        by_part = np.split(self._head.weight.detach().numpy() * scale, PARTS, axis=1)
        found["head.weight"] = np.concatenate(by_part)
        found["head.bias"] = np.zeros(PARTS * _OUTPUTS, np.float32)
        found["head.bias"][:_OUTPUTS] = self._head.bias.detach().numpy() * scale[:, 0]
        return {name: np.ascontiguousarray(value, np.float16) for name, value in found.items()}

    def _take(self, shipped: dict[str, Array]) -> None:
        """Put shipped weights in place of the encoder's."""
        import torch

        with torch.no_grad():
            for name, value in self._bert.named_parameters():
                if value.requires_grad:
                    value.copy_(torch.from_numpy(np.asarray(shipped[name], np.float32)))
            by_part = np.split(np.asarray(shipped["head.weight"], np.float32), PARTS)
            self._head.weight.copy_(torch.from_numpy(np.concatenate(by_part, axis=1)))
            self._head.bias.copy_(torch.from_numpy(np.asarray(shipped["head.bias"][:_OUTPUTS], np.float32)))

    def _tuned(self) -> dict[str, Tensor]:
        return {name: each.detach() for name, each in self._bert.named_parameters() if each.requires_grad}

    def _batches(self, read: Sequence[_Read]) -> list[Array]:
        """Return the rows of an epoch in random batches, texts of like length together."""
        order = self._rng.permutation(len(read))
        groups = np.array_split(order, max(1, len(order) // (_BATCH * _NEAR_IN_LENGTH)))
        batches = [batch for group in groups for batch in _by_length(group, read)]
        return [batches[number] for number in self._rng.permutation(len(batches))]

    def _read(self, texts: Sequence[QuestionTexts]) -> list[_Read]:
        """Return what the layers that are not trained give of each text."""
        import torch

        made = [window_of(self._encoder, each) for each in texts]
        found: list[_Read] = [_Read(torch.zeros(len(window.ids), 0), lengths) for window, lengths in made]
        self._bert.eval()
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            for rows in _by_length(np.arange(len(made)), found):
                ids, mask, kinds = map(torch.from_numpy, padded([made[row][0] for row in rows]))
                hidden = self._bert.embeddings(input_ids=ids, token_type_ids=kinds)
                hidden = self._through(hidden, mask.float(), self._bert.encoder.layer[:_FROZEN])
                for place, row in enumerate(rows):
                    found[row] = found[row]._replace(hidden=hidden[place, : len(made[row][0].ids)].bfloat16().clone())
        return found

    def _forward(self, read: Sequence[_Read]) -> Tensor:
        import torch

        longest = max(len(each.hidden) for each in read)
        hidden = torch.zeros(len(read), longest, self._bert.config.hidden_size)
        mask = torch.zeros(len(read), longest)
        means = torch.zeros(len(read), PARTS, longest)
        means[:, 0, 0] = 1
        for row, each in enumerate(read):
            hidden[row, : len(each.hidden)], mask[row, : len(each.hidden)] = each.hidden.float(), 1
            start = 1
            for part, length in enumerate(each.lengths, 1):
                means[row, part, start : start + length] = 1 / max(1, length)
                start += length + 1
        with torch.autocast("cpu", torch.bfloat16):
            hidden = self._through(hidden, mask, self._bert.encoder.layer[_FROZEN:])
        given: Tensor = self._head(torch.bmm(means, hidden.float()).flatten(1))
        return given

    @staticmethod
    def _through(hidden: Tensor, mask: Tensor, layers: Any) -> Tensor:
        left_out = (1 - mask[:, None, None, :]) * _HIDDEN
        for layer in layers:
            given = layer(hidden, left_out)
            hidden = given[0] if isinstance(given, tuple) else given
        return hidden


class _Read(NamedTuple):
    """What the first layers give of a text, (pieces, width), and how many pieces each of its parts has."""

    hidden: Tensor
    lengths: list[int]


def _by_length(rows: Array, read: Sequence[_Read]) -> list[Array]:
    """Return rows in batches, sorted by length."""
    order = rows[np.argsort([len(read[row].hidden) for row in rows], kind="stable")]
    return np.array_split(order, -(-len(order) // _BATCH))
