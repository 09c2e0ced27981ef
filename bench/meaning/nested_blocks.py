"""A peer that is not on PyPI: nested stochastic block models of graph-tool, on the graph of documents and tags.

Debian has it (python3-graph-tool). `GRAPH_TOOL_PYTHON` names an interpreter that can import it, by default Debian's
own, /usr/bin/python3. It runs this file alone, which must import nothing else of this project.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

NO_GRAPH_TOOL: Final = "no graph-tool: install python3-graph-tool, or set GRAPH_TOOL_PYTHON"


def interpreter() -> str | None:
    """An interpreter that has graph-tool, or None."""
    path = os.environ.get("GRAPH_TOOL_PYTHON", "/usr/bin/python3")
    try:
        found = subprocess.run([path, "-c", "import graph_tool.inference"], capture_output=True, check=False)
    except OSError:
        return None
    return path if found.returncode == 0 else None


def nested_levels(rows: Any, columns: Any, shape: tuple[int, int], seed: int) -> tuple[list[Any], float]:
    """The blocks of the columns at every level, finest first, and the processor time of the fit.

    `rows` and `columns` are the places of the ones of the matrix.

    Raises:
        SystemExit: no interpreter has graph-tool.
    """
    path = interpreter()
    if path is None:
        raise SystemExit(NO_GRAPH_TOOL)
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder:
        graph, levels = Path(folder) / "graph.npz", Path(folder) / "levels.npz"
        np.savez(graph, rows=rows, columns=columns, shape=shape, seed=seed)
        subprocess.run([path, __file__, str(graph), str(levels)], check=True, capture_output=True)
        with np.load(levels) as found:
            return [found[f"level{number}"] for number in range(len(found.files) - 1)], float(found["seconds"])


def fit(graph_file: str, levels_file: str) -> None:
    """Minimise the description length; documents and tags never share a block."""
    import graph_tool as gt  # type: ignore[import-not-found]  # noqa: PLC0415
    from graph_tool.inference import minimize_nested_blockmodel_dl  # type: ignore[import-not-found]  # noqa: PLC0415

    with np.load(graph_file) as stored:
        rows, columns, seed = stored["rows"], stored["columns"], int(stored["seed"])
        documents, tags = stored["shape"].tolist()
    gt.seed_rng(seed + 1)
    graph = gt.Graph(directed=False)
    graph.add_vertex(documents + tags)
    graph.add_edge_list(np.column_stack([rows, documents + columns]))
    kind = graph.new_vp("int")
    kind.a = np.arange(documents + tags) >= documents
    began = time.process_time()
    state = minimize_nested_blockmodel_dl(graph, state_args={"clabel": kind, "pclabel": kind})
    seconds = time.process_time() - began
    levels: list[Any] = []
    block = np.arange(documents + tags)
    for level in state.levels:
        block = np.asarray(level.b.a)[block]
        found = np.unique(block[documents:], return_inverse=True)[1]
        if found.max() == 0:
            break
        levels.append(found)
    np.savez(levels_file, seconds=seconds, **{f"level{number}": found for number, found in enumerate(levels)})


if __name__ == "__main__":
    fit(*sys.argv[1:])
