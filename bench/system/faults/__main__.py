"""What each fault costs: reads that fail, acknowledged documents that are lost, seconds until all works again.

python -m bench.system.faults                           # all: a Markdown table, also in bench/results/system-faults.md
python -m bench.system.faults "gunicorn is killed"      # some of them, by name; prints only
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

from bench.places import RESULTS
from bench.system.faults.catalogue import FAULTS
from bench.system.faults.trying import possible, row, table, trial

TABLE: Final = RESULTS / "system-faults.md"


def main() -> int:
    """Try them, print the table; 1 if a read failed or a document was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [fault.name for fault in FAULTS]
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=f"one of: {'; '.join(names)}")
    wanted = parser.parse_args().faults
    if unknown := set(wanted) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known are: {'; '.join(names)}")
    rows, bad = [], False
    with tempfile.TemporaryDirectory(prefix="cotag-") as folder, trial(Path(folder)) as trying:
        for fault in possible([fault for fault in FAULTS if not wanted or fault.name in wanted], trying.system):
            print(f"  {fault.name}", file=sys.stderr, flush=True)
            outcome = trying.outcome(fault)
            rows.append(row(outcome))
            bad = bad or outcome.failed > 0 or outcome.lost > 0
            for reason in outcome.reasons[:3]:
                print(f"    {reason}", file=sys.stderr, flush=True)
    text = table(rows)
    print(text)
    if not wanted:
        TABLE.write_text(f"`python -m bench.system.faults`\n\n{text}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
