"""`make bench`: the measurements that the documents quote, one after the other; or those named.

python -m bench [engine] [serving] [serving.servers] [serving.faults]
                [stability] [suggest] [documents] [paper] [critical_size] [scale] [meaningless]
                [document_index] [sizing] [folding] [soak] [first_page] [tagging]
"""

import subprocess
import sys

EVERY_TIME = ("engine", "serving")
"""Speed, side by side with peers. The others take long and keep their results; ask for them by name."""

NAMES = (
    *EVERY_TIME,
    "serving.servers",
    "serving.faults",
    "stability",
    "suggest",
    "documents",
    "paper",
    "critical_size",
    "scale",
    "meaningless",
    "document_index",
    "sizing",
    "folding",
    "soak",
    "first_page",
    "tagging",
)


def main() -> int:
    wanted = sys.argv[1:] or list(EVERY_TIME)
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        print(f"no such measurement: {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    arguments = {"critical_size": ["evaluate"]}
    codes = [
        subprocess.run([sys.executable, "-m", f"bench.{name}", *arguments.get(name, [])], check=False).returncode
        for name in wanted
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
