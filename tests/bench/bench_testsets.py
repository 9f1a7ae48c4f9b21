"""Test sets: do questions that the workbench writes advise as people's questions do.

For each document, 18 retrieval settings are ranked twice by context matching: by people's questions about it, and by a
set that the workbench wrote. Kendall's tau says how alike the rankings are; regret is what people's questions lose
where the written set chooses the setting: the mean over those that it finds equally good, of which none is its choice.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from evaluation.generator_spec import GeneratorSpec
from evaluation.question_writers.base import Stage, write_questions
from evaluation.types import DraftQuestion
from rag_pipeline import runtime
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import lower_words
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.types import SourceDoc, Span
from tests.bench import cache
from tests.bench.corpora import Asked, chunking_eval
from tests.bench.span_bench import SpanBench
from tests.bench.span_scores import MEASURES

ORDER = 30
SIZES = (100, 200, 400, 800, 1600, 3200)
RETRIEVERS = ("dense", "bm25", "hybrid")
_FEWEST_ASKED = 60
_LENGTHS = (250_000, 500_000)
_ARTICLES = 6
"""Articles of each half: the first half may be worked with, the second is only ever measured."""


@dataclass(frozen=True)
class Corpus:
    """A document with people's questions about it. `held_out`: never looked at while the writer is made."""

    document: SourceDoc
    asked: list[Asked]
    held_out: bool

    @property
    def name(self) -> str:
        """Return what it is called."""
        return self.document.name


def run(data_dir: Path) -> dict[str, Any]:
    """Rank the settings by people's and by written questions on every document; sets as `make setup` lets them be."""
    runtime.set_small_model(True)
    rows = []
    for corpus in corpora(data_dir):
        print(f"  {corpus.name}", file=sys.stderr, flush=True)
        rows.append(compared(corpus))
    return {"rows": rows, "speed": [speed(data_dir, length) for length in _LENGTHS]}


def speed(data_dir: Path, length: int) -> dict[str, float]:
    """Return the processor seconds of 30 pairs and 15 questions out of scope from a text of so many characters."""
    articles = sorted(_articles(data_dir), key=lambda article: article.name)
    document = SourceDoc(1, "articles", "\n\n".join(article.document.text for article in articles)[:length])
    begin = time.process_time()
    made = len(written(document, 30)) // 2, len(written(document, 15, stage="out_of_scope"))
    return {
        "characters": len(document.text), "pairs": made[0], "out_of_scope": made[1],
        "seconds": time.process_time() - begin,
    }  # fmt: skip


def corpora(data_dir: Path) -> Iterator[Corpus]:
    """Yield chunking_eval's three corpora, then articles with at least 60 questions of people."""
    documents, asked = chunking_eval(data_dir)
    for doc in documents:
        yield Corpus(doc, [each for each in asked if each.references[0].document_id == doc.id], held_out=False)
    articles = sorted(_articles(data_dir), key=lambda article: article.name)
    chosen = [article for article in articles if len(article.asked) >= _FEWEST_ASKED]
    step = len(chosen) // (2 * _ARTICLES)
    for number, article in enumerate(chosen[::step][: 2 * _ARTICLES]):
        yield replace(article, held_out=number % 2 == 1)


def compared(corpus: Corpus) -> dict[str, Any]:
    """Return how a written set and people's questions rank the settings of one document."""
    drafts = written(corpus.document)
    asked = [Asked(draft.text, tuple(each.span for each in draft.evidence)) for draft in drafts]
    by_people, by_set = ranked(corpus, corpus.asked), ranked(corpus, asked)
    best = np.flatnonzero(np.isclose(by_set, by_set.max()))
    return {
        "document": corpus.name,
        "held_out": corpus.held_out,
        "asked": len(corpus.asked),
        "written": len(drafts),
        "tau": float(kendalltau(by_people, by_set).statistic),
        "regret": float(by_people.max() - by_people[best].mean()),
        "regret_of_first": float(by_people.max() - by_people[best[0]]),
        "best": _setting(int(by_people.argmax())),
        "chosen": _setting(int(best[0])) + (f" and {len(best) - 1} more" if len(best) > 1 else ""),
        "verbatim": [verbatim(corpus.document, corpus.asked), verbatim(corpus.document, asked)],
        "evidence": [_length(corpus.asked), _length(asked)],
        "places": [_places(corpus.asked), _places(asked)],
        "curves": [by_people.tolist(), by_set.tolist()],
    }


def written(document: SourceDoc, count: int = 60, stage: Stage = "pairs") -> list[DraftQuestion]:
    """Return the questions of a set that the workbench writes without a model."""
    bench = SpanBench([document], [], cache.FOLDER)
    spec = GeneratorSpec.create({"pairs": count, "out_of_scope": count})
    steps = write_questions(stage, [document], spec, bench.embedder("mean").embed_passages, UsageTally())
    return [question for step in steps for question in step.questions]


def ranked(corpus: Corpus, asked: Sequence[Asked]) -> Any:
    """Return context matching by setting, shape (18,)."""
    bench = SpanBench([corpus.document], asked, cache.FOLDER)
    column = MEASURES.index("recall")
    return np.asarray(
        [
            bench.score({"chunk_size": size, "chunk_overlap": 0, "retriever": name, "top_k": 4})[:, column].mean()
            for size in SIZES
            for name in RETRIEVERS
        ]
    )


def verbatim(document: SourceDoc, asked: Sequence[Asked]) -> float:
    """Return the share of a question's content words that stand in its evidence, the mean over questions."""
    shares = []
    for each in asked:
        said = set(lower_words(" ".join(document.text[span.start : span.end] for span in each.references)))
        words = [word for word in lower_words(each.text) if word not in STOP]
        shares.append(sum(word in said for word in words) / max(1, len(words)))
    return fmean(shares)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        "Kendall's tau of the two rankings of 18 settings (chunks of 100 to 3,200 characters by meaning, by words, by"
        " both; four chunks a question), and what people's questions lose by the choice of the written set. *Verbatim*:"
        " content words of a question that stand in its evidence; *evidence*: median characters; *places*: share of"
        " questions with evidence in more than one place; each by people and in the written set.",
        "",
        "| document | questions | tau | regret | best | chosen | verbatim | evidence | places |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for held_out in (False, True):
        rows = [row for row in figures["rows"] if row["held_out"] is held_out]
        lines += [_line(row) for row in rows]
        tau, regret = fmean(row["tau"] for row in rows), fmean(row["regret"] for row in rows)
        what = "never worked with" if held_out else "worked with"
        lines.append(f"| **mean, {what}** | | **{tau:.2f}** | **{regret:.3f}** | | | | | |")
    for each in figures.get("speed", ()):
        lines += [
            "",
            f"From {each['characters']:,} characters {each['pairs']} pairs and {each['out_of_scope']} out-of-scope"
            f" questions take {each['seconds']:.1f} s of processor time.",
        ]
    return "\n".join(lines)


def _line(row: dict[str, Any]) -> str:
    counts = f"{row['asked']} / {row['written']}"
    shares = [" / ".join(f"{100 * share:.0f} %" for share in row[name]) for name in ("verbatim", "places")]
    lengths = " / ".join(f"{length:.0f}" for length in row["evidence"])
    return (
        f"| {row['document']} | {counts} | {row['tau']:.2f} | {row['regret']:.3f} | {row['best']} | {row['chosen']} | "
        f"{shares[0]} | {lengths} | {shares[1]} |"
    )


def _setting(number: int) -> str:
    return f"{SIZES[number // len(RETRIEVERS)]} {RETRIEVERS[number % len(RETRIEVERS)]}"


def _length(asked: Sequence[Asked]) -> float:
    return median(sum(len(span) for span in each.references) for each in asked)


def _places(asked: Sequence[Asked]) -> float:
    return fmean(len(each.references) > 1 for each in asked)


def _articles(data_dir: Path) -> Iterator[Corpus]:
    """Yield the articles of SQuAD and SQuADShifts, paragraphs joined; the evidence is the sentence with the answer."""
    contexts = {each["context"]: each["text"] for each in _lines(data_dir / "reader" / "contexts.jsonl.gz")}
    questions = defaultdict(list)
    for question in _lines(data_dir / "reader" / "questions.jsonl.gz"):
        if question["source"] in {"ss_wiki", "squad2"} and not question["is_impossible"]:
            questions[question["title"]].append(question)
    for title, asked in questions.items():
        numbers = sorted({each["context"] for each in asked})
        starts, text = {}, ""
        for number in numbers:
            starts[number] = len(text)
            text += contexts[number] + "\n\n"
        document = SourceDoc(1, title, text)
        yield Corpus(document, [_asked(each, contexts, starts) for each in asked], held_out=False)


def _asked(question: dict[str, Any], contexts: dict[int, str], starts: dict[int, int]) -> Asked:
    text, begin = contexts[question["context"]], starts[question["context"]]
    answer = question["answers"][0]["start"]
    sentence = next((each for each in split_sentences(text) if each.start <= answer < each.end), None)
    start, end = (sentence.start, sentence.end) if sentence else (answer, answer + len(question["answers"][0]["text"]))
    return Asked(question["question"], (Span(1, begin + start, begin + end),))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
