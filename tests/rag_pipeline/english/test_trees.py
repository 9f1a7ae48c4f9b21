"""Trees: made once a text, and few enough kept."""

from rag_pipeline.english import trees
from rag_pipeline.english.trees import parse


def test_a_text_is_parsed_once_and_found_again_in_any_order(monkeypatch):
    monkeypatch.setattr(trees, "_trees", {})
    river, bridge = parse(["The river is long.", "A bridge stands."])
    again = parse(["A bridge stands.", "The river is long.", "A bridge stands."])
    assert [id(each) for each in again] == [id(bridge), id(river), id(bridge)]
    assert [token.lemma_ for token in river] == ["the", "river", "be", "long", "."]


def test_names_are_read_where_they_are_asked_for(monkeypatch):
    monkeypatch.setattr(trees, "_trees", {})
    (without,) = parse(["Marie Curie lived in Paris."], names=False)
    (with_names,) = parse(["Marie Curie lived in Paris."])
    assert [name.text for name in with_names.ents] == ["Marie Curie", "Paris"]
    assert not without.ents


def test_the_oldest_are_let_go(monkeypatch):
    monkeypatch.setattr(trees, "_trees", {})
    monkeypatch.setattr(trees, "_KEPT", 2)
    first, second = parse(["One.", "Two."])
    assert parse(["One."]) == [first]  # used again, so the other is the oldest
    parse(["Three."])
    assert [text for text, _ in trees._trees] == ["One.", "Three."]
    assert parse(["Two."]) != [second]
