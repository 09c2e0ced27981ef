"""`make bench`: the measurements that the documents quote, one after the other; or those named.

python -m bench [NAME …]    names as in NAMES below, such as service.serving
"""

import subprocess
import sys

EVERY_TIME = ("cocluster.engine", "service.serving")
"""Speed, side by side with peers. The others take long and keep their results; ask for them by name."""

NAMES = (
    *EVERY_TIME,
    "service.serving.servers",
    "service.serving.faults",
    "cocluster.stability",
    "worker.suggest",
    "worker.tagging",
    "worker.keeper",
    "service.recommendations",
    "service.documents",
    "cocluster.paper",
    "cocluster.critical_size",
    "cocluster.scale",
    "worker.meaningless",
    "service.document_index",
    "system.many_corpora",
    "system.resources",
    "worker.folding",
    "system.soak",
    "service.first_page",
    "service.map_frames",
)


def main() -> int:
    wanted = sys.argv[1:] or list(EVERY_TIME)
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        print(f"no such measurement: {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    arguments = {"cocluster.critical_size": ["evaluate"]}
    codes = [
        subprocess.run([sys.executable, "-m", f"bench.{name}", *arguments.get(name, [])], check=False).returncode
        for name in wanted
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
