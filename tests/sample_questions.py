"""The sample's test set, written anew: `python -m tests.sample_questions` puts it where it is shipped."""

from __future__ import annotations

import json

GENERATED = "As the built-in writer writes them"


def write_anew() -> tuple[bytes, str]:
    """Return the shipped files, questions.csv and questions.json, as the built-in writer makes them now."""
    from evaluation.generator_spec import GeneratorSpec
    from evaluation.services.files import export_testset
    from evaluation.services.testsets import start_generation
    from rag_pipeline.background.tasks import run_inline
    from rag_pipeline.services.corpora import get_or_create_corpus, import_documents
    from workbench.services.sample import sample_files

    corpus = get_or_create_corpus(name=GENERATED)
    import_documents(corpus=corpus, files=[(path.name, path.read_bytes()) for path in sample_files()])
    testset = start_generation(corpus=corpus, name=GENERATED, spec=GeneratorSpec(), inline=True)
    assert testset.task is not None
    ended = run_inline(testset.task)
    assert ended.error == ""
    testset.refresh_from_db()
    return export_testset(testset=testset), json.dumps(testset.report, indent=1, ensure_ascii=False) + "\n"


def _ship() -> None:
    import django

    django.setup()
    from rag_pipeline.management.base import migrate_if_needed
    from workbench.services.sample import QUESTIONS, REPORT

    migrate_if_needed()
    questions, report = write_anew()
    QUESTIONS.write_bytes(questions)
    REPORT.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    import os

    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    _ship()
