"""A data folder with many runs: one real run, its rows copied by SQL."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.bench.limits import used_by
from workbench.services.sample import sample_files

CORPUS, TESTSET = "Sample", "Questions"


class _Copier:
    """Copies rows of the one run of a database, with some columns changed."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def columns(self, table: str) -> list[str]:
        return [each[1] for each in self._connection.execute(f"PRAGMA table_info({table})")]

    def copy(self, table: str, where: str, **changed: object) -> int:
        """Copy rows; `changed`: columns as SQL. Return the id of the last copy."""
        names = [name for name in self.columns(table) if name != "id" or "id" in changed]
        values = [str(changed.get(name, f'"{name}"')) for name in names]
        quoted = ",".join(f'"{name}"' for name in names)
        done = self._connection.execute(
            f"INSERT INTO {table} ({quoted}) SELECT {','.join(values)} FROM {table} {where}"
        )
        return done.lastrowid or 0

    def one(self, query: str) -> int:
        return int(self._connection.execute(query).fetchone()[0])

    def more_questions(self, count: int) -> None:
        """Let the run have `count` questions with answers and scores."""
        questions = [each[0] for each in self._connection.execute("SELECT id FROM evaluation_question")]
        for number in range(len(questions), count):
            old = questions[number % len(questions)]
            name = f"question_id || '-{number}'"
            new = self.copy("evaluation_question", f"WHERE id = {old}", question_id=name, position=number)
            self.copy("evaluation_evidence", f"WHERE question_id = {old}", question_id=new)
            asked = self.one(f"SELECT id FROM evaluation_answer WHERE question_id = {old}")
            answer = self.copy("evaluation_answer", f"WHERE id = {asked}", question_id=new)
            self.copy("evaluation_metricscore", f"WHERE answer_id = {asked}", answer_id=answer)

    def more_runs(self, count: int) -> None:
        """Let there be `count` runs, of 100 chunk sizes."""
        last = self.one("SELECT max(id) FROM evaluation_answer")
        for number in range(1, count):
            of_first = "WHERE run_id = 1"
            task = self.copy(
                "rag_pipeline_backgroundtask", "WHERE id = (SELECT task_id FROM evaluation_run WHERE id = 1)"
            )
            size = f"json_set(pipeline, '$.chunk_size', {200 + 10 * (number % 100)})"
            run = self.copy("evaluation_run", "WHERE id = 1", name=f"'Run {number}'", task_id=task, pipeline=size)
            moved = last * number
            self.copy("evaluation_answer", of_first, id=f"id + {moved}", run_id=run)
            scoring = self.copy("evaluation_scoring", of_first, run_id=run)
            scored = "WHERE scoring_id = (SELECT id FROM evaluation_scoring WHERE run_id = 1)"
            self.copy("evaluation_metricscore", scored, scoring_id=scoring, answer_id=f"answer_id + {moved}")
            self.copy("evaluation_runmetric", scored, scoring_id=scoring)


def make_many_runs(data: Path, runs: int, questions: int) -> None:
    """Fill the data folder with `runs` scored runs of `questions` questions."""
    data.mkdir()
    used_by(data, "ingest", *map(str, sample_files()), "--corpus", CORPUS)
    used_by(data, "generate_testset", "--corpus", CORPUS, "--name", TESTSET)
    used_by(data, "evaluate", "--corpus", CORPUS, "--testset", TESTSET)
    connection = sqlite3.connect(data / "workbench.sqlite3")
    connection.execute("PRAGMA synchronous=OFF")
    with connection:
        copier = _Copier(connection)
        copier.more_questions(questions)
        connection.execute("UPDATE evaluation_run SET took = json_set(took, '$.answers', ?)", (questions,))
        copier.more_runs(runs)
    connection.close()
