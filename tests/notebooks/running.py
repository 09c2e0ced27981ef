"""Runs the notebooks of docs/notebooks; `python -m tests.notebooks.running --write` stores what their cells give."""

import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def executed(path, folder):
    """The notebook after all cells ran in a folder that holds only the tables beside it."""
    for table in FOLDER.glob("*.csv"):
        shutil.copy(table, folder)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the times
        if cell.cell_type == "code":  # the progress of a slow fit, which is gone at its end
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def texts(notebook):
    """What the cells of a notebook show as text, cell by cell; pictures are left out."""
    return [[text_of(output) for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]


def text_of(output):
    if output.output_type == "stream":
        return output.text
    data = output.get("data", {})
    return data.get("text/html", data.get("text/plain"))


def write():
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, folder), path)
        print(path.relative_to(ROOT))


if __name__ == "__main__" and "--write" in sys.argv:
    write()
