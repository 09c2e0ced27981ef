"""The icons of the demo: drawn by the service itself, cached by browsers, one for every document."""

import gzip
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import demo
from service.web.policy.access import digest


def test_an_icon_is_a_drawing_that_browsers_cache(client):
    answer = client.get("/demo/icons/credit-card.svg")
    assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
    assert answer.headers["Cache-Control"] == "public, max-age=86400"
    drawing = ET.fromstring(answer.data)  # noqa: S314 - our own file
    assert len(drawing.findall("{http://www.w3.org/2000/svg}path")) == 4
    again = client.get("/demo/icons/credit-card.svg", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_there_is_no_icon_of_another_name(client):
    for name in ("none", "..%2fcorpora.toml", "credit-card.svg", ""):
        assert client.get(f"/demo/icons/{name}.svg").status_code == 404


def test_icons_need_no_key(app_with):
    """A browser sends none for a picture."""
    assert app_with(read_keys=digest("secret")).test_client().get("/demo/icons/cat.svg").status_code == 200


def test_every_document_of_the_demo_has_its_icon():
    with gzip.open(Path(demo.__file__).parent / "tabler_icons.jsonl.gz", "rt") as lines:
        documents = [json.loads(line) for line in lines]
    assert len(documents) == 5233
    for document in documents:
        assert demo.icon(document["icon"].removesuffix(".svg")) is not None
        assert document["title"]
    assert b"<script" not in b"".join(demo.icon(document["id"]) for document in documents)
