"""A whole Cotag that answers the clients, with two origins that may ask from elsewhere."""

import pytest

from service.web.policy.access import digest
from tests.conftest import topic_documents, write_jsonl
from tests.e2e.launching import Up, free_port

KEY = "a key for clients"
CORPORA = """
[corpora.topics]
source = "topics.jsonl"
min_count = 3

[corpora.pushed]
source = { pushed = true }
"""


@pytest.fixture(scope="session")
def elsewhere():
    """The port of a site of another origin, whose pages may ask."""
    return free_port()


@pytest.fixture(scope="session")
def served(tmp_path_factory, elsewhere):
    """The four topics, and a corpus to push to."""
    folder = tmp_path_factory.mktemp("clients")
    write_jsonl(folder / "topics.jsonl", topic_documents())
    (folder / "corpora.toml").write_text(CORPORA)
    allowed = f"http://127.0.0.1:{elsewhere}"
    up = Up(folder / "data", folder / "corpora.toml", COTAG_API_KEYS=digest(KEY), COTAG_CORS_ORIGINS=allowed)
    with up.ready():
        yield up
