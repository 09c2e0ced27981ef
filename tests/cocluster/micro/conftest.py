import pytest

from cocluster.micro import gathering


@pytest.fixture(params=["written out", "as a product"])
def form(request, monkeypatch):
    monkeypatch.setattr(gathering, "DENSE_TAGS", 10_000 if request.param == "written out" else 0)
