"""Our own eval.csv read as answers: of a run here, or of another workbench."""

from __future__ import annotations

from evaluation.exchange.base import AnswersReader, formats
from evaluation.exchange.csv_cells import CSV_TYPE, restore
from evaluation.exchange.fields import json_cell
from evaluation.exchange.formats.answers_table import number
from evaluation.exchange.formats.eval_csv import COLUMNS
from evaluation.exchange.rag_tasks import LABEL, METADATA, TAKEN, Answered, Task, read_each
from evaluation.exchange.uploads import Upload

_SAME = ("question_id", "pair_id", "kind", "transformation", "error", "question", "answer", "error_message")


@formats.register
class AnswersOfEvalCsv(AnswersReader):
    """It has one reference and no evidence, so what needs these stays null; answers.jsonl of the same run has all."""

    key = "answers_of_eval_csv"
    label = "an eval.csv of a workbench"
    help = "eval.csv of a workbench"
    looks = "eval.csv (columns question_id, pair_id, kind …)"
    extensions = (".csv",)
    content_type = CSV_TYPE

    def recognises(self, upload: Upload) -> bool:
        """Its own columns are there."""
        return not upload.begins_with("[") and upload.columns >= set(COLUMNS)

    def read(self, upload: Upload) -> Answered:
        """Return each row's object and its sample. Raises ConfigError."""
        return read_each(upload.rows, _task)


def _task(row: dict[str, str]) -> Task:
    references = [restore(row["reference_answer"])] if row["reference_answer"].strip() else []
    return {
        **{name: restore(row[name]) for name in _SAME if row[name].strip() or name == "answer"},
        "contexts": json_cell(row["contexts"], "contexts", list),
        "contexts_id": json_cell(row["contexts_id"], "contexts_id", list),
        "reference_answers": references,
        LABEL: row["kind"].strip() != "out_of_scope",
        METADATA: json_cell(row["metadata"], "metadata", dict),
        **{name: number(row[name], name) for name in TAKEN if row[name].strip()},
    }
