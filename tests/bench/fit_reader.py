"""Fits the weights of the built-in reader on its development questions and prints them.

    python -m tests.bench.fit_reader --data DIR

Phrases: the weights under which the phrases that overlap with the answer get the most probability among all phrases of
the text (softmax). Declining: logistic regression, signs fixed to what each signal means. Both with an L2 penalty.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from rag_pipeline.embedders.base import embedders
from rag_pipeline.reader.candidates import candidates
from rag_pipeline.reader.declining import signals
from rag_pipeline.reader.evidence import Evidence
from rag_pipeline.reader.extractive import ExtractiveReader
from rag_pipeline.reader.features import Features, sentence_features, span_features
from rag_pipeline.reader.matching import tagged
from rag_pipeline.reader.scoring import choose
from rag_pipeline.reader.weights import DECLINE
from tests.bench import reader_data
from tests.bench.bench_reader import token_f1
from tests.bench.reader_data import Case

Floats = npt.NDArray[np.float64]
_TRUST = {"own": 2.0, "halueval": 0.5, "instructqa": 1.0}
"""Weight of a source for phrases: HaluEval asks across two texts, which no single phrase answers."""
_SHARE = {"own": 0.6, "halueval": 0.45, "instructqa": 0.6, "clapnq": 0.6, "chunking": 0.4, "generated": 0.4}
"""Weight of a source for declining."""
_PENALTY = 0.5
_PENALTY_DECLINE = 1.0
_SMALL = 0.05


def fit_phrases(cases: Sequence[Case], evidence: Sequence[Evidence]) -> dict[str, float]:
    """Return the weights of the phrase and sentence features."""
    blocks = [block for block in map(_phrases, cases, evidence) if max(block[1], default=0.0) > 0.3]
    names = sorted({name for features, *_ in blocks for one in features for name in one})
    tables = [(_matrix(features, names), np.square(target) / max(target) ** 2, w) for features, target, w in blocks]

    def loss(weights: Floats) -> tuple[float, Floats]:
        value, slope = _PENALTY * weights @ weights, 2 * _PENALTY * weights
        for table, target, trust in tables:
            scores = table @ weights
            chance = np.exp(scores - scores.max())
            chance /= chance.sum()
            hit = chance @ target + 1e-9
            value -= trust * np.log(hit)
            slope -= trust * (table.T @ (chance * target / hit - chance))
        return float(value), slope

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return {name: round(float(x), 2) for name, x in zip(names, found, strict=True) if abs(x) >= _SMALL}


def _phrases(case: Case, evidence: Evidence) -> tuple[list[Features], Floats, float]:
    """Return the features of every phrase of the text, how well each overlaps with an answer, and the trust."""
    rows, overlap = [], []
    for place in evidence.close:
        passage, found = evidence.passages[place], evidence.matches[place]
        before = evidence.matches.get(passage.before)
        sentence, cosine = tagged(passage.text), float(evidence.cosines[place])
        of_sentence = sentence_features(evidence.question, passage.text, found, before, cosine)
        for span in candidates(sentence, frozenset(found.places)):
            rows.append(of_sentence | span_features(evidence.question, sentence, span, found))
            text = sentence.slice(span.first, span.last)
            overlap.append(max(token_f1(text, answer) for answer in case.answers))
    return rows, np.array(overlap), _TRUST[case.source]


def _matrix(rows: Sequence[Features], names: Sequence[str]) -> Floats:
    return np.array([[row.get(name, 0.0) for name in names] for row in rows])


def fit_declining(cases: Sequence[Case], evidence: Sequence[Evidence]) -> tuple[dict[str, float], float]:
    """Return the weights of the signals, and the bias; answerable and unanswerable cases weigh the same in all."""
    rows = [signals(one, choose(one)[0]) for one in evidence]
    names = list(DECLINE)
    table = _matrix(rows, names)
    mean, spread = table.mean(0), table.std(0) + 1e-9
    scaled = np.c_[(table - mean) / spread, np.ones(len(rows))]
    truth = np.array([float(case.answerable) for case in cases])
    weight = np.array([_SHARE[case.source] * case.weight for case in cases])
    for label in (0.0, 1.0):
        weight[truth == label] *= weight.sum() / 2 / weight[truth == label].sum()

    def loss(weights: Floats) -> tuple[float, Floats]:
        chance = 1 / (1 + np.exp(-scaled @ weights))
        right = truth * np.log(chance + 1e-9) + (1 - truth) * np.log(1 - chance + 1e-9)
        penalty = np.r_[weights[:-1], 0.0]
        return float(_PENALTY_DECLINE * penalty @ penalty - weight @ right), (
            scaled.T @ (weight * (chance - truth)) + 2 * _PENALTY_DECLINE * penalty
        )

    bounds = [(0, None) if name in {"cosine", "closest"} else (None, 0) for name in names]
    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)]).x
    raw = found[:-1] / spread
    _report(cases, truth, scaled @ found)
    return dict(zip(names, raw.round(2).tolist(), strict=True)), round(float(found[-1] - raw @ mean), 2)


def _report(cases: Sequence[Case], truth: Floats, margins: Floats) -> None:
    """Print to standard error how many of each source are attempted and declined."""
    sources = np.array([case.source for case in cases])
    for source in _SHARE:
        good, bad = ((sources == source) & (truth == label) for label in (1.0, 0.0))
        attempted, declined = (margins[good] >= 0).mean(), (margins[bad] < 0).mean()
        print(f"{source}: attempted {attempted:.2f}, declined {declined:.2f}", file=sys.stderr)


def main() -> int:
    """Fit both and print them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the shared data")
    parser.add_argument("--only", choices=("phrases", "declining"), help="fit one of the two")
    given = parser.parse_args()
    embed = embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages
    reader = ExtractiveReader(embed)
    short = [*reader_data.own(), *reader_data.halueval(given.data), *reader_data.instructqa(given.data)]
    if given.only != "declining":
        answered = [case for case in short if case.answerable]
        evidence = reader.evidence_for([case.request for case in answered])
        print(json.dumps(fit_phrases(answered, evidence), indent=4))
    if given.only != "phrases":
        cases = [*short, *reader_data.clapnq(given.data), *reader_data.chunking(given.data)]
        cases += [*reader_data.unanswerable(cases, embed), *reader_data.generated(given.data, embed)]
        evidence = reader.evidence_for([case.request for case in cases])
        print(json.dumps(fit_declining(cases, evidence), indent=4))
    return 0


if __name__ == "__main__":
    sys.exit(main())
