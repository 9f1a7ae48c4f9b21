"""Reading ease by language: counted by hand, and only where there is a formula."""

from __future__ import annotations

import pytest

from evaluation.metrics.base import metrics
from evaluation.metrics.language.syllables_by_language import syllables_in
from evaluation.types import Score
from tests.evaluation.samples import make_context, make_sample


def score(answer: str, **options: object) -> Score:
    unit = metrics.get("reading_ease")
    return unit(unit.Options(**options)).score_many([make_sample(answer=answer)], make_context())[0]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Kat-ze Mat-te Ei-sen-bahn Do-nau-dampf-schiff o-der a-ber sitzt Ü-bung wo"),
        ("es", "a-gua ca-sa u-ni-ver-si-dad mur-cié-la-go a-é-re-o o-ír pa-ís bue-no"),
        ("fr", "mai-son grande é-cole i-dée vo-yage bi-blio-thèque pe-tite le ils parlent"),
        ("it", "a-mi-co gat-to u-ni-ver-si-tà a-iuo-la bel-lo pa-e-se"),
        ("nl", "kat oe-fe-ning u-ni-ver-si-teit ei-gen wa-ter"),
        ("pt", "á-gua ca-sa u-ni-ver-si-da-de co-ra-ção"),
        ("ru", "кош-ка у-ни-вер-си-тет я-бло-ко о-на в"),
    ],
)
def test_syllables_of_common_words(language, words):
    counted = {word.replace("-", ""): syllables_in(word.replace("-", ""), language) for word in words.split()}
    wanted = {word.replace("-", ""): word.count("-") + 1 for word in words.split()}
    assert counted == wanted


@pytest.mark.parametrize(
    ("language", "answer", "value"),
    [
        ("de", "Die Katze sitzt auf der Matte.", 180 - 6 - 58.5 * 8 / 6),
        ("en", "The cat sat on the mat.", 206.835 - 1.015 * 6 - 84.6),
        ("es", "El gato bebe agua en la casa.", 206.84 - 1.02 * 7 - 60 * 11 / 7),
        ("fr", "Le chat dort dans la maison.", 207 - 1.015 * 6 - 73.6 * 7 / 6),
        ("it", "Il gatto beve acqua nella casa.", 206 - 6 - 65 * 11 / 6),
        ("nl", "De kat zit op de mat.", 206.84 - 0.93 * 6 - 77),
        ("pt", "O gato bebe na casa da avó.", 248.835 - 1.015 * 7 - 84.6 * 11 / 7),
        ("ru", "Кошка сидит на окне у двери.", 206.835 - 1.3 * 6 - 60.1 * 10 / 6),
    ],
)
def test_the_formula_of_each_language_by_hand(language, answer, value):
    found = score(answer, language=language)
    assert found.value == pytest.approx(value)
    assert found.details["language"] == language


def test_english_is_the_flesch_reading_ease():
    answer = "The decree was issued in Memphis in 196 BC. It was found by French soldiers in July 1799."
    flesch = metrics.get("flesch_reading_ease")().score_many([make_sample(answer=answer)], make_context())[0]
    assert score(answer, language="en").value == pytest.approx(flesch.value)


def test_the_language_is_told_from_the_answer():
    german = "Der Stein wurde im Juli 1799 von französischen Soldaten in der Nähe der Stadt Rashid gefunden."
    assert score(german).details["language"] == "de"
    harder = "Die grundbuchrechtliche Eigentumsübertragungserklärung bedarf notarieller Beglaubigung."
    assert score(german).value > score(harder, language="de").value


@pytest.mark.parametrize(
    ("answer", "options", "reason"),
    [
        ("石は1799年に見つかった。これは長い文章です。", {}, "is in “ja”; there are formulas for de, en"),
        ("12 345", {}, "has no words"),
        ("Die Katze.", {"language": "de"}, "fewer than 5 words"),
    ],
)
def test_what_has_no_formula_is_null_with_its_reason(answer, options, reason):
    found = score(answer, **options)
    assert found.value is None
    assert reason in found.reason
