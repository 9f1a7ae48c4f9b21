"""The built-in reader."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.statistics.intervals import Term, estimate, wilson
from rag_pipeline.embedders.base import embedders
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.generators.builtin import BuiltinReader
from tests.bench.reader_card import as_table, trained_tables
from tests.bench.reader_speed import speed
from tests.bench.reader_training.measures import COVERAGES, auroc, f1_and_recall
from tests.bench.reader_trials import (
    CHUNKING,
    CLAPNQ,
    FOREIGN,
    INSTRUCTQA,
    OWN,
    Said,
    Trial,
    ask,
    clapnq,
    instructqa,
    own,
    retrieved,
    shared,
)
from tests.bench.unseen import read_learned

ORDER = 40
_COMMAND = "`python -m tests.bench.reader_training … --folds …`"
_SETS = {
    OWN: "questions of our own on paragraphs of three documents, gold paragraph",
    CLAPNQ: "ClapNQ, gold passage",
    INSTRUCTQA: "instruct-qa (Natural Questions), gold passage",
    CHUNKING: "chunking_eval, 4 retrieved chunks of 1,000 characters",
    FOREIGN: "the same questions with 4 chunks of the two other corpora",
}


def run(data_dir: Path) -> dict[str, Any]:
    """Ask what the shipped reader has not learned from, and measure its speed."""
    embedder = embedders.get("local")("all-MiniLM-L6-v2", "mean")
    reader = BuiltinReader("builtin", "extractive")
    near, foreign = retrieved(data_dir, embedder)
    given = {OWN: own(), CLAPNQ: clapnq(data_dir), INSTRUCTQA: instructqa(data_dir), CHUNKING: near, FOREIGN: foreign}
    learned = read_learned(data_dir / "reader")
    kept = {
        name: [each for each in trials if not learned.knows(each.question, _own_passages(name, each))]
        for name, trials in given.items()
    }
    said = {name: ask(reader, trials) for name, trials in kept.items()}
    return {
        "left_out": {name: len(trials) - len(kept[name]) for name, trials in given.items()},
        "sets": {name: _declining(trials, said[name]) for name, trials in kept.items()},
        "answers": {name: _answers(kept[name], said[name]) for name in (OWN, INSTRUCTQA)},
        "sentences": _sentences(kept[CHUNKING], said[CHUNKING]),
        "coverage": _coverage(kept, said),
        "speed": speed(reader, retrieved(data_dir, embedder, chunker="fixed")[0]),
        "card": {name: card().get(name) for name in ("trained", "figures", "declining")},
    }


def _own_passages(name: str, trial: Trial) -> list[str]:
    """Return the passages that must not have been learned: those that came with the question."""
    return [] if name in {CHUNKING, FOREIGN} else [context.text for context in trial.contexts]


def _declining(trials: Sequence[Trial], said: Sequence[Said]) -> dict[str, int]:
    pairs = list(zip(trials, said, strict=True))
    good = [not each.declined for trial, each in pairs if trial.answerable]
    bad = [each.declined for trial, each in pairs if not trial.answerable]
    return {"answerable": len(good), "answered": sum(good), "unanswerable": len(bad), "declined": sum(bad)}


def _answers(trials: Sequence[Trial], said: Sequence[Said]) -> dict[str, Any]:
    """Return F1 and recall of what would be answered were nothing declined, and its length."""
    pairs = [(trial, each) for trial, each in zip(trials, said, strict=True) if trial.answerable]
    scores = [f1_and_recall(each.answer, trial.references) for trial, each in pairs]
    return {
        "n": len(pairs),
        "f1": _mean([f1 for f1, _ in scores]),
        "recall": _mean([recall for _, recall in scores]),
        "words": statistics.mean(len(each.answer.split()) for _, each in pairs),
    }


def _sentences(trials: Sequence[Trial], said: Sequence[Said]) -> dict[str, Any]:
    """Return where the chosen sentence stands, with how much of the reference's words it has."""
    right = [_inside(trial, each) for trial, each in zip(trials, said, strict=True)]
    held = [inside for trial, inside in zip(trials, right, strict=True) if trial.holds]
    recalls = [f1_and_recall(each.sentence, trial.references)[1] for trial, each in zip(trials, said, strict=True)]
    return {
        "n": len(trials),
        "held": len(held),
        "right": sum(right),
        "right_held": sum(held),
        "recall": _mean(recalls),
        "words": statistics.mean(len(each.sentence.split()) for each in said),
    }


def _inside(trial: Trial, said: Said) -> bool:
    """True where the chosen sentence and a reference share at least half of the shorter of them."""
    place = said.place
    return place is not None and any(2 * shared(place, gold) >= min(len(place), len(gold)) for gold in trial.gold)


def _coverage(kept: dict[str, list[Trial]], said: dict[str, list[Said]]) -> dict[str, Any]:
    """Return by the share of own answerable questions answered the shares declined, and how well both are told."""
    pairs = list(zip(kept[OWN], said[OWN], strict=True))
    good = np.array([each.probability for trial, each in pairs if trial.answerable])
    bad = np.array([each.probability for trial, each in pairs if not trial.answerable])
    foreign = np.array([each.probability for each in said[FOREIGN]])
    cuts = {f"{share:g}": float(np.quantile(good, 1 - share)) for share in COVERAGES}
    return {
        "auroc": auroc(good, bad),
        "shares": {
            share: [cut, float((bad < cut).mean()), float((foreign < cut).mean())] for share, cut in cuts.items()
        },
    }


def _mean(values: Sequence[float]) -> list[float]:
    """Return the mean and its 95 % interval."""
    found = estimate([Term(values, [("", str(place)) for place in range(len(values))])])
    return [found.mean, found.low, found.high]


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    return "\n\n".join(
        (_trained(figures["card"]), _live(figures), _found(figures), _own_coverage(figures), _times(figures["speed"]))
    )


def _trained(known: dict[str, Any]) -> str:
    date = (known["trained"] or {}).get("on", "")
    return (
        f"**When it was trained**{f' ({date})' if date else ''}, by {_COMMAND}, and not measured again here: the "
        "shipped reader has learned the seven articles of SQuAD 2.0, so each figure is of a reader like it that had "
        f"not learned the article it was asked about.\n\n{trained_tables(known)}"
    )


def _live(figures: dict[str, Any]) -> str:
    left = {name: count for name, count in figures["left_out"].items() if count and name != FOREIGN}
    told = ", ".join(f"{count} of {name}" for name, count in left.items()) or "none"
    rows = []
    for name, each in figures["sets"].items():
        good, bad = each["answerable"], each["unanswerable"]
        rows.append([_SETS[name], *_share(each["answered"], good), *_share(each["declined"], bad)])
    head = ["questions", "answerable answered", "95 % interval", "unanswerable declined", "95 % interval"]
    strictness = figures["card"]["declining"]["strictness"]
    return (
        "**Measured here**, with the default prompt and strictness "
        f"({strictness:.2f}). Questions that it has learned, word for word or by their passage, are left out: {told}."
        f"\n\n{as_table(head, rows)}"
    )


def _found(figures: dict[str, Any]) -> str:
    rows = []
    for name, each in figures["answers"].items():
        rows += [
            [f"token F1 of the phrase, {name} ({each['n']} answerable, declined or not)", *_interval(each["f1"])],
            [f"token recall of the phrase, {name}; {each['words']:.1f} words on average", *_interval(each["recall"])],
        ]
    each = figures["sentences"]
    rows += [
        ["chosen sentence lies in a reference, chunking_eval", *_share(each["right"], each["n"])],
        [f"the same where it was retrieved ({each['held']})", *_share(each["right_held"], each["held"])],
        [f"token recall of the reference by that sentence ({each['words']:.0f} words)", *_interval(each["recall"])],
    ]
    return as_table(["what is found", "value", "95 % interval"], rows)


def _own_coverage(figures: dict[str, Any]) -> str:
    found = figures["coverage"]
    rows = [
        [f"{float(share):.0%}", *(f"{value:.2f}" if place == 0 else f"{value:.1%}" for place, value in enumerate(row))]
        for share, row in found["shares"].items()
    ]
    head = ["answerable answered", "strictness", "unanswerable declined", "other corpora declined"]
    return (
        "Strictness on our own questions (many of the unanswerable ones are meant to trick), beside the questions of "
        f"chunking_eval with foreign chunks; AUROC {found['auroc']:.3f}:\n\n{as_table(head, rows)}"
    )


def _times(times: dict[str, Any]) -> str:
    rows = [
        [f"{times['questions']} questions in one batch", f"{statistics.median(times['many']):.1f} s", "4 s"],
        ["the same, seconds of the processor", f"{statistics.median(times['computed']):.1f} s", ""],
        ["one question by itself", f"{1000 * statistics.median(times['single']):.0f} ms", ""],
        ["loading, in a fresh process", f"{statistics.median(times['load']):.1f} s", "1 s"],
    ]
    text = f"Time with four contexts of {times['characters']:,.0f} characters, embedding included, medians:"
    return f"{text}\n\n{as_table(['', 'time', 'target'], rows)}"


def _share(count: int, total: int) -> list[str]:
    if not total:
        return ["", ""]
    low, high = wilson(count, total)
    return [f"{count / total:.3f} of {total}", f"{low:.3f} to {high:.3f}"]


def _interval(value: list[float]) -> list[str]:
    mean, low, high = value
    return [f"{mean:.3f}", f"{low:.3f} to {high:.3f}"]


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
