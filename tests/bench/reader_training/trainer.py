"""The training loop: bfloat16 weights with float32 masters, a schedule, and checkpoints to go on from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.torch_network import build
from rag_pipeline.local_models.processor import cpu_has_bfloat16
from tests.bench.reader_training.losses import Batch, loss

_LONGEST_GRADIENT = 1.0
_WEIGHT_DECAY = 0.01


class LoopSettings(BaseModel):
    """How fast is learned. `decay`: share of the steps at the end over which the rate falls to 0 in a line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learning_rate: float = Field(1.5e-4, gt=0)
    batch_size: int = Field(32, ge=1)
    warmup_steps: int = Field(40, ge=0)
    decay: float = Field(0.3, ge=0, le=1)


class ReaderTrainer:
    """A network in training. `step` learns from a batch; `save` and `load` keep what is needed to go on."""

    def __init__(self, folder: Path, settings: LoopSettings, steps: int, seed: int) -> None:
        import torch

        torch.manual_seed(seed)
        self._settings, self._steps = settings, steps
        self.network = build(folder)
        self._halved = cpu_has_bfloat16()
        self._trained = [each for each in self.network.parameters() if each.requires_grad]
        # The masters take the small steps that bfloat16 would round away.
        self._masters = [each.detach().clone().float().requires_grad_(True) for each in self._trained]
        if self._halved:
            self.network.to(torch.bfloat16)
        self._optimizer = torch.optim.AdamW(
            self._masters, lr=settings.learning_rate, weight_decay=_WEIGHT_DECAY, fused=True
        )
        self.done = 0

    def step(self, batch: Batch) -> float:
        """Learn from a batch and return its loss. Raises ConfigError when it is no number any more."""
        import torch

        self.network.train()
        value = loss(self.network(batch.ids, batch.mask, batch.kinds).float(), batch)
        value.backward()
        for master, parameter in zip(self._masters, self._trained, strict=True):
            master.grad = None if parameter.grad is None else parameter.grad.float()
            parameter.grad = None
        torch.nn.utils.clip_grad_norm_(self._masters, _LONGEST_GRADIENT)
        for group in self._optimizer.param_groups:
            group["lr"] = self._settings.learning_rate * self.share(self.done)
        self._optimizer.step()
        self._publish()
        self.done += 1
        number = float(value.detach())
        if number != number:
            raise ConfigError("The training went astray: its loss is no number any more. Lower the learning rate.")
        return number

    def share(self, step: int) -> float:
        """Return the share of the learning rate at a step: up in a line, constant, down in a line."""
        settings = self._settings
        if step < settings.warmup_steps:
            return (step + 1) / (settings.warmup_steps + 1)
        falling = max(1, round(settings.decay * self._steps))
        return min(1.0, (self._steps - step) / (falling + 1)) if settings.decay else 1.0

    def weights(self) -> dict[str, Any]:
        """Return the trained weights, float32, by name."""
        names = [name for name, each in self.network.named_parameters() if each.requires_grad]
        return {name: master.detach().clone() for name, master in zip(names, self._masters, strict=True)}

    def start_from(self, weights: dict[str, Any]) -> None:
        """Take over trained weights, with a fresh optimizer."""
        import torch

        names = [name for name, each in self.network.named_parameters() if each.requires_grad]
        with torch.no_grad():
            for name, master in zip(names, self._masters, strict=True):
                master.copy_(weights[name])
        self._publish()

    def save(self, file: Path) -> None:
        """Write a checkpoint; a reader sees the old one or the new one."""
        import torch

        state = {"done": self.done, "weights": self.weights(), "optimizer": self._optimizer.state_dict()}
        torch.save(state, file.with_suffix(".part"))
        os.replace(file.with_suffix(".part"), file)

    def load(self, file: Path) -> None:
        """Go on from a checkpoint."""
        import torch

        state = torch.load(file, weights_only=True)
        self.start_from(state["weights"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.done = state["done"]

    def _publish(self) -> None:
        import torch

        with torch.no_grad():
            for master, parameter in zip(self._masters, self._trained, strict=True):
                parameter.copy_(master)
