"""After warm() nothing is left to compile."""

import importlib
import pkgutil

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import cocluster
from cocluster import CoClustering, checkerboard
from cocluster.compilation import warm
from cocluster.suggestions import hidden_ranks, logistic, suggestion_lists, training_documents


def signatures():
    """How many versions of each kernel of the package are compiled."""
    versions = {}
    for module in pkgutil.walk_packages(cocluster.__path__, "cocluster."):
        for name, each in vars(importlib.import_module(module.name)).items():
            if isinstance(each, Dispatcher):
                versions[each.__module__, name] = len(each.signatures)
    return versions


@pytest.fixture(scope="module")
def warmed():
    warm()
    return signatures()


def test_warming_prints_nothing(capfd):
    warm()
    assert capfd.readouterr() == ("", "")


def test_warming_compiles_what_every_plan_needs(warmed):
    M, _, _ = checkerboard(300, 150, 5, seed=1)
    CoClustering().fit(M)
    CoClustering(cost="divergence", joint=False).fit(M)
    CoClustering(max_exact=100, micro_clusters=20).fit(M)
    for form in ("exact", "local"):
        lists = suggestion_lists(M, penalty=4.0, form=form)
        hidden_ranks(
            lists,
            logistic(training_documents(M), lists, 0.5),
            M.indptr.astype(np.int64),
            M.indices.astype(np.int32),
            np.ones(M.nnz, np.bool_),
            logistic_weights=np.array([0.0, 0.5]),
            factors=np.ones((2, M.shape[1], 3)),
            first=10,
        )
    assert len(warmed) > 20
    assert signatures() == warmed
