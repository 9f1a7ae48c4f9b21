"""Two files of one column each: questions and, in the same order, their answers."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.exchange.base import TestSetReader, formats
from evaluation.exchange.csv_cells import CSV_TYPE, restore
from evaluation.exchange.evidence import Documents
from evaluation.exchange.fields import question_text
from evaluation.exchange.problems import RowError, each_row, refuse
from evaluation.exchange.uploads import Upload
from evaluation.types import DraftQuestion
from rag_pipeline.english.wording import counted

QUESTION_HEADS = ("question", "questions")
ANSWER_HEADS = (
    "answer", "answers", "reference", "references", "reference_answer", "reference_answers", "ground_truth",
)  # fmt: skip


@formats.register
class SeparateFiles(TestSetReader):
    """Simple questions with a reference answer and no evidence.

    A first row such as “question” or “answer” is a header; without one the first row is a question.
    """

    key = "separate_files"
    label = "two files of one column each, questions and answers"
    help = "questions.csv with its answers.csv, one column each, in the same order"
    looks = "two files of one column each (questions and answers)"
    extensions = (".csv",)
    content_type = CSV_TYPE
    takes_answers = True

    def recognises(self, upload: Upload) -> bool:
        """Two files are nothing else."""
        return upload.second is not None

    def read(self, upload: Upload, documents: Documents) -> list[DraftQuestion]:
        """Return the questions. Raises ConfigError."""
        assert upload.second is not None
        questions, answers = upload.cells(), upload.second.cells()
        texts, head = _column(questions, QUESTION_HEADS, "questions")
        references, _ = _column(answers, ANSWER_HEADS, "answers")
        if len(texts) != len(references):
            numbers = f"{counted(len(texts), 'question')} but {counted(len(references), 'answer')}"
            raise refuse(f"There are {numbers}; both files need the same rows.")
        rows = [
            (f"Row {number + head}", (number, text, reference))
            for number, (text, reference) in enumerate(zip(texts, references, strict=True), 1)
        ]
        return each_row(rows, lambda row: _draft(*row))


def _draft(number: int, text: str, reference: str) -> DraftQuestion:
    question = question_text(restore(text))
    if not reference.strip():
        raise RowError("the answer is empty. Import out-of-scope questions as output.csv with their kind.")
    name = f"q{number:03d}"
    return DraftQuestion(name, name, "simple", question, (restore(reference).strip(),), split="")


def _column(rows: Sequence[list[str]], heads: Sequence[str], what: str) -> tuple[list[str], int]:
    """Return the cells of a one-column file without header, and the number of header rows."""
    while rows and not any(cell.strip() for cell in rows[-1]):
        rows = rows[:-1]
    wide = next((number for number, row in enumerate(rows, 1) if len(row) > 1), None)
    if wide is not None:
        raise refuse(
            f"The file of {what} has more than one column in row {wide}. "
            "Put a text with a comma in quotes, one question or answer a row."
        )
    cells = [row[0] if row else "" for row in rows]
    head = bool(cells) and cells[0].strip().lower() in heads
    return cells[head:], int(head)
