"""Pushes documents and makes edits until it is ended; prints the name of each that was confirmed.

python -m bench.system.sentinels.writer URL NAME REPLICAS
"""

import sys
import time
from itertools import count
from typing import Final

from snapshot import PushedDocument, PushedDocuments, StoreUnavailable, connect
from snapshot.edits import Edit
from snapshot.store.edits import EditStore, StaleRevision

CORPUS: Final = "live"
PACE: Final = 0.02
EDIT_EVERY: Final = 10


def main() -> None:
    """Each tenth is an edit, the others are documents."""
    url, writer, replicas = sys.argv[1:]
    redis = connect(url, timeout=1.0, confirm_replicas=int(replicas))
    documents, edits = PushedDocuments(redis, CORPUS), EditStore(redis)
    for number in count():
        name = f"{writer}{number}"
        try:
            if number % EDIT_EVERY:
                documents.put([PushedDocument(name, ["rain"])])
            else:
                edits.change(CORPUS, edits.read(CORPUS).revision, add=[Edit("keep", name)])
        except (StoreUnavailable, StaleRevision):
            time.sleep(PACE)
            continue
        print(name, flush=True)
        time.sleep(PACE)


if __name__ == "__main__":
    main()
