"""RAGAS: how much of the contexts is needed to answer the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from evaluation.judge.forms import JudgeForm
from evaluation.judge.judge import Request, Unjudged
from evaluation.metrics.base import POOLED, MetricContext, metrics
from evaluation.metrics.claim_based import ANSWERABLE, ratio
from evaluation.metrics.judged import IN_ITS_LANGUAGE, JudgedMetric, judge_of
from evaluation.metrics.ranked import CutoffOptions
from evaluation.metrics.worked import WorkedExample
from evaluation.quotes import covered_by, holds
from evaluation.types import Sample, Score

BETWEEN = "\n\n---\n\n"
HALF = 0.5


class RelevantSentences(JudgeForm):
    """Sentences that are needed for the answer, copied from the contexts."""

    voted: ClassVar[bool] = False

    sentences: list[str]
    insufficient: bool = False


@metrics.register
class ContextRelevance(JudgedMetric):
    """Share of the contexts' sentences that the judge extracts as needed for the question.

    What it extracts must stand in the contexts word for word (white space aside): after one chance to mend it,
    anything else is dropped; null where nothing is left then. A sentence counts where at least half of it was
    extracted. “Insufficient” is 0, whatever was extracted.
    """

    key = "context_relevance"
    label = "Context relevance"
    known_as = {
        "RAGAS": ("ContextRelevance",),
        "TruLens": ("Context Relevance",),
        "DeepEval": ("ContextualRelevancyMetric",),
    }
    help = "Share of the contexts' sentences that are needed to answer the question: low where much is noise."
    group = "ragas"
    kinds = ANSWERABLE
    voted = False
    needs: ClassVar[frozenset[str]] = frozenset({"question", "contexts", "judge"})
    reads_answer: ClassVar[bool] = False
    pooled = True
    formula = "sentences of the contexts extracted as relevant / sentences of the contexts"
    source = "Es et al. 2024 (RAGAS)"
    revision = 3
    changes = (
        f"{IN_ITS_LANGUAGE}; revision 2: null, it was 0, where none of the judge's sentences stands in the contexts; "
        "“insufficient” is 0 also where the judge extracted sentences"
    )
    cannot_see = "whether the sentences suffice for an answer; what its judge does not see"
    worked = WorkedExample(
        question="What is the capital of France?",
        contexts=(
            "France, in Western Europe, encompasses medieval cities and Mediterranean beaches. Paris, its capital, is "
            "famed for its fashion houses.",
            "The country is also renowned for its wines. Lascaux’s ancient cave drawings attest to its rich history.",
        ),
        judge=(
            (
                "relevant_sentences",
                {"sentences": ["Paris, its capital, is famed for its fashion houses."], "insufficient": False},
            ),
        ),
        value=0.25,
        working="The contexts have four sentences; one of them is needed: 1/4.",
    )

    Options = CutoffOptions
    options: CutoffOptions

    async def ask(self, sample: Sample, context: MetricContext) -> RelevantSentences | Unjudged | None:
        """Return the sentences that are needed; None where nothing was retrieved."""
        texts = self._texts(sample)
        return await judge_of(context).ask(_request(sample, texts)) if texts else None

    def read(self, sample: Sample, found: RelevantSentences | Unjudged | None) -> Score:
        """Return the share of sentences that are needed."""
        return _NOTHING if found is None else _score(self._texts(sample), found)

    def _texts(self, sample: Sample) -> list[str]:
        contexts = sample.trace.contexts[: self.options.k]
        return [context.text for context in contexts if context.text.strip()]


_NOTHING = Score.without_judge(0.0, "nothing was retrieved")


def _request(sample: Sample, texts: Sequence[str]) -> Request[RelevantSentences]:
    fields = {"question": sample.trace.question.strip(), "passages": BETWEEN.join(texts)}
    return Request("relevant_sentences", RelevantSentences, fields, _verbatim_once(texts))


def _verbatim_once(texts: Sequence[str]) -> Callable[[RelevantSentences], str]:
    """Return the check that all is copied word for word.

    It finds fault once, what then is still not is dropped; and each time where nothing would be left.
    """
    chances = 1

    def check(reply: RelevantSentences) -> str:
        nonlocal chances
        strange = _strange(reply, texts)
        if not strange or reply.insufficient or (not chances and len(strange) < len(reply.sentences)):
            return ""
        chances -= 1
        return f"“{strange[0]}” does not stand in the passages word for word. Copy sentences exactly as they are."

    return check


def _strange(reply: RelevantSentences, texts: Sequence[str]) -> list[str]:
    """Return what the judge made up: it stands in none of the contexts."""
    return [quote for quote in reply.sentences if not any(holds(text, quote) for text in texts)]


def _score(texts: Sequence[str], reply: RelevantSentences | Unjudged) -> Score:
    from rag_pipeline.english.sentences import split_sentences

    if isinstance(reply, Unjudged):
        return Score.unjudged(reply.reason)
    total, relevant = 0, []
    for text in texts:
        covered = covered_by(text, reply.sentences)
        for sentence in split_sentences(text, without_capitals=True):
            total += 1
            if sum(covered[sentence.start : sentence.end]) >= HALF * (sentence.end - sentence.start):
                relevant.append(sentence.text)
    if not total:
        return Score.unscored("the contexts have no sentence")
    if reply.insufficient:
        return Score(0.0, "the judge finds that the contexts do not suffice", {POOLED: [0, total]})
    if reply.sentences and len(_strange(reply, texts)) == len(reply.sentences):  # a reply kept from earlier
        return Score.unscored("nothing that the judge extracted stands in the contexts word for word")
    return ratio(len(relevant), total, "sentences of the contexts are needed", sentences=list(dict.fromkeys(relevant)))
