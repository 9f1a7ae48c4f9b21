"""A large file is read for its checksum once, and again when something has written to it."""

from __future__ import annotations

import hashlib
import os

import pytest

from rag_pipeline import runtime
from rag_pipeline.local_models import checksums
from rag_pipeline.local_models.checksums import sha256_of


@pytest.fixture
def taken(monkeypatch, tmp_path):
    """Keep checksums in a file of the test; return the files that were read, as they are."""
    monkeypatch.setattr(runtime, "_checksums_file", lambda: tmp_path / "kept" / "checksums.sqlite3")
    read, take = [], checksums._taken

    def noted(file):
        read.append(file.name)
        return take(file)

    monkeypatch.setattr(checksums, "_taken", noted)
    return read


@pytest.fixture
def file(tmp_path):
    (tmp_path / "weights").write_bytes(b"one")
    return tmp_path / "weights"


def in_a_new_process(file):
    checksums._kept.cache_clear()
    return sha256_of(file)


def test_a_later_process_takes_what_was_found(taken, file):
    found = {in_a_new_process(file) for _ in range(3)}
    assert found == {hashlib.sha256(b"one").hexdigest()}
    assert taken == ["weights"]


def test_another_file_in_its_place_is_read_again_even_of_the_same_size_and_time(taken, file):
    before, other = file.stat(), file.with_name("other")
    sha256_of(file)
    other.write_bytes(b"two")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(file)
    assert sha256_of(file) == in_a_new_process(file) == hashlib.sha256(b"two").hexdigest()
    assert taken == ["weights"] * 2


def test_where_nothing_is_kept_it_is_taken_once_a_process(taken, file, monkeypatch):
    monkeypatch.setattr(runtime, "_checksums_file", None)
    assert sha256_of(file) == sha256_of(file) == hashlib.sha256(b"one").hexdigest()
    assert taken == ["weights"]
    in_a_new_process(file)
    assert taken == ["weights"] * 2


def test_a_file_that_is_not_there_has_none(taken, tmp_path):
    with pytest.raises(FileNotFoundError):
        sha256_of(tmp_path / "none")
