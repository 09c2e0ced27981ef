"""The notebooks run from a folder with nothing but their tables, and show what they show in the repository."""

import nbformat
import pytest

from tests.notebooks.running import FOLDER, NOTEBOOKS, executed, texts

PICTURES = "tags-to-pictures.ipynb"
pytestmark = pytest.mark.slow


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_shows_in_the_repository(path, tmp_path):
    stored = nbformat.read(path, as_version=4)
    assert any(cell for cell in texts(stored)), "run python -m tests.notebooks.running --write"
    assert texts(executed(path, tmp_path)) == texts(stored)


def test_twelve_lines_make_a_scatter_and_a_dendrogram():
    first = next(cell for cell in nbformat.read(FOLDER / PICTURES, as_version=4).cells if cell.cell_type == "code")
    assert len(first.source.splitlines()) <= 12
    assert "plot.scatter" in first.source
    assert "plot.dendrogram" in first.source
    assert any("image/png" in output.get("data", {}) for output in first.outputs)


def test_all_notebooks_are_there_and_the_list_of_notebooks_names_them():
    assert [path.stem for path in NOTEBOOKS] == ["recipes-explored", "tags-to-pictures", "your-csv-in-ten-lines"]
    listed = (FOLDER / "README.md").read_text()
    assert all(path.name in listed for path in FOLDER.iterdir() if path.name != "README.md")
