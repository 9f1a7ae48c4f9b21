"""Weights and tokenizers of GGUF files, of files made here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag_pipeline.local_models.gguf_file import GgufFile
from tests.rag_pipeline.local_models.tiny_gguf import F16, F32, Q4_1, Q8_0, SHAPE, tokens, write_gguf, write_model


@pytest.mark.parametrize("kind", [F32, F16, Q4_1, Q8_0])
def test_numbers_come_back_as_their_format_keeps_them(tmp_path: Path, kind: int) -> None:
    numbers = np.random.default_rng(kind).normal(size=(6, 64)).astype(np.float32)
    stored = write_gguf(tmp_path / "one.gguf", {"one.weight": numbers}, {"one.weight": kind})
    read = GgufFile(tmp_path / "one.gguf").tensor("one.weight")
    np.testing.assert_allclose(read, stored["one.weight"], atol=2e-3)
    np.testing.assert_allclose(read, numbers, atol=0.25 if kind == Q4_1 else 0.02)


def test_fields_and_tensors_are_known_by_name(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny.gguf")
    file = GgufFile(tmp_path / "tiny.gguf")
    assert file.fields["llama.block_count"] == SHAPE.layers
    assert file.fields["llama.rope.freq_base"] == SHAPE.base
    assert len(file.tensors) == 2 + 9 * SHAPE.layers
    with pytest.raises(KeyError):
        file.tensor("missing.weight")


def test_the_tokenizer_gives_every_text_back(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny.gguf")
    tokenizer = GgufFile(tmp_path / "tiny.gguf").tokenizer
    text = "In 1923, the café’s 3 rules:\n\tnone."
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert tokenizer.decode(ids) == text
    assert len(ids) == len(text.encode())
    assert max(ids) < len(tokens())


def test_what_is_no_gguf_file_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "poem.gguf").write_bytes(b"Roses are red, violets are blue, sugar is sweet." * 4)
    with pytest.raises(ValueError, match=r"poem\.gguf is no GGUF file"):
        GgufFile(tmp_path / "poem.gguf")


def test_a_format_that_is_not_read_is_said(tmp_path: Path) -> None:
    numbers = np.zeros((1, 32), np.float32)
    write_gguf(tmp_path / "one.gguf", {"one.weight": numbers}, {"one.weight": F32})
    raw = (tmp_path / "one.gguf").read_bytes()
    place = raw.index(b"one.weight") + len("one.weight") + 4 + 16
    (tmp_path / "two.gguf").write_bytes(raw[:place] + b"\x0c\0\0\0" + raw[place + 4 :])
    with pytest.raises(ValueError, match=r"one\.weight is stored in a format"):
        GgufFile(tmp_path / "two.gguf").tensor("one.weight")
