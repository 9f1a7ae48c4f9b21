"""Ids from outside never break a page."""

import pytest

from workbench.ids import as_id


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("", 0),
        (None, 0),
        ("-1", 0),
        ("1.5", 0),
        ("²", 0),
        ("١٢", 0),
        ("9" * 18, 10**18 - 1),
        ("9" * 5000, 0),
    ],
)
def test_a_text_is_an_id_or_none(text, number):
    assert as_id(text) == number


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/documents/?corpus=99999999999999999999999&added=x,99999999999999999999,²",
        "/documents/search/?corpus=abc&q=a",
        "/testsets/?corpus=%C2%B2&page=x",
        "/testsets/add/?message=99999999999999999999999&document=-1",
        "/chat/?run=99999999999999999999999",
    ],
)
def test_nonsense_in_an_address_is_no_crash(client, address):
    assert client.get(address).status_code in (200, 404)
