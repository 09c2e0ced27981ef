"""Tests run with the gathering matrix written out and as a product."""

import pytest

from cocluster.fit import factored as products


@pytest.fixture(params=["written out", "as a product"])
def form(request, monkeypatch):
    monkeypatch.setattr(products, "DENSE_TAGS", 10_000 if request.param == "written out" else 0)
