"""Sweeps: what they take, and how often they are wrong"""

from __future__ import annotations

import json
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.experiments.race import dropped, looks
from evaluation.experiments.verdicts import WORSE, leader_of, verdicts
from evaluation.services.paces import PILOT
from evaluation.statistics.intervals import Term
from tests.commands import run_command
from tests.fake_openai import FakeOpenAI

ORDER = 16
SIZES = "200,300,400,600,800,1000,1200,1600"
RETRIEVERS = "dense,bm25,hybrid"
DELTA = 0.02
SWEEPS = 200
CACHED_S, COLD, AGAIN_S = 5.0, 7.0, 2.0
"""Limits: seconds of processor time with vectors kept, times one size, seconds of the same once more."""
KEPT, SAVED, WRONG = 0.95, 0.6, 0.05
"""Limits of shares: races that keep the best, calls saved, sweeps of equal configurations that call one worse."""
WORDS = ("Answer", "Reply", "Say", "Tell", "Write", "State", "Give", "Name")
QUESTIONS, CALL_S, WAITED_S = 75, 1.0, 5.0
"""Of the sweep over prompts; the limit is seconds from the first call to the last reply."""
_COMMON = ("--corpus", "bench", "--testset", "bench", "--retrieval-only", "--split", "all")


def run(data_dir: Path) -> dict[str, Any]:
    """Measure the command over 276 questions, and races and verdicts over simulated sweeps."""
    with tempfile.TemporaryDirectory() as folder:
        timed = _commands(data_dir, Path(folder))
        prompts = _prompts(data_dir, Path(folder))
    return {"timed": timed, "prompts": prompts, "races": [_races(spread) for spread in (0.15, 0.05)], "equal": _equal()}


def _commands(data_dir: Path, folder: Path) -> dict[str, float]:
    """Return seconds of processor time: one size cold, all cold, all with vectors kept, the same again."""
    cold, warm, one = (folder / name for name in ("cold", "warm", "one"))
    for data in (cold, warm, one):
        _prepare(data_dir, data)
    grid = ("--grid", f"chunk_size={SIZES}", "--grid", f"retriever={RETRIEVERS}")
    found = {"one": _seconds(one, "--grid", "chunk_size=400"), "cold": _seconds(cold, *grid)}
    shutil.copytree(cold / "embeddings", warm / "embeddings")
    found["cached"] = _seconds(warm, *grid)
    found["again"] = _seconds(warm, *grid)
    return found


def _prompts(data_dir: Path, folder: Path) -> dict[str, float]:
    """Return how long 8 prompts × 75 questions take at a second a call: seconds from the first call to the last reply.

    The vectors of the one index are kept.
    """
    data = folder / "prompts"
    _prepare(data_dir, data)
    shutil.copytree(folder / "cold" / "embeddings", data / "embeddings")
    texts = [f"{word}, by the context. {{context}} Question: {{question}}" for word in WORDS]
    with FakeOpenAI(delay_s=CALL_S) as server:
        done = run_command(
            "sweep", "--corpus", "bench", "--testset", "bench", "--split", "all", "--limit", str(QUESTIONS),
            "--set", "llm=openai:gpt-test", "--set", "chunk_size=400", "--grid", f"prompt={json.dumps(texts)}",
            data=data, OMP_NUM_THREADS="1", OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="a-key",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        asked = [each.at for each in server.requests if each.path.endswith("/chat/completions")][PILOT:]
    return {"calls": len(asked), "waited": max(asked) - min(asked) + CALL_S}


def _prepare(data_dir: Path, data: Path) -> None:
    """Load the three corpora and their questions into a fresh data folder."""
    source = data_dir / "chunking_eval"
    texts = data / "texts"
    texts.mkdir(parents=True)
    for file in source.glob("*.md"):
        shutil.copy(file, texts / f"{file.stem}.txt")
    for command in (
        ("ingest", str(texts), "--corpus", "bench"),
        ("import_testset", str(source / "questions.csv"), "--corpus", "bench", "--name", "bench"),
    ):
        done = run_command(*command, data=data, OMP_NUM_THREADS="1")
        assert done.returncode == 0, done.stderr


def _seconds(data: Path, *grid: str) -> float:
    before = _used()
    done = run_command("sweep", *_COMMON, *grid, "--json", str(data / "sweep.json"), data=data, OMP_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr
    assert all(row["n"] == 276 for row in json.loads((data / "sweep.json").read_text())["rows"])
    return _used() - before


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _seeded(seed: int) -> Iterator[np.random.Generator]:
    yield np.random.default_rng(seed)


def simulated(rng: np.random.Generator, quality: np.ndarray, pairs: int) -> np.ndarray:
    """Return scores of pairs (rows) by configurations: what is hard for one is hard for all."""
    difficulty = rng.normal(0, 0.25, (pairs, 1))
    return np.clip(quality + difficulty + rng.normal(0, 0.2, (pairs, len(quality))), 0, 1)


def _races(spread: float, configurations: int = 24, pairs: int = 276) -> dict[str, float]:
    """Return how often a race keeps the best, or one within delta, and what it saves. `spread`: of the true means."""
    kept, saved = 0, []
    with _seeded(11) as rng:
        for _ in range(SWEEPS):
            quality = np.clip(rng.normal(0.6, spread, configurations), 0.05, 0.95)
            scores = simulated(rng, quality, pairs)
            truth = simulated(np.random.default_rng(0), quality, 20_000).mean(axis=0)
            alive, share = raced(scores)
            kept += any(truth.max() - truth[each] <= DELTA for each in alive)
            saved.append(share)
    return {"spread": spread, "kept": kept / SWEEPS, "saved": float(np.mean(saved))}


def raced(scores: np.ndarray) -> tuple[list[int], float]:
    """Return who is left of a race, and the share of calls saved."""
    pairs, alive = len(scores), list(range(scores.shape[1]))
    asked = dict.fromkeys(alive, 0)
    planned = looks(pairs)
    for end in planned:
        asked |= dict.fromkeys(alive, end)
        if end == pairs:
            break
        seen = scores[:end]
        means = {key: float(seen[:, key].mean()) for key in alive}
        gone = dropped(means, lambda best, key, seen=seen: (seen[:, key] - seen[:, best]) / len(seen), len(planned))
        alive = [key for key in alive if key not in gone]
    return alive, 1 - sum(asked.values()) / (pairs * len(asked))


def _equal(configurations: int = 8, pairs: int = 60) -> dict[str, float]:
    """Return the share of sweeps of equal configurations that call one worse than the leader."""
    wrong = 0
    clusters = [("answerable", f"p{number:03}") for number in range(pairs)]
    with _seeded(12) as rng:
        for _ in range(SWEEPS):
            scores = simulated(rng, np.full(configurations, 0.6), pairs)
            means = dict(enumerate(scores.mean(axis=0)))
            best = scores[:, leader_of(means)]

            def against(key: int, scores: np.ndarray = scores, best: np.ndarray = best) -> list[Term]:
                return [Term(list(scores[:, key] - best), clusters, low=-1, high=1)]

            wrong += any(each.word == WORSE for each in verdicts(means, against, DELTA).values())
    return {"configurations": configurations, "pairs": pairs, "wrong": wrong / SWEEPS}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    timed, equal = figures["timed"], figures["equal"]
    ratio = timed["cold"] / timed["one"]
    lines = [
        "24 configurations (8 chunk sizes × dense, BM25, hybrid) over the 276 questions of chunking_eval by `manage.py"
        " sweep --retrieval-only`, all metrics, intervals and verdicts; seconds of processor time on one thread, the"
        " start of the command included.",
        "",
        "| what | seconds | limit |",
        "|---|---|---|",
        f"| vectors kept | {timed['cached']:.1f} | {CACHED_S:g} {_met(timed['cached'] <= CACHED_S)} |",
        f"| nothing kept | {timed['cold']:.1f} | {ratio:.1f} × one size ({timed['one']:.1f}), limit {COLD:g}"
        f" {_met(ratio <= COLD)} |",
        f"| the same sweep again | {timed['again']:.1f} | {AGAIN_S:g} {_met(timed['again'] <= AGAIN_S)} |",
        *_prompt_line(figures),
        "",
        f"Over {SWEEPS} simulated sweeps with known truth:",
        "",
        "| what | found | limit |",
        "|---|---|---|",
    ]
    for race in figures["races"]:
        words = f"race of 24 over 276 pairs, true means spread by {race['spread']:g}"
        lines.append(f"| {words}: best or one within {DELTA:g} kept | {race['kept']:.1%} | {KEPT:.0%} "
                     f"{_met(race['kept'] >= KEPT)} |")  # fmt: skip
        lines.append(f"| {words}: calls saved | {race['saved']:.0%} | {SAVED:.0%} {_met(race['saved'] >= SAVED)} |")
    words = f"{equal['configurations']} equal configurations, {equal['pairs']} pairs: one called worse"
    lines.append(f"| {words} | {equal['wrong']:.1%} | {WRONG:.0%} {_met(equal['wrong'] <= WRONG)} |")
    return "\n".join(lines)


def _prompt_line(figures: dict[str, Any]) -> list[str]:
    """Return the line of the sweep over prompts, where that was measured."""
    if "prompts" not in figures:
        return []
    waited, calls = figures["prompts"]["waited"], figures["prompts"]["calls"]
    what = f"{len(WORDS)} prompts × {QUESTIONS} questions at {CALL_S:g} s a call, {calls} calls: first to last reply"
    return [f"| {what} | {waited:.1f} | {WAITED_S:g} {_met(waited <= WAITED_S)} |"]


def _met(good: bool) -> str:
    return "met" if good else "missed"
