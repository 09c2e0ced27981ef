"""A model comes back from a file with the same results to the last bit; damaged and foreign files are refused."""

import json
from dataclasses import fields, is_dataclass, replace
from zipfile import ZipFile

import numpy as np
import pytest
from scipy.sparse import issparse

from cocluster import CoClustering, LocalTasks, NotFittedError, Previous, checkerboard, files
from tests.conftest import topic_documents


def board(n=60):
    return checkerboard(n=n, m=40, k=3, alpha=0.5, beta=0.6, seed=1)[0]


def inherited(**parameters):
    M = board()
    before = CoClustering(**parameters).fit(M)
    previous = Previous([before.row_labels(5)], [before.column_labels(5)])
    return CoClustering(**parameters).fit(M, previous=previous)


def with_related_tags():
    model = CoClustering.from_tags([document["tags"] for document in topic_documents(60)], min_count=2)
    model.related("rain")
    return model


MODELS = {
    "exact": lambda: CoClustering(critical_size=np.int64(2), keep_smoothed=True).fit(board()),
    "duplicates": lambda: CoClustering().fit(np.repeat(board(20).toarray(), 3, axis=0)),
    "sides apart": lambda: CoClustering(joint=False, cost="divergence").fit(board()),
    "inherited": inherited,
    "micro-clusters": lambda: CoClustering(max_exact=10, micro_clusters=8, tasks=LocalTasks(1)).fit(board()),
    "inherited micro-clusters": lambda: inherited(max_exact=10, micro_clusters=8),
    "tags": with_related_tags,
}


def same(one, other):
    """Whether two values are equal to the last bit, whatever they hold."""
    if is_dataclass(one):
        return type(one) is type(other) and all(
            same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one)
        )
    if issparse(one):
        return one.shape == other.shape and same(one.toarray(), other.toarray())
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return type(one) is type(other) and one == other


@pytest.mark.parametrize("name", MODELS)
def test_every_result_comes_back(tmp_path, name):
    model = MODELS[name]()
    files.save(model, tmp_path / "model.npz")
    other = files.load(str(tmp_path / "model.npz"))
    assert other.get_params() | {"tasks": None} == model.get_params() | {"tasks": None}
    assert same(model.fitted_state(), other.fitted_state())
    public = [name for name in vars(model) if name.endswith("_")]
    assert {"row_labels_", "column_curve_", "history_"} < set(public)
    assert [name for name in public if not same(getattr(model, name), getattr(other, name))] == []
    rows, columns = model.row_labels(3), model.column_labels(3)
    assert same(model.aggregated(rows, columns), other.aggregated(rows, columns))
    assert same(model.cluster_scores(rows), other.cluster_scores(rows))
    assert model.tag_clusters(3) == other.tag_clusters(3)


def test_related_tags_that_were_learnt_are_saved(tmp_path, monkeypatch):
    model = with_related_tags()
    files.save(model, tmp_path / "model.npz")
    other = files.load(tmp_path / "model.npz")
    monkeypatch.setattr("cocluster.estimator.fitted.fit_related", None)
    assert other.related("rain") == model.related("rain")


def test_a_file_holds_no_pickle(tmp_path):
    files.save(with_related_tags(), tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as archive:
        assert all(archive[name].dtype.kind in "iufb" for name in archive.files)


def test_a_model_without_results_is_not_saved_and_the_file_before_it_stays(tmp_path):
    path = tmp_path / "model.npz"
    path.write_text("before")
    with pytest.raises(NotFittedError):
        files.save(CoClustering(), path)
    model = CoClustering().fit(np.eye(3)).set_params(critical_size=object())
    with pytest.raises(TypeError, match="cannot hold the parameter <object"):
        files.save(model, path)
    assert path.read_text() == "before"


def test_a_disk_that_is_full_leaves_the_file_before_it(saved, monkeypatch):
    before = saved.read_bytes()

    def full(target, **arrays):
        target.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cocluster.files.np.savez", full)
    with pytest.raises(OSError, match="No space left"):
        files.save(CoClustering().fit(np.eye(3)), saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_part_that_the_format_does_not_know_is_refused(tmp_path):
    model = CoClustering().fit(np.eye(3))
    model._fit = replace(model._fit, related=Previous([], []))
    model._related = model._fit.related
    with pytest.raises(TypeError, match="cannot hold a Previous"):
        files.save(model, tmp_path / "model.npz")


@pytest.fixture
def saved(tmp_path):
    files.save(CoClustering().fit(board()), tmp_path / "model.npz")
    return tmp_path / "model.npz"


def rewritten(path, change):
    """The file with another header."""
    with np.load(path) as archive:
        arrays = dict(archive.items())
    header = json.loads(arrays.pop("header").tobytes())
    change(header)
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8), **arrays)


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-200])


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)


def text(path):
    path.write_text("id,tags\n1,a\n")


def nothing(path):
    path.write_bytes(b"")


def single_array(path):
    with path.open("wb") as target:
        np.save(target, np.eye(3))


def other_zip(path):
    with ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "no model")


@pytest.mark.parametrize("damage", [cut_short, flipped, text, nothing, single_array, other_zip])
def test_a_damaged_or_foreign_file_is_named(saved, damage):
    damage(saved)
    with pytest.raises(ValueError, match=r"model\.npz is damaged or holds no model"):
        files.load(saved)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.update(format=0),
        lambda header: header["state"].update({"class": "Popen"}),
        lambda header: header["state"]["fields"].pop("result"),
        lambda header: header["parameters"].update(clusters=3),
        lambda header: header["state"]["fields"]["row_positions"].update(array="a999"),
    ],
)
def test_the_file_of_another_version_is_named(saved, change):
    rewritten(saved, change)
    with pytest.raises(ValueError, match=r"model\.npz was written by another version of Cotag"):
        files.load(saved)


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        files.load(tmp_path / "none.npz")
