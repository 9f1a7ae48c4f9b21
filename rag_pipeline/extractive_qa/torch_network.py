"""The reader's network by torch: MiniLM's encoder over question and passage, one linear layer to some logits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


def build(folder: Path, layers: int = 6, outputs: int = 4) -> Any:
    """Return the network with the first layers of the encoder in `folder` and a new head, as a torch module."""
    import torch
    from transformers import BertConfig, BertModel

    class Reader(torch.nn.Module):
        """Ids, mask and kinds (batch, length) to logits (batch, length, outputs); its word table is not trained."""

        def __init__(self) -> None:
            super().__init__()
            config = BertConfig.from_pretrained(
                folder, num_hidden_layers=layers,
                hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation="eager",
            )  # fmt: skip
            self.encoder = BertModel.from_pretrained(folder, config=config, add_pooling_layer=False)
            self.head = torch.nn.Linear(config.hidden_size, outputs)
            torch.nn.init.normal_(self.head.weight, std=0.02)
            torch.nn.init.zeros_(self.head.bias)
            self.encoder.embeddings.word_embeddings.weight.requires_grad_(False)

        def forward(self, ids: Tensor, mask: Tensor, kinds: Tensor) -> Tensor:
            hidden = self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=kinds).last_hidden_state
            logits: Tensor = self.head(hidden)
            return logits

    return Reader()
