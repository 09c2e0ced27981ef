"""Nested block models beside Cotag's clusters, level by level, at as many clusters."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np

from bench.document_files import documents_of
from bench.meaning.measures import Labels
from bench.meaning.nested_blocks import nested_levels
from bench.meaning.refinement import Fitted, partition_figures
from bench.meaning.samples import DOCUMENTS, READ, TRAINING, incidence_of
from bench.places import CORPORA


def block_figures(corpus: str, seed: int) -> dict[str, Any]:
    """Every level of the tags with at least two blocks: hSBM, Cotag's tree, and its refined clusters."""
    found = list(islice(documents_of(CORPORA / f"{corpus}.jsonl.gz"), READ))
    drawn = [found[place] for place in np.random.default_rng(seed).permutation(len(found))[:DOCUMENTS].tolist()]
    count = round(TRAINING * len(drawn))
    fitted = Fitted(drawn[:count])
    held_out = incidence_of(drawn[count:], fitted.keys)
    pairs = fitted.matrix.tocoo()
    levels, seconds = nested_levels(pairs.row, pairs.col, fitted.matrix.shape, seed)

    def figures(labels: Labels) -> dict[str, float]:
        return partition_figures(corpus, fitted, held_out, labels)

    return {
        "tags": len(fitted.keys),
        "seconds": seconds,
        "levels": [
            {
                "k": int(level.max()) + 1,
                "hSBM": figures(level),
                "cut": figures(fitted.model.column_labels(int(level.max()) + 1)),
                "refined": figures(fitted.model.refined_columns(int(level.max()) + 1).labels),
            }
            for level in levels
        ],
    }


def block_table(trials: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One row a level; bold is what beats the refined clusters."""
    lines = [
        "| corpus | blocks of tags | gain: hSBM, tree, refined | bits: hSBM, tree, refined | NPMI: hSBM, refined |",
        "|---|--:|--:|--:|--:|",
    ]
    for name, figures in trials.items():
        for level in figures["levels"]:
            cells = []
            for what, form, kinds in (
                ("gain", ".4f", ("hSBM", "cut", "refined")),
                ("bits", ".3f", ("hSBM", "cut", "refined")),
                ("npmi", ".3f", ("hSBM", "refined")),
            ):
                ahead = level["hSBM"][what] > level["refined"][what]
                values = [f"{level[kind][what]:{form}}" for kind in kinds]
                cells.append(", ".join([f"**{values[0]}**" if ahead else values[0], *values[1:]]))
            lines.append(f"| {name.split()[1]} | {level['k']} | {' | '.join(cells)} |")
    return lines
