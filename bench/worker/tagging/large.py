"""What the text model of 100,000 documents takes to keep and to ask: python -m bench.worker.tagging.large

debtags_text has 20,562 documents: they are drawn anew, with replacement, so that lists are as long as those of a large
corpus while words and tags are as many as before.
"""

import time
from typing import Final

import numpy as np
from scipy.sparse import csr_array

from bench.worker.tagging.splits import SEED, split
from cocluster.text import TaggedRows, TextSettings, fit_text, word_matrix

DOCUMENTS: Final = 100_000
ASKED: Final = 1000


def main() -> None:
    small = split("debtags_text")
    drawn = np.sort(np.random.default_rng(SEED).integers(0, len(small.matrix.rows), DOCUMENTS))
    words = word_matrix(small.texts(), [[key] for key in small.keys]).rows(drawn)
    tags = csr_array(small.matrix.matrix[drawn])
    began = time.process_time()
    model = fit_text(words, tags, TextSettings())
    learnt = time.process_time() - began
    index = TaggedRows.of(tags)
    began = time.process_time()
    for asked in small.asked[:ASKED]:
        found = model.evidence(index, asked.title, asked.text)
        model.scores(found, found.tags)
    asked_ms = 1000 * (time.process_time() - began) / min(len(small.asked), ASKED)
    print(f"{DOCUMENTS:,} documents, {len(model.words):,} words, {len(small.keys)} tags")
    print(f"{model.nbytes / 1e6:.1f} MB, {asked_ms:.2f} ms a document, {learnt:.0f} s to learn at given settings")


if __name__ == "__main__":
    main()
