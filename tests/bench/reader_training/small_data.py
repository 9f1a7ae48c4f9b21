"""A few questions on a few paragraphs, in the files that the training reads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.bench.reader_training.dataset import GoldAnswer, ReadingExample

PARAGRAPHS = (
    "The mill at Vik was built in 1840. Two brothers, Ola and Per, ran it until the fire of 1903.",
    "The lighthouse at Cape Ardo is green. Marta Olsen has kept it since 2004, and never missed a night.",
    "Storks of the delta spend the winter in Chad. They fly around the sea, by way of the strait.",
    "The ferry to Lund leaves twice a day. Dogs need a ticket; bicycles travel free of charge.",
)
ASKED = (
    (0, "When was the mill at Vik built?", "1840"),
    (0, "Who ran the mill?", "Ola and Per"),
    (1, "What colour is the lighthouse?", "green"),
    (1, "Who keeps the lighthouse at Cape Ardo?", "Marta Olsen"),
    (2, "Where do storks spend the winter?", "Chad"),
    (3, "How often does the ferry leave?", "twice a day"),
    (3, "Who needs a ticket on the ferry?", "Dogs"),
    (3, "How long does the ferry take?", ""),
)


def examples() -> list[ReadingExample]:
    """Return the questions as the training reads them; the last one has no answer."""
    found = []
    for paragraph, question, answer in ASKED:
        text = PARAGRAPHS[paragraph]
        answers = (GoldAnswer(text.index(answer), answer),) if answer else ()
        found.append(ReadingExample(question, text, answers, "own", f"article {paragraph}"))
    return found


def write_data(folder: Path) -> Path:
    """Write them, and two sentences as QAMR has them."""
    folder.mkdir(parents=True, exist_ok=True)
    contexts = [{"context": number, "text": text} for number, text in enumerate(PARAGRAPHS)]
    questions = [
        {
            "id": str(number),
            "source": example.source,
            "title": example.title,
            "context": PARAGRAPHS.index(example.passage),
            "question": example.question,
            "is_impossible": not example.answers,
            "answers": [{"start": answer.start, "text": answer.text} for answer in example.answers],
        }
        for number, example in enumerate(examples())
    ]
    _zip(folder / "contexts.jsonl.gz", [json.dumps(row) for row in contexts])
    _zip(folder / "questions.jsonl.gz", [json.dumps(row) for row in questions])
    _zip(
        folder / "qamr_wiki_sentences.tsv.gz",
        ["s1\tThe mill -LRB- of Vik -RRB- was n't sold , said Ola .", "s2\t`` Green '' is the lighthouse ."],
    )
    dev = ["s1\t0 1\t7\t0\t1\tWhat was n't sold?\t1\t3:0 1\t4:1 5", "s1\t0 1\t7\t0\t1\tWho said it?\t11\t3:11\t4:11"]
    _zip(folder / "qamr_dev.tsv.gz", dev)
    _zip(
        folder / "qamr_test.tsv.gz",
        ["s2\t0 1\t7\t0\t1\tWhat is green?\t4 5\t3:5\t4:5", "s2\t0\t7\t0\t1\tWhat?\t1 5\t3:5\t4:5"],
    )
    return folder


def _zip(file: Path, lines: list[str]) -> None:
    with gzip.open(file, "wt", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
