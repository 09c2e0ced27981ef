"""The paper's experiments: small, repeatable, and as the document shows them."""

from pathlib import Path

import numpy as np
import pytest

from bench.cocluster.paper.__main__ import TRACKED, main
from bench.cocluster.paper.boards import Board, clustered
from bench.cocluster.paper.dendrograms import top_of
from bench.cocluster.paper.registry import EXPERIMENTS
from bench.cocluster.paper.scoring import v_by_k
from cocluster import v_measure

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def board():
    return Board(n=160, k=9, alpha=0.2, seed=7000).draw()


def test_the_v_measure_along_a_tree_is_that_of_each_cut(board):
    X, rows, _ = board
    tree = clustered(X).rows.tree
    along = v_by_k(tree, rows)
    for k in range(1, tree.items + 1):
        assert along[k - 1] == pytest.approx(v_measure(rows, tree.cut(k)), abs=1e-9)


def test_the_top_of_a_tree_merges_the_clusters_of_its_cut(board):
    from scipy.cluster.hierarchy import is_valid_linkage

    from cocluster import CoClustering

    model = CoClustering().fit(board[0])
    top = top_of(model.column_dendrogram_.linkage, model.column_labels(7))
    assert is_valid_linkage(top)
    np.testing.assert_array_equal(top[:, 2], model.column_dendrogram_.linkage[-6:, 2])
    first = top[0, :2].astype(int)
    merged = np.isin(model.column_labels(7), first)
    assert len(np.unique(model.column_labels(6)[merged])) == 1


PICTURES = {"smoothing", "quality", "restricted", "spectral", "density", "criterion", "dendrogram_demo"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "pictures"),
    [(["density"], {"density"}), pytest.param(list(EXPERIMENTS), PICTURES, marks=pytest.mark.nightly)],
    ids=["one", "all"],
)
def test_experiments_run_small_and_a_second_time_from_their_results(tmp_path, capsys, names, pictures):
    main([*names, "--quick", "--into", str(tmp_path)])
    first = capsys.readouterr().out
    assert "  boards: " in first
    assert {path.name for path in tmp_path.glob("*.json")} == {"paper.json"}
    assert {path.stem for path in tmp_path.glob("*.md")} == set(names)
    assert pictures <= {path.stem for path in tmp_path.glob("*.png")}
    tables = {path: path.read_bytes() for path in tmp_path.glob("*.md")}
    main([*names, "--quick", "--into", str(tmp_path)])
    again = capsys.readouterr().out
    assert "  boards: " not in again
    assert tables == {path: path.read_bytes() for path in tmp_path.glob("*.md")}


def test_an_unknown_experiment_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        main(["bogus"])
    assert "no experiment is called bogus" in capsys.readouterr().err


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_documents_show_or_link_the_kept_table_of_every_experiment(name):
    table = (TRACKED.tables / f"{name}.md").read_text()
    research = ROOT / "docs" / "research"
    text = (research / "paper.md").read_text() + (research / "paper-others.md").read_text()
    assert table in text or f"(../../bench/results/paper/{name}.md)" in text
