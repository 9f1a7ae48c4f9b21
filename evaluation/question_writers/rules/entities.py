"""Whether capitalised words are a person's name."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from rag_pipeline.english.lemmas import parts_of_speech
from rag_pipeline.english.words import word_set

TITLES = word_set(
    "lt gen col capt sgt maj adm rev prof sen gov hon mr mrs ms miss dr sir lord lady king queen prince "
    "princess emperor empress pope president judge justice chancellor senator captain general colonel major "
    "lieutenant admiral commander professor saint st bishop archbishop duke duchess count countess baron "
    "secretary governor mayor chief"
)
PLACE_WORDS = word_set(
    "river street avenue road square park island islands mountain mountains lake sea ocean bay valley city town "
    "village county state province district palace castle bridge airport station garden gardens forest desert "
    "hill hills peninsula coast harbor harbour cathedral church basilica stadium tower building hall cemetery "
    "fort plaza"
)
ORGANISATION_WORDS = word_set(
    "university college school institute academy company corporation inc ltd bank agency ministry department "
    "office court council committee commission association society union party club team league foundation museum "
    "library theatre orchestra army navy force forces government congress parliament senate press network group "
    "bureau board exchange trust service studio studios records hospital authority administration organization "
    "organisation"
)
_NOT_PEOPLE = (
    PLACE_WORDS
    | ORGANISATION_WORDS
    | word_set(
        "empire war wars battle treaty act code law rule section chapter revolution kingdom republic commonwealth "
        "dynasty century north south east west new world international national american british french german "
        "polish roman house uprising conference edict version chronicles game award awards cup bowl company "
        "ghetto edition title plan"
    )
)


@lru_cache(maxsize=1)
def given_names() -> frozenset[str]:
    """Return the shipped given names in lower case."""
    lines = (Path(__file__).parent / "given_names.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(name.lower() for line in lines if not line.startswith("#") for name in line.split())


def looks_like_person(words: list[str]) -> bool:
    """Return whether capitalised words read as a person's name."""
    lower = [word.lower().rstrip(".") for word in words]
    if not 2 <= len(words) <= 5 or any(word in _NOT_PEOPLE for word in lower) or "and" in lower:
        return False
    if lower[0] in TITLES and "of" not in lower:
        return lower[-1] in given_names() or not parts_of_speech(lower[-1])
    if "of" in lower or not all(word[0].isupper() for word in words):
        return False
    initials = any(re.fullmatch(r"(?:[A-Z]\.)+", word) for word in words[:-1])
    return lower[0] in given_names() or (initials and len(words) > 1)
