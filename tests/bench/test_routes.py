"""The measurement of every route: none is forgotten, and slow ones on the event loop are named."""

from werkzeug.exceptions import MethodNotAllowed, NotFound

from bench.service.serving.corpora import Served
from bench.service.serving.routes import addresses, document_addresses, slow_on_loop, table
from service.app import create_gateway
from service.live.snapshots import LiveSnapshots
from service.settings import ServiceSettings
from service.web.metrics import Metrics
from tests.clustered import clustered

UNMEASURED = {"assets.static", "assets.versioned", "demo.icon"}
"""Files, which are read once and kept."""


def test_every_route_is_measured(environment):
    metrics = Metrics()
    live = LiveSnapshots(None, None, metrics=metrics)
    routes = create_gateway(live, None, ServiceSettings(), metrics).flask.url_map
    asked = set()
    corpus = Served(*clustered(), None)
    for address in (*addresses(corpus), *document_addresses(corpus)):
        try:
            asked.add(routes.bind("").match(address.partition("?")[0], "GET")[0])
        except (MethodNotAllowed, NotFound):
            assert address == "/nowhere"
    readable = {rule.endpoint for rule in routes.iter_rules() if "GET" in rule.methods}
    assert readable - asked - UNMEASURED == set()


def test_what_takes_long_on_the_loop_is_named():
    quick, slow = ("/quick", False, 4.9, False, 0.1), ("/slow", False, 5.1, False, 0.1)
    in_a_thread = ("/thread", True, 500.0, False, 0.1)
    assert [slow_on_loop(row) for row in (quick, slow, in_a_thread, ("/again", True, 9.0, False, 9.0))] == [
        False,
        True,
        False,
        True,
    ]
    corpus = Served(*clustered(), None)
    assert table([quick, in_a_thread], [slow], corpus).endswith("On the loop and over 5 ms: /slow.")
    assert table([quick], [in_a_thread], corpus).endswith("On the loop and over 5 ms: none.")
