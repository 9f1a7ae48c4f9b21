"""How well answers are compared with references without a judge: short and long ones, by people and made by rule"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.base import embedders
from tests.bench.bench_validity import score_by
from tests.bench.judged_rows import Judged, clapnq, clapnq_further, instruct_qa
from tests.bench.made_answers import made_answers
from tests.bench.people import Floats, Statistic, area, paired_difference, pearson, with_interval

ORDER = 56
OURS = "correctness_offline"
_METRICS = (OURS, "token_f1", "rouge_l", "token_recall", "semantic_similarity")
_RIGHT_FROM = 0.5


def run(data_dir: Path) -> dict[str, Any]:
    """Score every set with every metric; what has no score counts as 0."""
    embed = embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages
    long, further = _by_models(clapnq(data_dir)), _by_models(clapnq_further())
    sets: dict[str, tuple[Sequence[Judged], Statistic]] = {
        "instruct-qa, right or wrong": (instruct_qa(data_dir), area),
        "ClapNQ, rated faithfulness": (long, pearson),
        "ClapNQ, further": (further, pearson),
        "ClapNQ, both": ([*long, *further], pearson),
        **{f"made: {name}": (rows, area) for name, rows in made_answers(data_dir).items()},
    }
    found = {}
    for title, (rows, statistic) in sets.items():
        values = {
            name: np.array([value or 0.0 for value in score_by([row.sample for row in rows], name, embed)])
            for name in _METRICS
        }
        found[title] = _agreement(rows, values, statistic)
    return {"sets": found}


def _by_models(rows: Sequence[Judged]) -> list[Judged]:
    """Return the answers that have a reference and are not it."""
    return [row for row in rows if row.sample.reference_answers != ("",) and not _is_reference(row)]


def _is_reference(row: Judged) -> bool:
    return row.sample.trace.answer.strip() == row.sample.reference_answers[0].strip()


def _agreement(rows: Sequence[Judged], values: dict[str, Floats], statistic: Statistic) -> dict[str, Any]:
    rated = statistic is pearson
    truth = np.array([row.ratings["faithfulness"] if rated else float(row.mark) for row in rows])
    clusters = [row.cluster for row in rows]
    found: dict[str, Any] = {"n": len(rows), "statistic": "Pearson" if rated else "AUROC"}
    found |= {name: with_interval(statistic, given, truth, clusters) for name, given in values.items()}
    found["difference"] = paired_difference(statistic, values[OURS], values["token_f1"], truth, clusters)
    if not rated:
        found["balanced"] = with_interval(_balanced, values[OURS], truth, clusters)
    return found


def _balanced(values: Floats, truth: Floats) -> float:
    """Return the balanced accuracy of calling right what reaches one half; NaN where one kind is absent."""
    right, called = truth > 0, values >= _RIGHT_FROM
    if right.all() or not right.any():
        return float("nan")
    return float((called[right].mean() + (~called)[~right].mean()) / 2)


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        "AUROC of right against wrong answers; for ClapNQ's long ones Pearson with the mean of three ratings of "
        "faithfulness (answers by models to questions with a reference; nobody rated their correctness). 95 % "
        "intervals by bootstrap over questions; what has no score counts as 0, all-MiniLM-L6-v2 scores. *Balanced*: "
        f"balanced accuracy of {OURS} where what reaches .5 is called right.",
        "",
        f"| answers | n | {' | '.join(_METRICS)} | ours less token_f1 | balanced |",
        "|---|---|" + "---|" * (len(_METRICS) + 2),
    ]
    for title, row in figures["sets"].items():
        cells = [_cell(row[name]) for name in _METRICS]
        balanced = _cell(row["balanced"]) if "balanced" in row else ""
        name = f"{title} ({row['statistic']})"
        lines.append(
            f"| {name} | {row['n']} | {' | '.join(cells)} | {_cell(row['difference'], sign='+')} | {balanced} |"
        )
    return "\n".join([*lines, "", _HOW_CHOSEN])


def _cell(figure: Sequence[float], sign: str = "") -> str:
    value, low, high = figure
    return f"{value:{sign}.3f} ({low:{sign}.3f} to {high:{sign}.3f})"


_HOW_CHOSEN = (
    "How the fourth revision of correctness_offline was chosen. Its parts were set by reasoning: what the answer has "
    "of the reference, for long references half of that and half the other way round, closeness in meaning for what is "
    "missing, opposites. Four constants (the share of the other way round, that of meaning, what is long, the factor "
    "of opposites) were looked for on a grid of 300, five times with one group left out: ClapNQ (96 answers), ClapNQ, "
    "further, instruct-qa, SQuAD, HaluEval. All five choose half of the other way round and 3 to 8 words, four the "
    "factor .25; without any answer of ClapNQ the choice reaches Pearson .584 and .563 on its two parts, without "
    "instruct-qa .957 there, without SQuAD .990, without HaluEval .929 (the shipped constants: .613, .567, "
    ".971, .988, .929; all before denials of the question were "
    "left out). So the structure is not ClapNQ's; the .3 for meaning lies between the choices, 0 and "
    ".45. Ridge regression on 14 signs of an answer (conflicting and added names and numbers, runs of two words, "
    "lengths, cosine) ends at .50 on questions of ClapNQ that it was not fitted on, where the formula has .54.\n\n"
    "The third revision matched words by their vectors and counted the other way round .3: .618 and .483 on ClapNQ, "
    ".535 on both (difference +.042, −.010 to +.105), the same on HaluEval and SQuAD, and .971 on instruct-qa. The "
    "difference there is one answer: it gives the reference word by word and is marked wrong, and the third revision "
    "held the *not* of a song's title in its question against it. At last, two sets by other people were looked at "
    "once: 97 answers to 23 questions of EVOUNA (Natural Questions) AUROC .951, balanced accuracy .914 (third "
    "revision .950, .914; token_recall .962), and 56 graded answers of students to 3 questions Pearson .547 (third "
    "revision .535; token_recall .460, token_f1 .403). No constant was changed for them. What excludes a part of a "
    "long reference in its place was set by reasoning afterwards and changes no score of people's answers here; "
    "sentences with exchanged names or numbers, or a *not* more or less, fall from .98 to .79 by it (mean of 45).\n\n"
    "The fifth revision was chosen on instruct-qa, the 96 answers of ClapNQ and the made answers. Names counted 1.5 "
    "and numbers 2 as where evidence is checked, but who leaves one out has left out one thing: 1 each brings Pearson "
    "from .615 to .631 and Spearman from .595 to .613. What a long answer leaves out cost too much: the power .7 of "
    "what is there brings .642; .5 brings .646, but lets more of BEGIN's replies that go beyond their sentence reach "
    ".5. The numbers of a list (1. 2. 3.) were taken for added numbers. Tried and dropped: more for closeness in "
    "meaning (.642 at .5, but restated wrong answers then reach .41 in place of .29), a power for what is added (.654, "
    "but on BEGIN AUROC falls from .854 to .842), wider word families, abbreviations by initials, closeness to the "
    "question. Instruct-qa moves from .924 to .926 only: two answers are marked wrong that give the reference in full, "
    "and four right ones have nearly no word of it (*British* for *United Kingdom*). Afterwards ClapNQ, further, was "
    "looked at once (.572, before .565), 43 answers to 9 questions of EVOUNA, nine of them cut short (AUROC 1.000, as "
    "before), and 49 of 58 graded answers of students to 2 questions (Pearson .752, before .720). The cost: a "
    "right sentence with one other name in it scores .94, before .91."
)
