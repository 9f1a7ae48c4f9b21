"""Fine-tunes a sentence-transformers model on rows of question, passage that answers it, and passages that do not.

The loss is the library's MultipleNegativesRankingLoss (van den Oord et al. 2018, "Representation Learning with
Contrastive Predictive Coding"; Henderson et al. 2017, section 4.4): in a batch every other row's passages are wrong
answers too. The loop is our own: the library's Trainer needs two heavy packages for what are 25 lines here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag_pipeline.embedders.local import load_model, model_prompt
from rag_pipeline.errors import ConfigError
from rag_pipeline.local_models.processor import cpu_has_bfloat16

if TYPE_CHECKING:
    from torch import Tensor

Row = tuple[str, ...]
"""Question, passage with the answer, then passages without it; all rows of a batch are of the same length."""

_WEIGHT_DECAY = 0.01
_LONGEST_GRADIENT = 1.0


class Trainer:
    """A model in training: `step` by `step`, then `save`. The same rows in the same order give the same weights.

    Dropout is seeded anew for each step and the process' own random numbers are put back after it, so that what else
    the process does changes nothing here, nor the other way round. The learning rate rises over the first `warmup`
    (0..1) of the steps and falls to 0 at the last.
    """

    def __init__(self, path: str, *, steps: int, learning_rate: float, warmup: float, seed: int) -> None:
        import torch
        from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

        self._model = load_model(path, path, exact=True)
        self._prompts = [model_prompt(self._model.prompts, role) for role in ("query", "passage")]
        self._loss = MultipleNegativesRankingLoss(self._model)
        self._optimizer = torch.optim.AdamW(
            self._model.parameters(), lr=learning_rate, weight_decay=_WEIGHT_DECAY, foreach=False
        )
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: learning_share(step, steps, warmup)
        )
        self._halved = self._model.device.type == "cpu" and cpu_has_bfloat16()  # twice as fast
        self._seed = seed
        self._done = 0

    def step(self, rows: Sequence[Row]) -> float:
        """Learn from one batch; return its loss. Raises ConfigError when it has lost its way."""
        import torch

        self._model.train()
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(self._seed * 1_000_003 + self._done)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._halved):
                columns = [self._embedded(rows, column) for column in range(len(rows[0]))]
            loss = self._loss.compute_loss_from_embeddings([each.float() for each in columns], torch.arange(len(rows)))
            self._optimizer.zero_grad()
            loss.backward()
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), _LONGEST_GRADIENT)
        self._optimizer.step()
        self._schedule.step()
        self._done += 1
        value = float(loss.detach())
        if value != value:
            raise ConfigError("The tuning went astray: its loss is no number any more. Lower the learning rate.")
        return value

    def save(self, folder: Path) -> None:
        """Write the model in the format of sentence-transformers."""
        self._model.eval()
        self._model.save(str(folder), create_model_card=False)

    def _embedded(self, rows: Sequence[Row], column: int) -> Tensor:
        prompt = self._prompts[min(column, 1)]
        features = self._model.preprocess([prompt + row[column] for row in rows])
        device = self._model.device
        sent = {name: value.to(device) if hasattr(value, "to") else value for name, value in features.items()}
        embedded: Tensor = self._model(sent)["sentence_embedding"]
        return embedded


def learning_share(step: int, steps: int, warmup: float) -> float:
    """Return the share of the learning rate at `step` (from 0) of `steps`: up in a line, then down in a line to 0."""
    rising = max(1, round(warmup * steps))
    if step < rising:
        return (step + 1) / (rising + 1)
    return max(0.0, (steps - step) / max(1, steps - rising + 1))
