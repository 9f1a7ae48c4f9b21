"""`export_run` writes a run by the ending of the file's name, and `score` reads it."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.factories import WORDS, make_run
from tests.markup import leads_to

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_goes_out_and_is_scored_again_alike(tmp_path, capsys):
    run = make_run(name="mine", evaluation={"metrics": ["token_f1"]})
    answers, scored, summary = (tmp_path / name for name in ("answers.jsonl", "scored.jsonl", "summary.json"))
    call_command("export_run", "mine", "--out", str(answers))
    assert str(answers) in capsys.readouterr().out
    names = "recall,robustness,context_matching,knowledge_bounding,token_f1"
    given = ["--metrics", names, "--eval-embedding", WORDS, "--agreement", "token_recall"]
    call_command("score", str(answers), *given, "--out", str(scored), "--summary", str(summary))
    means = json.loads(summary.read_text())["metrics"]
    for metric in run.current_scoring.metrics.filter(group="", metric__in=names.split(",")):
        assert means[metric.metric]["mean"] == pytest.approx(metric.mean), metric.metric
        assert means[metric.metric]["ci_low"] == pytest.approx(metric.ci_low), metric.metric


def test_tables_for_spreadsheets_and_computing(tmp_path):
    run = make_run()
    call_command("export_run", str(run.pk), "--out", str(tmp_path / "a.html"))
    report = (tmp_path / "a.html").read_text()
    assert report.lower().startswith("<!doctype html>")
    assert str(run) in report
    for name, read in (("a.xlsx", pd.read_excel), ("a.parquet", pd.read_parquet), ("a.CSV", pd.read_csv)):
        call_command("export_run", str(run.pk), "--out", str(tmp_path / name))
        assert list(read(tmp_path / name)["recall"].dropna()) == [1.0, 1.0, 1.0]


def test_a_report_opens_without_a_network(tmp_path):
    call_command("export_run", str(make_run(name="Short chunks").pk), "--out", str(tmp_path / "a.html"))
    html = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<h1>Short chunks</h1>" in html
    assert leads_to(html) == []


@pytest.mark.parametrize(
    ("run", "out", "said"),
    [
        ("mine", "a.doc", r"“a\.doc” ends in none of \.csv, \.html, \.jsonl, "),
        ("yours", "a.csv", "There is no run “yours”"),
        ("twice", "a.csv", "Several runs are called “twice”"),
        ("mine", "no/folder/a.csv", "there is no folder"),
    ],
)
def test_what_cannot_be_written_is_said_with_the_mend(tmp_path, run, out, said):
    for name in ("mine", "twice", "twice"):
        make_run(name=name)
    with pytest.raises(CommandError, match=said):
        call_command("export_run", run, "--out", str(tmp_path / out))
    assert not (tmp_path / out).exists()
