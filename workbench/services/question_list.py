"""What the pages of a test set show: its rows, its questions in pairs, and evidence in its surroundings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.core.paginator import Page, Paginator
from django.db.models import Count, Min, Q, QuerySet

from evaluation.models import Evidence, Question, Run, TestSet
from evaluation.types import QUALITIES
from rag_pipeline.models import Corpus, Document

PAIRS_A_PAGE = 20
_AROUND = 140
_LONGEST = 600


@dataclass(frozen=True, slots=True)
class EvidencePassage:
    """Evidence with the text around it; `gold` is shortened in its middle where it is long."""

    document: Document
    start: int
    end: int
    page: int | None
    before: str
    gold: str
    after: str


@dataclass
class Pair:
    """The questions of one pair id: a simple one with its twin, or an out-of-scope one."""

    pair_id: str
    questions: list[Question] = field(default_factory=list)
    passages: list[EvidencePassage] = field(default_factory=list)

    @property
    def first(self) -> Question:
        """The simple question, or the only one there is."""
        return self.questions[0]


@dataclass(frozen=True)
class PairPage:
    """One page of pairs, and how many questions match in all."""

    pairs: list[Pair]
    page: Page
    shown: int
    total: int

    @property
    def new_ids(self) -> list[int]:
        """Questions of this page that nobody has judged yet."""
        questions = (question for pair in self.pairs for question in pair.questions)
        return [question.pk for question in questions if question.status == Question.Status.NEW]


@dataclass
class TestSetRow:
    """The newest version of a test set, with the earlier ones."""

    newest: TestSet
    earlier: list[TestSet] = field(default_factory=list)


def testset_rows(*, corpus: Corpus | None) -> list[TestSetRow]:
    """Return all test sets, those of `corpus` before others, newest first, each by its newest version with counts."""
    of_kind = {kind: Count("questions", filter=Q(questions__kind=kind)) for kind in Question.Kind.values}
    reviewed = Count("questions", filter=Q(questions__status=Question.Status.REVIEWED))
    found = TestSet.objects.select_related("corpus", "task").annotate(**of_kind, reviewed=reviewed)
    runs = dict(Run.objects.values_list("testset").annotate(count=Count("pk")).order_by())
    rows: dict[tuple[int, str], TestSetRow] = {}
    for testset in found.order_by("-version", "-id"):
        testset.run_count = runs.get(testset.pk, 0)  # type: ignore[attr-defined]
        row = rows.setdefault((testset.corpus_id, testset.name), TestSetRow(testset))
        if row.newest is not testset:
            row.earlier.append(testset)
    own = corpus.pk if corpus else None
    return sorted(rows.values(), key=lambda row: (row.newest.corpus_id == own, row.newest.created), reverse=True)


def newest_testsets(*, corpus_id: int) -> list[TestSet]:
    """Return the newest version of each test set of a corpus that is not being made."""
    found: dict[str, TestSet] = {}
    for testset in TestSet.objects.filter(corpus=corpus_id).select_related("task").order_by("-version"):
        found.setdefault(testset.name, testset)
    ready = [testset for testset in found.values() if testset.task is None or not testset.task.active]
    return sorted(ready, key=lambda testset: testset.created, reverse=True)


def pair_page(*, testset: TestSet, chosen: Mapping[str, str], number: str | None) -> PairPage:
    """Return one page of the pairs of which a question matches the filters."""
    matching = filtered(testset.questions.all(), chosen)
    order = matching.order_by().values("pair_id").annotate(place=Min("position")).order_by("place")
    page = Paginator(order.values_list("pair_id", flat=True), PAIRS_A_PAGE).get_page(number)
    pairs = pairs_of(testset.questions.filter(pair_id__in=list(page)))
    return PairPage(pairs, page, matching.count(), testset.questions.count())


def page_of(*, testset: TestSet, pair_id: str) -> int:
    """Return the number of the page, without filters, that shows a pair."""
    first = testset.questions.filter(pair_id=pair_id).aggregate(place=Min("position"))["place"]
    before = testset.questions.filter(position__lt=first or 0).values("pair_id").distinct().order_by().count()
    return before // PAIRS_A_PAGE + 1


_STORED_AS = {"quality": "metadata__quality"}
"""Where the value of a filter stands, if not in a field of its name."""


def filtered(questions: QuerySet[Question], chosen: Mapping[str, str]) -> QuerySet[Question]:
    """Return the questions that match; `text` is looked for in question and reference."""
    exact = {_STORED_AS.get(name, name): value for name, value in chosen.items() if name != "text"}
    found = questions.filter(**exact)
    if text := chosen.get("text"):
        found = found.filter(Q(text__icontains=text) | Q(reference_answers__icontains=text))
    return found


def newest_pairs(*, testset: TestSet, count: int) -> list[Pair]:
    """Return the last pairs written, the newest first."""
    order = testset.questions.order_by().values("pair_id").annotate(place=Min("position")).order_by("-place")
    ids = list(order.values_list("pair_id", flat=True)[:count])
    return pairs_of(testset.questions.filter(pair_id__in=ids))[::-1]


def pairs_of(questions: QuerySet[Question]) -> list[Pair]:
    """Return questions by pair, simple before complex, with their evidence."""
    pairs: dict[str, Pair] = {}
    for question in questions.order_by("position").prefetch_related("evidence"):
        pairs.setdefault(question.pair_id, Pair(question.pair_id)).questions.append(question)
    for pair in pairs.values():
        pair.questions.sort(key=lambda question: question.kind != Question.Kind.SIMPLE)
    evidence = [item for pair in pairs.values() for item in pair.first.evidence.all()]
    documents = Document.objects.in_bulk({item.document_id for item in evidence})
    for pair in pairs.values():
        pair.passages = passages(pair.first.evidence.all(), documents)
    return list(pairs.values())


def passages(
    evidence: Iterable[Evidence], documents: Mapping[int, Document], around: int = _AROUND, longest: int = _LONGEST
) -> list[EvidencePassage]:
    """Return evidence with the text around it."""
    return [_passage(documents[item.document_id], item.start, item.end, around, longest) for item in evidence]


def _passage(document: Document, start: int, end: int, around: int, longest: int) -> EvidencePassage:
    text, left, right = document.text, max(0, start - around), end + around
    gold = text[start:end]
    if len(gold) > longest:
        gold = f"{gold[: longest // 2]} … {gold[-longest // 2 :]}"
    return EvidencePassage(
        document=document,
        start=start,
        end=end,
        page=document.as_source().page_at(start),
        before=("… " if left else "") + _from_word(text[left:start], bool(left)),
        gold=gold,
        after=_to_word(text[end:right], right < len(text)) + (" …" if right < len(text) else ""),
    )


def _from_word(text: str, cut: bool) -> str:
    """Drop the half word at the start of a cut text, where there is one."""
    head, space, rest = text.partition(" ")
    return rest if cut and space and len(head) < 30 else text


def _to_word(text: str, cut: bool) -> str:
    rest, space, tail = text.rpartition(" ")
    return rest if cut and space and len(tail) < 30 else text


def transformations_of(testset: TestSet) -> list[str]:
    """Return the transformations there are in a test set, sorted."""
    found = testset.questions.exclude(transformation="").order_by("transformation")
    return list(found.values_list("transformation", flat=True).distinct())


def qualities_of(testset: TestSet) -> dict[str, int]:
    """Return how many pairs most likely are how good, the best first; those rejected and those unsaid are left out."""
    kept = testset.questions.filter(kind=Question.Kind.SIMPLE).exclude(status=Question.Status.REJECTED)
    counts = Counter(kept.values_list(_STORED_AS["quality"], flat=True))
    return {name: counts[name] for _, name in QUALITIES if counts[name]}


def is_read_again(testset: TestSet) -> bool:
    """Return whether a small language model had a say in which questions of a built-in set were asked."""
    return testset.questions.filter(kind=Question.Kind.SIMPLE, metadata__has_key="ranked_with").exists()


def counts_of(testset: TestSet) -> dict[str, int]:
    """Return how many questions there are of each kind and each status."""
    counts = testset.questions.order_by().values("kind", "status").annotate(count=Count("pk"))
    found = dict.fromkeys([*Question.Kind.values, *Question.Status.values], 0)
    for row in counts:
        found[row["kind"]] += row["count"]
        found[row["status"]] += row["count"]
    return found
