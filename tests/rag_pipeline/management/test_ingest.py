"""`manage.py ingest` as people run it."""

from __future__ import annotations

from pathlib import Path

from rag_pipeline.models import Corpus, Document

DATA = Path(__file__).resolve().parents[2] / "data"


def stored():
    return list(Document.objects.order_by("id").values_list("corpus__name", "name"))


def test_files_and_folders_are_imported_and_failures_told_apart(manage, tmp_path):
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "b.md").write_text("# Claims\n\nWrite to us.")
    (folder / "a.TXT").write_text("Cover starts at once.")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / ".hidden.txt").write_text("not for you")
    result = manage("ingest", str(folder), str(DATA / "password.pdf"), "missing.txt", "--corpus", "Policies")
    assert result.returncode == 1
    assert "a.TXT: added as a.TXT, 21 characters." in result.stdout
    assert "Corpus “Policies”: 2 added, 2 failed." in result.stdout
    assert "password.pdf: The PDF is encrypted and needs a password." in result.stderr
    assert "missing.txt: It cannot be read: No such file or directory." in result.stderr
    assert "Traceback" not in result.stderr
    assert stored() == [("Policies", "a.TXT"), ("Policies", "b.md")]


def test_the_same_file_again_is_no_failure(manage, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Cover starts at once.")
    for _ in range(2):
        result = manage("ingest", str(path), "--corpus", "Policies")
        assert result.returncode == 0, result.stderr
    assert "already there as a.txt" in result.stdout
    assert len(stored()) == 1


def test_a_corpus_is_not_made_for_failures_alone(manage, tmp_path):
    (tmp_path / "empty.txt").touch()
    result = manage("ingest", str(tmp_path / "empty.txt"), "--corpus", "Policies")
    assert result.returncode == 1
    assert result.stdout == ""
    assert "empty.txt: The file is empty." in result.stderr
    (tmp_path / "folder").mkdir()
    result = manage("ingest", str(tmp_path / "folder"), "--corpus", "Policies")
    assert result.returncode == 1
    assert "holds no file of a known format" in result.stderr
    assert not Corpus.objects.exists()


def test_wrong_usage_and_help(manage):
    assert manage("ingest", "a.txt").returncode == 2
    assert manage("ingest", "--corpus", "x").returncode == 2
    shown = manage("ingest", "--help")
    assert shown.returncode == 0
    assert "manage.py ingest handbook.pdf notes/ --corpus handbook" in shown.stdout
