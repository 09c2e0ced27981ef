"""Print what to judge, or write the table of what was judged: python -m bench.worker.proposals"""

import argparse
from pathlib import Path

from bench.places import RESULTS
from bench.worker.proposals import __doc__ as usage
from bench.worker.proposals.judged import FRESH, JUDGED, TUNED, cost, covered, draw, table
from bench.worker.proposals.wordnet import WordNet
from bench.worker.proposals.wordnet import table as wordnet_table


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.worker.proposals", description=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="report", choices=("report", "draw", "cost", "covered", "wordnet"))
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="its dictionary files")
    parser.add_argument("corpora", nargs="*", help=", ".join(JUDGED))
    options = parser.parse_args()
    if options.what == "draw":
        for corpus in options.corpora or JUDGED:
            for each in draw(corpus):
                evidence = f"{each.count} {each.other_count} {each.together} {each.similarity:.2f}"
                print(corpus, each.kind, each.tag, each.other, evidence, ", ".join(each.shared), sep="\t")
        return
    if options.what == "wordnet":
        print(*wordnet_table(WordNet.read(options.wordnet)), sep="\n")
        return
    if options.what == "covered":
        for corpus in options.corpora or JUDGED:
            print(corpus, covered(corpus))
        return
    if options.what == "cost":
        for corpus in options.corpora or JUDGED:
            print(corpus, cost(corpus))
        return
    lines = ["# Proposals to editors", "", "Made by `python -m bench.worker.proposals` from judgements.tsv.", ""]
    lines += [
        "The share of right proposals, and how many were judged. The limits of the kinds were chosen on",
        f"{', '.join(TUNED)}; {' and '.join(FRESH)} decide whether a kind is shown.",
        "",
        *table(),
    ]
    (RESULTS / "proposals.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
