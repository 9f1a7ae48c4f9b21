"""Pairs written afresh to confirm a sweep with: from what no question of its test set rests on."""

from __future__ import annotations

from django.db import transaction

from evaluation.experiments.options import MOST_FRESH
from evaluation.generator_spec import GeneratorSpec
from evaluation.models import Question, Sweep, TestSet
from evaluation.queries.sweeps import FRESH, fresh_testset
from evaluation.services.sweep_state import change_state, then
from evaluation.services.testsets import start_generation
from rag_pipeline.background import tasks as background
from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.preflight import check_model

WRITE = "write"


def confirm_afresh(*, sweep: Sweep, number: int, pairs: int) -> None:
    """Have so many pairs written, and the configuration with this number and the settings without the sweep asked them.

    Raises ConfigError where the sweep still runs, was confirmed so before, or the writer cannot be asked.
    """
    if sweep.task is None or sweep.task.active:
        raise ConfigError(f"{sweep} is still at work. Wait until it is done.")
    if FRESH in sweep.state:
        raise ConfigError(f"{sweep} was confirmed with fresh pairs already. Generate another test set to ask more.")
    if not 1 <= pairs <= MOST_FRESH:
        raise ConfigError(f"1 to {MOST_FRESH} fresh pairs can be written, not {pairs}.")
    check_model(_writer(sweep, pairs).llm)
    change_state(sweep, lambda state: state.update({FRESH: {"pairs": pairs, "number": number}}))
    then(sweep, WRITE, FRESH)
    background.resume(sweep.task)


def start_fresh(*, sweep: Sweep, pairs: int, number: int) -> TestSet:
    """Return the test set of a sweep's fresh pairs; one that is not there yet is stored, to be written in this process.

    It is of the documents that the sweep's runs see. Raises ConfigError.
    """
    if (there := fresh_testset(sweep)) is not None:
        return there
    name = f"{sweep.testset.name[:90]}, fresh for sweep {sweep.pk}"
    spec = _writer(sweep, pairs)
    with transaction.atomic():  # a test set that the sweep does not know would keep its name for ever
        testset = start_generation(corpus=sweep.corpus, name=name, spec=spec, inline=True, beside=sweep.testset)
        testset.created = sweep.created
        testset.save(update_fields=["created"])
        found = {"pairs": pairs, "number": number, "testset": testset.pk}
        change_state(sweep, lambda state: state.update({FRESH: found}))
    return testset


def _writer(sweep: Sweep, pairs: int) -> GeneratorSpec:
    """Return how they are written: as the test set was, with another seed, and its share of out-of-scope questions."""
    written = GeneratorSpec.create(sweep.testset.generator)
    kinds = list(sweep.testset.questions.values_list("kind", flat=True))
    outside, inside = kinds.count(Question.Kind.OUT_OF_SCOPE), kinds.count(Question.Kind.SIMPLE)
    share = 0.0 if sweep.options["retrieval_only"] else outside / max(1, inside)
    wanted = min(MOST_FRESH, round(pairs * share))
    return written.afresh(pairs, wanted)
