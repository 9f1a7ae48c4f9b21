"""Which format a file of questions is in, and its questions."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import finished
from evaluation.exchange.output_csv import read_output
from evaluation.exchange.problems import refuse
from evaluation.exchange.question_lists import read_lists
from evaluation.exchange.reference_csv import read_reference_rows
from evaluation.exchange.tables import File, cells, decoded, table
from evaluation.exchange.task_jsonl import read_tasks
from evaluation.types import DraftQuestion
from rag_pipeline.types import SourceDoc

OUTPUT_NEEDS = {"question", "kind"}
REFERENCE_NEEDS = {"question", "references", "corpus_id"}
_KNOWN = (
    "Known are: output.csv (columns question, kind …), a CSV of question, references, corpus_id, "
    "two files of one column each (questions and answers), and JSONL with a question in each line."
)


def read_questions(file: File, answers: File | None, documents: Sequence[SourceDoc]) -> list[DraftQuestion]:
    """Return the questions of a file, given as (name, bytes). Raises ConfigError naming row and reason."""
    return finished(_read(file, answers, Documents(documents)))


def _read(file: File, answers: File | None, documents: Documents) -> list[DraftQuestion]:
    text = decoded(file).replace("\x00", "")
    if answers is not None:
        return read_lists(cells(text, file[0]), cells(decoded(answers).replace("\x00", ""), answers[0]))
    if text.lstrip().startswith("{"):
        return read_tasks(text, documents)
    header, rows = table(text, file[0])
    if header >= REFERENCE_NEEDS and "kind" not in header:
        return read_reference_rows(rows, documents)
    if header >= OUTPUT_NEEDS:
        return read_output(rows, documents)
    if len(header) == 1:
        raise refuse(f"“{file[0]}” has only questions. Give the file with their answers too.")
    raise refuse(f"“{file[0]}” is in no known format. {_KNOWN}")
