"""How well a reader answers and declines, on questions that it has not learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.english.tokens import squad_tokens
from rag_pipeline.extractive_qa.decoding import AnswerSpan, Logits, best_of
from rag_pipeline.extractive_qa.encoding import PairEncoder, Window, sentence_numbers
from tests.bench.reader_training.dataset import ReadingExample

ReadWindows = Callable[[Sequence[Window]], list[Logits]]
COVERAGES = (0.95, 0.9, 0.8, 0.7, 0.5)


def read_all(examples: Sequence[ReadingExample], encoder: PairEncoder, read: ReadWindows) -> list[AnswerSpan | None]:
    """Return the best span for each example; None where its passage has no word."""
    questions = encoder.pieces([example.question for example in examples])
    passages = encoder.pieces([example.passage for example in examples])
    windows = [
        list(encoder.windows(question, passage, sentence_numbers(example.passage, passage.offsets)))
        for example, question, passage in zip(examples, questions, passages, strict=True)
    ]
    logits = iter(read([window for each in windows for window in each]))
    found = []
    for each in windows:
        spans = best_of(each, [next(logits) for _ in each])
        found.append(spans[0] if spans else None)
    return found


def f1_and_recall(answer: str, references: Sequence[str]) -> tuple[float, float]:
    """Return token F1 and token recall of an answer, 0 to 1, each against the reference that is best for it."""
    found = Counter(squad_tokens(answer))
    f1, recall = 0.0, 0.0
    for reference in references:
        gold = Counter(squad_tokens(reference))
        common = (found & gold).total()
        if common:
            f1 = max(f1, 2 * common / (found.total() + gold.total()))
            recall = max(recall, common / gold.total())
    return f1, recall


def figures(examples: Sequence[ReadingExample], spans: Sequence[AnswerSpan | None]) -> dict[str, Any]:
    """Return what the reader did: F1 and recall of answers, right sentences, and how well it tells what is not there.

    `coverage` maps the share of answerable questions that are answered to the share of the others that is declined,
    by the span's worth. AUROC counts ties half.
    """
    answerable = np.array([bool(example.answers) for example in examples])
    worth = np.array([span.worth + span.answerable if span else -np.inf for span in spans])
    scored = [_answer(example, span) for example, span in zip(examples, spans, strict=True) if example.answers]
    columns = [round(float(np.mean(column)), 4) for column in zip(*scored, strict=True)] if scored else [0.0] * 4
    found = dict(zip(("f1", "recall", "right_sentence", "words"), columns, strict=True))
    counts = {"answerable": int(answerable.sum()), "unanswerable": int((~answerable).sum())}
    return counts | found | _declining(worth[answerable], worth[~answerable])


def _answer(example: ReadingExample, span: AnswerSpan | None) -> tuple[float, float, float, float]:
    if span is None:
        return 0.0, 0.0, 0.0, 0.0
    text = example.passage[span.start : span.end]
    f1, recall = f1_and_recall(text, [answer.text for answer in example.answers])
    sentence = split_sentences(example.passage)[span.sentence]
    right = any(answer.start < sentence.end and sentence.start < answer.end for answer in example.answers)
    return f1, recall, float(right), float(len(text.split()))


def _declining(good: npt.NDArray[Any], bad: npt.NDArray[Any]) -> dict[str, Any]:
    if not len(good) or not len(bad):
        return {}
    thresholds = {share: float(np.quantile(good, 1 - share)) for share in COVERAGES}
    balanced = max(((good >= cut).mean() + (bad < cut).mean()) / 2 for cut in np.unique(good))
    return {
        "auroc": round(auroc(good, bad), 4),
        "balanced_accuracy_at_best": round(float(balanced), 4),
        "coverage": {f"{share:g}": round(float((bad < cut).mean()), 4) for share, cut in thresholds.items()},
    }


def auroc(good: npt.NDArray[Any], bad: npt.NDArray[Any]) -> float:
    """Return how often a good one is above a bad one, ties half."""
    order = np.sort(bad)
    below = np.searchsorted(order, good, side="left") + np.searchsorted(order, good, side="right")
    return float(below.mean() / (2 * len(bad)))
