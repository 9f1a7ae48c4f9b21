"""Whether a candidate can be asked: understood without its passage, with one answer, which it does not contain."""

from __future__ import annotations

import re

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.phrasing import CandidateQuestion
from evaluation.question_writers.rules.sufficiency import insufficiency
from evaluation.question_writers.rules.usable_sentences import POINTING
from rag_pipeline.english.function_words import FIRST_SECOND, MONTHS, PERSONAL, STOP
from rag_pipeline.english.lemmas import content_lemmas, lemma, lower_words, parts_of_speech
from rag_pipeline.english.numbers import NUMBER_WORDS
from rag_pipeline.english.penn_tags import tag
from rag_pipeline.english.words import word_set

_WH = re.compile(r"^under what condition|\b(?:how many|what percentage of)\b", re.IGNORECASE)
MAX_QUESTION_WORDS = 32
MAX_ANSWER_WORDS = 32
_LEAST_OF_A_SCENE = 4
_NEW_LEMMAS = 3
_SOME = word_set("several some many various certain numerous additional further other more different similar")
_NOTHING = word_set("no none nothing nobody neither")
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
_THAT_ONE = re.compile(r"\b(?:of|in|under|by|on|to|with|\w+ed) that [A-Z]\w+(?:,|\?)")
_NO_END = word_set("when where who which that and or because the a an is was were are be if while its their")
_OWNED = word_set("its their his her")
_KNOWN_TO_ALL = word_set(
    "world sun moon sky earth public internet government president country nation law economy environment future "
    "past population majority start use time year day night week month name north south east west middle ground sea "
    "air weather market united right left bible body"
)
_ANAPHORIC = word_set(
    "information request matter report policy amount process review result finding issue project circumstance "
    "problem group case section area part side line place point event decision claim question answer statement "
    "method system change difference effect cause reason fact item list rule requirement provision exception "
    "character player game team season film song statute album book story article author man woman child person people "
    "building ship attack battle war act party company city town village river museum school episode show number "
    "structure site house street region district unit approach thing idea term word example study plan work committee"
)
_UNSAID = word_set("this these those such same above former latter respectively here there")
_VAGUE_FIRST = word_set(
    "primary main key common important typical major famous significant notable early numerous later further "
    "additional recent new examples example work "
    "works specific certain various different appropriate proper level extent degree"
)
_INSTRUCTIONS = frozenset({"how_to", "in_case", "needed", "term", "shown"})
_OF_SOMETHING = word_set("field value property method function option argument result output call object string list")
_READER = word_set("you your yourself")
_DEFINITE = re.compile(r"\bthe (?=[\w’'“-])", re.IGNORECASE)


def objection(candidate: CandidateQuestion, corpus: CorpusStatistics) -> str:
    """Return why a question cannot be asked, or an empty string."""
    if candidate.kind in _INSTRUCTIONS:
        return instruction_objection(candidate, corpus)
    found = lower_words(candidate.text)
    if not (3 if candidate.kind in {"definition", "identity"} else 4) <= len(found) <= MAX_QUESTION_WORDS:
        return "too short or too long"
    answer_words = lower_words(candidate.answer)
    if not 1 <= len(answer_words) <= MAX_ANSWER_WORDS or not re.search(r"\w", candidate.answer):
        return "no usable answer"
    bare_answer = lower_words(candidate.answer.replace("such as", ""))
    reader = _READER if corpus.is_technical else frozenset()
    named = {"it", "they", "he", "she"} if candidate.kind == "why" and not set(found) & PERSONAL else set()
    loose = set(bare_answer[:3]) & (((PERSONAL - _OWNED) | POINTING) - named) or set(bare_answer) & (
        _UNSAID | FIRST_SECOND - reader
    )
    if loose or answer_words[-1] in STOP - {"one", "two"} or _bare_definite(candidate, corpus):
        return "the answer needs its neighbours"
    if len(answer_words) <= 3 and answer_words[0] in _SOME:
        return "the answer says nothing particular"
    if candidate.kind == "condition" and re.search(r",.* and ", candidate.answer):
        return "the answer runs on"
    vague = _says_little(candidate, answer_words, corpus)
    if vague:
        return vague
    if candidate.kind == "required" and len(answer_words) == 1:
        return "the answer is cut short"
    if re.match(r"(?:\w+ )?not (?:just|only)\b", candidate.answer) and " but " not in candidate.answer:
        return "the answer is cut short"
    if answer_words[0] in {"either", "both"} and not {"or", "and"} & set(answer_words):
        return "the answer is cut short"
    if candidate.kind in {"definition", "identity"} and set(answer_words) & _OWNED:
        return "the answer needs its neighbours"
    if answer_words[0] in _OWNED and candidate.kind not in {"where"}:
        return "the answer needs its neighbours"
    if found[-1] in _NO_END and not candidate.text.endswith(" intended to be?"):
        return "the question is cut short"
    if _gives_away(candidate):
        return "holds its answer"
    if any(part.count('"') % 2 or part.count("(") != part.count(")") for part in (candidate.text, candidate.answer)):
        return "cuts a quotation or a bracket"
    if candidate.kind in {"item", "entry"}:
        return "the answer needs its neighbours" if answer_words[0] == "see" else ""
    again = _names_several(candidate, answer_words, corpus)
    unclear = (
        again or _unclear(candidate, found) or _undetermined(candidate, corpus) or _names_nothing(candidate, corpus)
    )
    return unclear or insufficiency(candidate, corpus)


def instruction_objection(candidate: CandidateQuestion, corpus: CorpusStatistics) -> str:
    """Return why a question about a technical text cannot be asked, or an empty string."""
    found, answer_words = lower_words(candidate.topic), lower_words(candidate.answer)
    if not found or len(found) > MAX_QUESTION_WORDS or not 1 <= len(answer_words) <= MAX_ANSWER_WORDS:
        return "too short or too long"
    loose = {word.partition("'")[0] for word in answer_words[:2]} & (PERSONAL | POINTING) or set(answer_words) & (
        _UNSAID | FIRST_SECOND - _READER
    )
    first = re.match(r"the (\w+) ", candidate.answer)
    of_something = first is not None and first.group(1) in _OF_SOMETHING - set(found)
    if (loose or of_something or answer_words[-1] in STOP - {"one", "two"}) and candidate.kind != "shown":
        return "the answer needs its neighbours"
    if candidate.kind != "shown" and _gives_away(candidate):
        return "holds its answer"
    if candidate.kind == "term":
        return ""  # a name with one entry
    if (
        set(found) & (PERSONAL - _OWNED | POINTING | FIRST_SECOND - _READER)
        or found[-1] in _NO_END
        or found[-2:-1] == ["that"]
    ):
        return "points outside itself"
    lemmas = set(content_lemmas(candidate.topic))
    if len(lemmas) < 2 or set(found) & _NOTHING:
        return "names too little"
    if corpus.sentences_with(lemmas) > 1:
        return "could mean another passage"
    return _unsaid_which(candidate.topic, corpus)


def _unsaid_which(text: str, corpus: CorpusStatistics) -> str:
    """Return an objection where `the x` is no term of the document and is not specified."""
    for match in _DEFINITE.finditer(text):
        own, after = _own_words(text[match.end() :])
        if not own:
            return "does not say which"
        own = [word for word in own if word not in NUMBER_WORDS] or own[-1:]
        named = len(own) > 1 or not own[0].isalpha() or own[0][0].isupper()
        if not named and not corpus.is_repeated(own[0]) and not _said_which(after, generic=True):
            return f"does not say which {own[-1]}"
    return ""


def _says_little(candidate: CandidateQuestion, answer_words: list[str], corpus: CorpusStatistics) -> str:
    """Return an objection to an empty answer, or to a definition of nothing particular."""
    if answer_words[0] in _NOTHING and candidate.kind != "held":
        return "the answer says nothing particular"
    if candidate.kind == "done_to" and answer_words[-1] in MONTHS:
        return "the answer is cut short"
    if candidate.kind in {"definition", "identity", "stated_of"} and candidate.topic.startswith(
        tuple(corpus.narrators)
    ):
        return "names nothing particular"
    if candidate.kind == "definition" and not candidate.generic and re.match("an? ", candidate.topic):
        return "names nothing particular"
    if _THAT_ONE.search(candidate.text):
        return "points outside itself"
    return ""


def _names_several(candidate: CandidateQuestion, answer_words: list[str], corpus: CorpusStatistics) -> str:
    """Return an objection where a looser form may mean another person or another passage."""
    if candidate.kind in {"stated_of", "deed", "happens"} and set(answer_words) & {"his", "her", "him", "them"}:
        return "the answer needs its neighbours"
    if candidate.kind == "stated_of" and corpus.sentences_with_nearby(content_lemmas(candidate.topic)) != 1:
        return "could mean another passage"
    if sum(candidate.text.count(narrator) for narrator in corpus.narrators) > 1:
        return "names the same one twice"
    return ""


def _bare_definite(candidate: CandidateQuestion, corpus: CorpusStatistics) -> bool:
    """Return whether an answer is `the park`, which only its passage specifies."""
    article, _, noun = re.sub(r"^(?:in|at|on|by|from|to) ", "", candidate.answer).partition(" ")
    return article.lower() == "the" and noun.isalpha() and noun.islower() and not corpus.is_used_throughout(noun)


def _gives_away(candidate: CandidateQuestion) -> bool:
    if candidate.kind == "held":
        return len(set(content_lemmas(candidate.answer)) - set(content_lemmas(candidate.text))) < _NEW_LEMMAS
    if candidate.kind in {"how_many", "measure"}:
        return candidate.answer.lower() in candidate.text.lower()
    answer = set(content_lemmas(candidate.answer))
    if candidate.answer.lower() in candidate.text.lower():
        return True
    asked_for = re.sub(r"^(.*?)\bwhich \w+", r"\1", candidate.text, flags=re.IGNORECASE)
    if candidate.kind == "which" and re.fullmatch(r"[Tt]he \w+", candidate.answer):
        return True
    return bool(answer) and len(answer & set(content_lemmas(asked_for))) > 0.5 * len(answer)


def _unclear(candidate: CandidateQuestion, found: list[str]) -> str:
    allowed = {"others"} if " and others" in candidate.text else set()  # the narrator and others
    if set(found) & ((FIRST_SECOND | POINTING) - allowed) or "the next" in candidate.text.lower():
        return "points outside itself"
    pronouns = set(found) & PERSONAL
    if pronouns - _OWNED - {"itself", "themselves"}:
        return "has a pronoun"
    if pronouns and candidate.kind in {"who", "which", "identity"}:
        return "has a pronoun before its name"
    first = min((candidate.text.lower().find(f" {pronoun} ") for pronoun in pronouns), default=0)
    if pronouns and first < candidate.text.find(candidate.topic):
        return "has a pronoun before its name"
    if pronouns & {"his", "her"} and not re.search(r"[a-z] [A-Z]", candidate.text):
        return "has a pronoun without a name"
    return ""


def _undetermined(candidate: CandidateQuestion, corpus: CorpusStatistics) -> str:
    """Return an objection when `the game` or `the city` is not specified."""
    text = candidate.text.rstrip("?")
    for match in _DEFINITE.finditer(text):
        own, after = _own_words(text[match.end() :])
        if not own:
            return "does not say which"
        if any(word[0].isupper() or word[0].isdigit() for word in own) or f"the {own[0]}" in corpus.narrators:
            continue
        phrase, head = " ".join(own).lower(), lemma(own[-1].lower())
        clear = head not in _ANAPHORIC
        if own[-1].lower() in _KNOWN_TO_ALL or (clear and corpus.is_used_throughout(phrase)):
            continue
        if candidate.generic and (len(own) > 1 or clear) and corpus.is_frequent_term(phrase):
            continue
        if clear and not corpus.is_collection and corpus.is_frequent_term(phrase):
            continue
        if candidate.generic and (corpus.is_section(phrase) or head in content_lemmas(text[: match.start()])):
            continue
        opens = len(own) < 3 and candidate.topic.lower().startswith(f"the {phrase}") and not corpus.is_title(phrase)
        if len(own) >= (2 if candidate.generic else 3) and clear and (not opens or "," in text[: match.start()]):
            continue
        if _said_which(after, generic=candidate.generic):
            continue
        return f"does not say which {own[-1]}"
    return ""


def _said_which(after: str, *, generic: bool) -> bool:
    """Return whether what follows `the x` specifies it: `of Poland`, `that …`, in general rules also `of a y`."""
    first, _, rest = after.strip().partition(" ")
    if first not in {"of", "that", "which", "who", "for", "between", "in", "on", "to", "from"}:
        return False
    near = " ".join(rest.split()[:7])
    return bool(re.search(r"\b[A-Z]", near)) or (generic and first in {"of", "that", "who", "for", "between"})


def _own_words(text: str) -> tuple[list[str], str]:
    """Return the words of a noun phrase whose article stood before `text`, and what follows them."""
    kept: list[str] = []
    end = 0
    for token in tag(f"the {text}")[1:]:
        if token.tag not in {"JJ", "JJS", "JJR", "NN", "NNS", "NNP", "NNPS", "CD", "POS", "VBG", "RBS", "VBN", "RB"}:
            break
        if token.tag in {"VBN", "VBG", "RB"} and kept and kept[-1].isalpha() and end and _noun_before(kept[-1]):
            break
        kept.append(token.text)
        end = token.end - 4
    return kept, text[end:]


def _noun_before(word: str) -> bool:
    return "NOUN" in parts_of_speech(word)


def _names_nothing(candidate: CandidateQuestion, corpus: CorpusStatistics) -> str:
    """Return an objection when the question has too few words of its own, or other sentences hold all of them."""
    if candidate.kind == "stands_for":
        return ""
    names = _names_in(candidate.text, corpus)
    topic = re.sub(r"^(?:the|an?) ", "", candidate.topic)
    known_term = len(topic.split()) > 1 or corpus.sentences_with(content_lemmas(topic)) >= 3
    if candidate.kind == "definition":
        vague = not (names or known_term) or (
            not candidate.topic.startswith("the ") and topic.split()[0] in _VAGUE_FIRST
        )
        return _defined_again(topic, corpus) or ("names nothing particular" if vague else "")
    lemmas = lemmas_of(candidate, corpus)
    if candidate.kind == "stated_of" and len(lemmas) > 1:
        return ""  # that the corpus speaks of it but once is known by now
    narrated = candidate.topic.startswith(tuple(corpus.narrators))
    if narrated and len(lemmas) < _LEAST_OF_A_SCENE and (not lemmas or corpus.sentences_with(lemmas) != 1):
        return "names too little"
    fixed = narrated or corpus.is_used_throughout(topic)
    dated = candidate.kind in {"who", "which"} and _YEAR.search(candidate.text) is not None
    if not (names or fixed or dated) and (not candidate.generic or candidate.kind == "how_many"):
        return "names nothing particular"
    sure = len(names) > 1 or any(" " in name for name in names)
    counted = candidate.kind == "how_many" and _YEAR.search(candidate.text) is not None
    if not candidate.generic and not sure and not counted and _is_indefinite(candidate.topic):
        return "names nothing particular"
    if not (names or fixed or dated) and corpus.is_collection and not corpus.is_title(topic):
        return "names nothing particular"
    if not (names or fixed) and _is_one_off(candidate.topic, corpus):
        return "names nothing particular"
    one = candidate.kind in {"which", "identity"} or (candidate.kind == "who" and not candidate.generic)
    if one and not (names or _YEAR.search(candidate.text)):
        return "names nothing particular"
    if not names and not fixed and not known_term and len(lemmas) < 5:
        return "names nothing particular"
    if len(lemmas) < (1 if narrated else 2 if names or fixed else 3):
        return "names too little"
    if candidate.kind in {"required", "sought"} and candidate.generic and not names and "," not in candidate.text:
        return "names too little"
    vague = candidate.kind in {"what", "content", "list"} and not (
        candidate.generic and len(candidate.answer.split()) > 2
    )
    if vague and not narrated and _only_a_verb(lemmas, topic, corpus):
        return "names too little"
    return "could mean another passage" if corpus.sentences_with_nearby(lemmas) > 1 else ""


def lemmas_of(candidate: CandidateQuestion, corpus: CorpusStatistics) -> set[str]:
    """Return the lemmas of the words that specify what is asked."""
    text = candidate.topic if candidate.kind == "stated_of" else _WH.sub("", corpus.without_narrators(candidate.text))
    return set(content_lemmas(text))


def _is_indefinite(topic: str) -> bool:
    """Return whether a subject is indefinite: `a website`, `two maps`, `cards`."""
    if re.match(r"(?:an?|several|multiple|many|some|two|three|four) ", topic):
        return True
    definite = re.match(r"(?:the|its|their|his|her) |.*['’]s? ", topic) or topic.split()[-1][:1].isupper()
    return not definite and not re.search(r"[A-Z0-9]", topic.split()[-1])


def _is_one_off(topic: str, corpus: CorpusStatistics) -> bool:
    """Return whether a general question is about something that is mentioned once or named vaguely."""
    first = re.sub(r"^(?:the|an?) ", "", topic).split()[0].lower()
    return first in _VAGUE_FIRST or (
        topic.startswith(("a ", "an ")) and corpus.sentences_with(content_lemmas(topic)) < 2
    )


def _only_a_verb(lemmas: set[str], topic: str, corpus: CorpusStatistics) -> bool:
    """Return whether besides a frequent subject only the verb specifies what is asked."""
    subject = set(content_lemmas(topic))
    return len(lemmas - subject) <= 1 and corpus.sentences_with(subject) > 3


def _names_in(text: str, corpus: CorpusStatistics) -> list[str]:
    """Return the capitalised runs of a question that are names."""
    runs = re.findall(r"(?:(?<=[a-z,’'] )|^)[A-Z][\w’'.-]*(?: [A-Z][\w’'.-]*)*", text)
    found = []
    for run in runs:
        first = run.split()[0].strip("'’.,")
        plural = first.endswith("s") and "NOUN" in parts_of_speech(first)
        mere_word = " " not in run and ("ADJ" in parts_of_speech(first) or plural)
        if first not in {"What", "When"} and not mere_word and corpus.is_name(first):
            found.append(run)
    return found


def _defined_again(topic: str, corpus: CorpusStatistics) -> str:
    pattern = re.compile(rf"\b{re.escape(topic)}(?: (?:is|are|was|were)|,) (?:an?|the) ", re.IGNORECASE)
    texts = {one.text for some in corpus.sentences.values() for one in some}
    hits = sum(len(pattern.findall(text)) for text in texts)
    return "could mean another passage" if hits > 1 else ""
