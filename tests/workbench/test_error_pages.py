"""Pages for what went wrong: in the frame where there is one, and never bare."""

import pytest
from django.template.loader import render_to_string
from django.test import Client

from tests.markup import markup

pytestmark = pytest.mark.django_db


def test_a_missing_page_has_the_frame_and_a_way_on(client):
    response = client.get("/documents/999/")
    assert response.status_code == 404
    assert "There is nothing at this address." in response.content.decode()
    assert 'aria-label="Pages"' in response.content.decode()


def test_a_form_without_its_token_is_explained():
    response = Client(enforce_csrf_checks=True).post("/documents/corpora/", {"name": "x"})
    assert response.status_code == 403
    assert "reload the page and send it again" in markup(response.content.decode())


def test_the_page_of_a_crash_needs_nothing_that_could_crash_too():
    assert "Something broke" in render_to_string("500.html")
