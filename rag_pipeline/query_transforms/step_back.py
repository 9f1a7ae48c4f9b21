"""Step-back: search also with a more general question."""

from __future__ import annotations

from rag_pipeline.query_transforms.base import query_transforms
from rag_pipeline.query_transforms.model_calls import ModelTransform
from rag_pipeline.query_transforms.replies import read_question, same_wording


@query_transforms.register
class StepBack(ModelTransform):
    """The model writes the more general question behind the one asked; both are searched for and fused.

    Zheng et al. 2023, "Take a Step Back: Evoking Reasoning via Abstraction in Large Language Models"
    (arXiv 2310.06117), its retrieval part.
    """

    key = "step_back"
    label = "Step back"
    help = "Helps where a question is about a detail whose background answers it: adds a more general question."
    why_model = "The more general question must be written."

    def read(self, question: str, reply: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the question and the more general one."""
        general = read_question(reply)
        if same_wording(general) in {"", same_wording(question)}:
            return (), ()
        return (question, general), ()
