"""Several wordings of a question, searched for together."""

from __future__ import annotations

from pydantic import Field

from rag_pipeline.query_transforms.base import TransformOptions, query_transforms
from rag_pipeline.query_transforms.model_calls import ModelTransform
from rag_pipeline.query_transforms.replies import read_questions, same_wording


class MultiQueryOptions(TransformOptions):
    """How many other wordings."""

    query_count: int = Field(
        3, ge=1, le=10, title="Query count", description="Other wordings, searched together with the question itself."
    )


@query_transforms.register
class MultiQuery(ModelTransform):
    """The model asks the question in other words; what each wording finds is fused with what the question finds."""

    key = "multi_query"
    label = "Several wordings"
    help = "Helps where one wording misses the documents' words: fuses what several wordings find."
    why_model = "The other wordings must be written."

    Options = MultiQueryOptions
    options: MultiQueryOptions

    def asked(self) -> int:
        """Return how many other wordings are asked for."""
        return self.options.query_count

    def read(self, question: str, reply: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the question and the other wordings, with a note where there are fewer than asked for."""
        own = same_wording(question)
        others = [each for each in read_questions(reply) if same_wording(each) != own][: self.asked()]
        if not others:
            return (), ()
        if len(others) == self.asked():
            return (question, *others), ()
        return (question, *others), (f"{self.label}: the model wrote {len(others)} of {self.asked()}.",)
