"""The network of questions in training: the last layers of the encoder and a head over the means of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.question_writers.rules.question_network import LEFT, RIGHT, QuestionTexts, window_of
from rag_pipeline.extractive_qa.encoding import PairEncoder, padded

if TYPE_CHECKING:
    from torch import Tensor

Array = npt.NDArray[Any]
PARTS, _OUTPUTS, _FROZEN = len(QuestionTexts._fields) + 1, 2, 3
_RATE, _HEAD_RATE, _WARM_UP, _BATCH = 1.2e-4, 1e-3, 0.1, 32


class TrainedNetwork:
    """`folder`: the encoder's. `fit` trains, `logits` says what it gives, `weights` what is shipped."""

    def __init__(self, folder: Path, encoder: PairEncoder, seed: int = 0) -> None:
        import torch
        from transformers import BertModel

        torch.manual_seed(seed)
        self._encoder, self._rng = encoder, np.random.default_rng(seed)
        self._bert = BertModel.from_pretrained(folder, add_pooling_layer=False)
        self._head = torch.nn.Linear(PARTS * self._bert.config.hidden_size, _OUTPUTS)
        torch.nn.init.normal_(self._head.weight, std=0.01)
        torch.nn.init.zeros_(self._head.bias)
        self._bert.requires_grad_(False)
        for layer in self._bert.encoder.layer[_FROZEN:]:
            layer.requires_grad_(True)
        self._before = {name: value.clone() for name, value in self._tuned().items()}

    def fit(self, texts: Sequence[QuestionTexts], labels: Array, epochs: int = 3) -> None:
        """Train on judged questions; `labels`: (questions, 2), 0 to 1."""
        import torch

        layers = [each for each in self._bert.parameters() if each.requires_grad]
        groups = [{"params": layers, "lr": _RATE}, {"params": self._head.parameters(), "lr": _HEAD_RATE}]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
        steps = epochs * -(-len(texts) // _BATCH)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1.0, (step + 1) / (_WARM_UP * steps)) * (steps - step) / steps
        )
        self._bert.train()
        for _ in range(epochs):
            order = self._rng.permutation(len(texts))
            for rows in np.array_split(order, -(-len(order) // _BATCH)):
                given = self._forward([texts[row] for row in rows])
                loss = torch.nn.functional.binary_cross_entropy_with_logits(given, torch.from_numpy(labels[rows]))
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(layers, 1.0)
                optimizer.step()
                schedule.step()

    def logits(self, texts: Sequence[QuestionTexts]) -> Array:
        """Return how acceptable and natural each question is, shape (questions, 2)."""
        import torch

        self._bert.eval()
        with torch.inference_mode():
            blocks = [self._forward(texts[at : at + _BATCH]).numpy() for at in range(0, len(texts), _BATCH)]
        return np.concatenate(blocks)

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

    def _tuned(self) -> dict[str, Tensor]:
        return {name: each.detach() for name, each in self._bert.named_parameters() if each.requires_grad}

    def _forward(self, texts: Sequence[QuestionTexts]) -> Tensor:
        import torch

        made = [window_of(self._encoder, each) for each in texts]
        ids, mask, kinds = map(torch.from_numpy, padded([window for window, _ in made]))
        hidden = self._bert(input_ids=ids, attention_mask=mask, token_type_ids=kinds).last_hidden_state
        means = np.zeros((len(texts), PARTS, ids.shape[1]), np.float32)
        means[:, 0, 0] = 1
        for row, (_, lengths) in enumerate(made):
            start = 1
            for part, length in enumerate(lengths, 1):
                means[row, part, start : start + length] = 1 / max(1, length)
                start += length + 1
        given: Tensor = self._head(torch.bmm(torch.from_numpy(means), hidden).flatten(1))
        return given
