"""HyDE: search with a passage that could be the answer."""

from __future__ import annotations

from rag_pipeline.query_transforms.base import query_transforms
from rag_pipeline.query_transforms.model_calls import ModelTransform
from rag_pipeline.query_transforms.replies import read_passage


@query_transforms.register
class Hyde(ModelTransform):
    """The model writes a passage that would answer the question; it is embedded and searched with in its place.

    Gao et al. 2022, "Precise Zero-Shot Dense Retrieval without Relevance Labels" (arXiv 2212.10496): a made-up answer
    is closer to the real one than the question is, even where its facts are wrong. One passage a question here.
    """

    key = "hyde"
    label = "Hypothetical passage (HyDE)"
    help = "Helps where questions are short or worded unlike the documents: searches with an answer made up by a model."
    why_model = "The passage that is searched with must be written."

    def read(self, question: str, reply: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the passage."""
        passage = read_passage(reply)
        return ((passage,) if passage else (), ())
