"""Trials are run once, resume from the cache, and are stored in one file from which the tracked tables are made."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import bench.cocluster.stability.__main__ as stability
import bench.service.serving.__main__ as serving
import bench.worker.suggest.table as suggest
from bench.cocluster.paper.__main__ import TRACKED
from bench.cocluster.paper.registry import EXPERIMENTS
from bench.cocluster.scale.report import write_report
from bench.places import RESULTS
from bench.service.serving.report import tables
from bench.trials import Trials, packed, read, unpacked, write
from bench.worker.suggest.trials import measured_on

ROOT = Path(__file__).parents[2]
TABLES = {"stability": stability.table, "suggest": lambda trials: suggest.table(measured_on(trials))}


def test_a_trial_is_run_once_and_an_interrupted_run_resumes_from_the_cache(tmp_path):
    ran = []

    def run(number):
        if number == 2 and len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(number)
        return {"number": number}

    def all_of_them():
        trials = Trials("some", tmp_path)
        return [trials.measured(f"trial {number}", lambda number=number: run(number)) for number in range(4)]

    with pytest.raises(KeyboardInterrupt):
        all_of_them()
    assert ran == [0, 1]
    ran.append("again")
    assert all_of_them() == [{"number": number} for number in range(4)]
    assert ran == [0, 1, "again", 2, 3]


def test_collecting_leaves_one_file_and_an_empty_cache(tmp_path):
    trials = Trials("some", tmp_path)
    for name in ("T^Y × √count", "planted:200000:20000:50", "a/b c"):
        trials.put(name, {"name": name})
    trials.collect()
    assert [path.name for path in tmp_path.rglob("*.*")] == ["some.json"]
    later = Trials("some", tmp_path)
    assert later.names() == ["T^Y × √count", "a/b c", "planted:200000:20000:50"]
    assert all(later.get(name) == {"name": name} for name in later.names())
    later.put("another", 1)
    assert later.collect().keys() == {"another", *Trials("some", tmp_path).names()}


def test_a_trial_whose_line_is_deleted_is_run_again(tmp_path):
    trials = Trials("some", tmp_path)
    trials.put("one", 1)
    trials.put("two", 2)
    trials.collect()
    lines = trials.data.read_text().splitlines()
    assert lines == ["{", '"one":1,', '"two":2', "}"]
    trials.data.write_text("\n".join(line for line in lines if "one" not in line))
    again = Trials("some", tmp_path)
    assert again.measured("one", lambda: 3) == 3
    assert again.measured("two", lambda: 3) == 2


def test_a_trial_that_is_measured_again_takes_the_place_of_the_one_before(tmp_path):
    trials = Trials("some", tmp_path)
    trials.put("one", {"value": 1})
    trials.collect()
    again = Trials("some", tmp_path)
    again.put("one", {"value": 2})
    assert again.get("one") == {"value": 2}
    assert again.collect() == {"one": {"value": 2}}
    assert Trials("some", tmp_path).get("one") == {"value": 2}


def test_forgotten_trials_are_run_again_whether_collected_or_not(tmp_path):
    trials = Trials("some", tmp_path)
    trials.put("one", 1)
    trials.collect()
    trials.put("two", 2)
    trials.forget()
    assert trials.names() == Trials("some", tmp_path).names() == []
    assert trials.measured("one", lambda: 3) == 3


def test_what_is_stored_is_what_was_measured_with_figures_rounded_and_fields_named_once():
    steps = [
        {"moved": 0.123456789123, "worth": {"v": 1 / 3, "tags": 7}},
        {"moved": 0.0, "worth": {"v": 1.0, "tags": 8}},
    ]
    figures = {"steps": steps, "mixed": [{"a": 1}, {"b": 2}], "nothing": [], "empty": [{}], "none": None}
    stored = packed(figures)
    assert stored["steps"]["columns"]["worth"]["columns"]["tags"] == [7, 8]
    expected = [
        {"moved": 0.12345679, "worth": {"v": 0.33333333, "tags": 7}},
        {"moved": 0.0, "worth": {"v": 1.0, "tags": 8}},
    ]
    assert unpacked(stored) == {**figures, "steps": expected}


def test_figures_are_the_same_when_measured_and_when_read(tmp_path):
    """A tuple is a list, and a figure is rounded, before it is stored and after."""
    figures = {"shape": (3, 4), "v": 2 / 3, "by size": {500: 1.0}}
    trials = Trials("some", tmp_path)
    measured = trials.measured("one", lambda: figures)
    assert measured == trials.get("one") == {"shape": [3, 4], "v": 0.66666667, "by size": {"500": 1.0}}
    trials.collect()
    assert Trials("some", tmp_path).get("one") == measured


@pytest.mark.parametrize("experiment", TABLES)
def test_the_table_made_from_the_data_file_alone_is_the_one_made_from_the_cache(experiment, tmp_path):
    trials = Trials(experiment, tmp_path)
    for name, figures in read(RESULTS / f"{experiment}.json").items():
        trials.put(name, figures)
    from_cache = TABLES[experiment](trials)
    trials.collect()
    shutil.rmtree(tmp_path / "cache")
    assert TABLES[experiment](Trials(experiment, tmp_path)) == from_cache
    assert from_cache == (RESULTS / f"{experiment}.md").read_text()


def test_the_tracked_table_of_scale_is_made_from_its_data_file(tmp_path):
    write_report(read(RESULTS / "scale.json"), tmp_path / "scale.md", tmp_path)
    assert (tmp_path / "scale.md").read_text() == (RESULTS / "scale.md").read_text()


def test_the_tracked_table_of_serving_is_made_from_its_data_file():
    assert tables(read(serving.DATA)) + "\n" == (RESULTS / "serving.md").read_text()


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """A workspace with the paper's data file alone."""
    folder = tmp_path_factory.mktemp("paper")
    shutil.copy(TRACKED.trials.data, folder)
    return replace(TRACKED, trials=Trials("paper", folder), images=folder)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_tracked_tables_of_the_paper_are_made_from_its_data_file(experiment, paper):
    """No trial is run for it."""
    table = EXPERIMENTS[experiment].run(paper)
    assert table + "\n" == (TRACKED.tables / f"{experiment}.md").read_text()
    assert not (paper.images / "cache").exists()


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_the_tracked_data_files_are_compact(path, tmp_path):
    """Each is as `write` writes it."""
    write(tmp_path / path.name, read(path))
    assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_git_ignores_the_cache():
    assert "/bench/results/cache/" in (ROOT / ".gitignore").read_text().splitlines()
