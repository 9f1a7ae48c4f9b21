"""The kind of entity that a name or noun phrase means, by its words: a person, a role, a place, an organisation."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from evaluation.question_writers.rules.phrases import Tokens
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


_ROLE = re.compile(
    r"(?:trustee|employee|appointee|debtor|creditor|auditor|attorney|officer|lawyer|[a-z]{4}[^kl]ist|[ae]list|ician|"
    r"(?:clergy|noble|states|sports|business|crafts|fisher|police|spokes|chair|congress)(?:wo)?man)$"
)
PERSON_NOUNS = word_set(
    "actor actress ambassador architect artist astronomer attorney author bishop builder captain champion chancellor "
    "chemist clerk coach commander composer creator daughter dean designer director doctor economist editor emperor "
    "engineer father founder general governor guitarist historian husband illustrator inventor journalist judge "
    "justice king lawyer leader lecturer lieutenant manager mathematician mayor merchant meteorologist minister "
    "missionary monk mother musician novelist nurse officer originator owner painter philosopher photographer "
    "physician physicist pianist player poet politician pope president priest prince princess producer professor "
    "prophet psychologist publisher queen researcher scholar scientist secretary senator sergeant singer soldier son "
    "songwriter spokesman student surgeon teacher theologian trustee wife writer zoologist man woman girl boy brother "
    "sister nobleman noblewoman member individual person people party hero heroine employee"
)


def is_somebody(tokens: Tokens) -> bool:
    """Return whether a noun phrase means a person or somebody in a role (`the United States Trustee`)."""
    of_at = next((at for at, token in enumerate(tokens) if at and token.tag in {"IN", "TO", "WDT", "WP"}), len(tokens))
    head = [token for token in tokens[:of_at] if token.is_noun][-1:]
    if not head:
        return False
    word = head[0].lower.rstrip("s") if head[0].tag in {"NNS", "NNPS"} else head[0].lower
    return is_person(tokens) or word in PERSON_NOUNS or _ROLE.search(word) is not None


def is_person(tokens: Tokens) -> bool:
    """Return whether a noun phrase names one person: a title or given name with another name."""
    words = [token for token in tokens if token.text not in {",", "."}]
    return looks_like_person([token.text for token in words if token.lower != "the"]) and all(
        token.is_name or token.lower.rstrip(".") in TITLES | {"of", "the"} for token in words
    )


def not_a_person(words: list[str]) -> bool:
    """Return whether a word of a name marks it as a place, an organisation or an event."""
    return any(word.lower().rstrip(".") in _NOT_PEOPLE for word in words)


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
