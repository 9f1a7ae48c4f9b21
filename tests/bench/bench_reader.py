"""The built-in reader on SQuAD 2.0 articles."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from evaluation.stats import wilson
from evaluation.tokens import squad_tokens
from rag_pipeline.generators.builtin import BuiltinReader
from rag_pipeline.prompt import fill, shipped_prompts
from rag_pipeline.spec import DEFAULT_REFUSAL
from rag_pipeline.types import Context, Generation, GenerationRequest, Span

ORDER = 40


def run(data_dir: Path) -> dict[str, Any]:
    """Ask every question with its gold paragraph, with the shipped prompts Concise and Always answer."""
    questions = _questions(data_dir)
    reader = BuiltinReader("builtin", "extractive")
    asyncio.run(_answers(reader, questions[:2], "Concise"))  # loads the model
    start = time.perf_counter()
    told = asyncio.run(_answers(reader, questions, "Concise"))
    seconds = time.perf_counter() - start
    untold = asyncio.run(_answers(reader, questions, "Always answer"))
    return {
        "seconds": seconds,
        "questions": len(questions),
        **_declining(questions, told),
        **_answering(questions, untold),
    }


def _declining(questions: list[dict[str, Any]], results: list[Generation]) -> dict[str, Any]:
    declined = [result.text == DEFAULT_REFUSAL for result in results]
    attempted = [not no for question, no in zip(questions, declined, strict=True) if question["answers"]]
    refused = [no for question, no in zip(questions, declined, strict=True) if not question["answers"]]
    return {
        "answerable": len(attempted),
        "attempted": sum(attempted),
        "unanswerable": len(refused),
        "refused": sum(refused),
        "balanced_accuracy": (sum(attempted) / len(attempted) + sum(refused) / len(refused)) / 2,
    }


def _answering(questions: list[dict[str, Any]], results: list[Generation]) -> dict[str, Any]:
    f1, held = [], []
    for question, result in zip(questions, results, strict=True):
        golds = [answer["text"] for answer in question["answers"]]
        if golds:
            f1.append(max(token_f1(result.text, gold) for gold in golds))
            held.append(any(gold.lower() in result.details["reader"]["sentence"].lower() for gold in golds))
    return {"token_f1": sum(f1) / len(f1), "sentence_holds_answer": sum(held)}


def token_f1(answer: str, reference: str) -> float:
    """Return SQuAD's token F1."""
    found, gold = Counter(squad_tokens(answer)), Counter(squad_tokens(reference))
    common = sum((found & gold).values())
    return 2 * common / (found.total() + gold.total()) if common else 0.0


def _questions(data_dir: Path) -> list[dict[str, Any]]:
    folder = data_dir / "squad2"
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    articles = {path.stem: path.read_text(encoding="utf-8") for path in (folder / "articles").glob("*.txt")}
    for question in questions:
        question["paragraph"] = articles[question["article"]][question["context_start"] : question["context_end"]]
    return questions


async def _answers(reader: BuiltinReader, questions: list[dict[str, Any]], prompt: str) -> list[Generation]:
    requests = [_request(question, shipped_prompts()[prompt]) for question in questions]
    found = {place: result async for place, result in reader.generate_many(requests)}
    return [found[place] for place in range(len(requests))]


def _request(question: dict[str, Any], template: str) -> GenerationRequest:
    start, text = question["context_start"], question["paragraph"]
    context = Context(Span(1, start, start + len(text)), question["article"], text, 1.0, 1)
    prompt = fill(template, question=question["question"], contexts=[context], refusal=DEFAULT_REFUSAL)
    return GenerationRequest(question["question"], (context,), prompt, template, DEFAULT_REFUSAL)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    answerable, unanswerable = figures["answerable"], figures["unanswerable"]
    rows = (
        ("answerable attempted (prompt *Concise*)", *_share(figures["attempted"], answerable), ""),
        ("unanswerable declined (prompt *Concise*)", *_share(figures["refused"], unanswerable), ""),
        ("balanced accuracy of the two", f"{figures['balanced_accuracy']:.3f}", "", "0.65"),
        ("token F1 on answerable questions (prompt *Always answer*)", f"{figures['token_f1']:.3f}", "", "0.38"),
        ("chosen sentence holds the answer", *_share(figures["sentence_holds_answer"], answerable), "0.82"),
    )
    return "\n".join(
        [
            f"{figures['questions']} questions on seven Wikipedia articles, each with its gold paragraph; "
            f"{figures['seconds']:.1f} s for all of them, embedding included. Nothing was fitted or tuned on them.",
            "",
            "| | value | 95 % interval | target |",
            "|---|---|---|---|",
            *("| " + " | ".join(row) + " |" for row in rows),
        ]
    )


def _share(count: int, total: int) -> tuple[str, str]:
    low, high = wilson(count, total)
    return f"{count / total:.3f}", f"{low:.3f} to {high:.3f}"


def main() -> int:
    """Print the figures as JSON and as a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the shared data")
    figures = run(parser.parse_args().data)
    print(json.dumps(figures, indent=2))
    print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
