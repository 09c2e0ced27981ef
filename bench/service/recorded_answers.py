"""Records the answers of a running service, and compares another service's answers with them, byte for byte.

    python -m bench.service.recorded_answers record FILE --url http://127.0.0.1:8000
    python -m bench.service.recorded_answers compare FILE --url http://127.0.0.1:8001

`record` asks a thousand questions about every corpus served and writes them down with their answers. `compare` asks
the same questions again and prints every answer that differs. Times, versions, ids of requests and addresses of static
files are masked: they differ from run to run.
"""

import argparse
import gzip
import json
import random
import re
import sys
import time
from collections import Counter
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import httpx

QUESTIONS: Final = 1000
SEED: Final = 15
HEADERS: Final = ("content-type", "cache-control", "vary", "content-encoding", "content-security-policy")
SHOWN: Final = 12
"""Differences printed in full."""

MASKS: Final = (
    (re.compile(r"\d{8}T\d{6}\.\d{3}Z"), "VERSION"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z| UTC)?"), "TIME"),
    (re.compile(r"/static/[0-9a-f]{12}/"), "/static/DIGEST/"),
    (re.compile(r'"instance":"[^"]*"'), '"instance":"ID"'),
    (re.compile(r"https?://127\.0\.0\.1:\d+"), "ORIGIN"),
)


def masked(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return text


def questions(client: httpx.Client, count: int) -> list[str]:
    """Addresses to ask for: every kind of question, many parameters, common and rare tags, some that are wrong."""
    corpora = [corpus["name"] for corpus in client.get("/v1/corpora").json()["corpora"]]
    chosen = random.Random(SEED)
    tags = {
        name: [tag["tag"] for tag in client.get(f"/v1/corpora/{name}/tags", params={"limit": 1000}).json()["tags"]]
        for name in corpora
    }
    kinds = [_cloud, _related, _tags, _tag, _clusters, _cluster, _dendrogram, _curve, _classify, _search, _explore]
    addresses: dict[str, None] = {}
    while len(addresses) < count:
        name = corpora[len(addresses) % len(corpora)]
        path, parameters = chosen.choice(kinds)(chosen, tags[name])
        base = f"/v1/corpora/{name}/" if not path.startswith("/") else path
        query = urlencode([*([("corpus", name)] if path.startswith("/") else []), *parameters])
        addresses.setdefault(f"{base}{'' if path.startswith('/') else path}{'?' + query if query else ''}")
    return list(addresses)


Question = tuple[str, list[tuple[str, str]]]


def _query(chosen: random.Random, tags: list[str]) -> list[tuple[str, str]]:
    """One to four tags, or words as typed, some of them misspelt."""
    some = chosen.sample(tags[: chosen.choice([20, 200, len(tags)])], chosen.choice([1, 1, 1, 2, 3, 4]))
    if chosen.random() < 0.5:
        return [("tag", tag) for tag in some]
    words = " ".join(some)
    form = chosen.random()
    if form < 0.15:
        return [("q", words + "s")]
    if form < 0.3 and len(words) > 4:
        return [("q", words[:2] + words[3:])]
    return [("q", words + chosen.choice(["", " xyzzy"]))]


def _cloud(chosen: random.Random, tags: list[str]) -> Question:
    more = [("limit", str(chosen.choice([5, 20, 60, 80, 500])))] if chosen.random() < 0.6 else []
    if chosen.random() < 0.4:
        more.append(("specificity", str(chosen.choice([0, 0.25, 0.8, 1]))))
    return "cloud", [*(_query(chosen, tags) if chosen.random() < 0.9 else []), *more]


def _related(chosen: random.Random, tags: list[str]) -> Question:
    more = [("limit", str(chosen.choice([1, 5, 50, 100])))] if chosen.random() < 0.5 else []
    if chosen.random() < 0.4:
        more.append(("specificity", str(chosen.choice([0, 0.1, 0.5, 0.9, 1]))))
    return "related", [*_query(chosen, tags), *more]


def _tags(chosen: random.Random, tags: list[str]) -> Question:
    word = chosen.choice(tags)
    named = [(chosen.choice(["prefix", "infix"]), word[: chosen.choice([1, 2, 3])])]
    return "tags", [*named, ("offset", str(chosen.choice([0, 0, 5, 100])))]


def _tag(chosen: random.Random, tags: list[str]) -> Question:
    return "tag", [("tag", chosen.choice(tags)), ("limit", str(chosen.choice([1, 20, 200])))]


def _clusters(chosen: random.Random, _: list[str]) -> Question:
    parameters = [("k", str(chosen.randint(1, 900)))] if chosen.random() < 0.7 else []
    if chosen.random() < 0.3:
        parameters.append(("format", "csv"))
    if chosen.random() < 0.4:
        parameters += [("limit", str(chosen.randint(1, 40))), ("offset", str(chosen.randint(0, 10)))]
    return "clusters", parameters


def _cluster(chosen: random.Random, _: list[str]) -> Question:
    return f"clusters/{chosen.randint(0, 40)}", []


def _dendrogram(chosen: random.Random, _: list[str]) -> Question:
    k = chosen.choice([1, 2, 12, 40, 300, chosen.randint(3, 900)])
    side = chosen.choice(["tags", "tags", "tags", "documents"])
    return "dendrogram", [
        ("k", str(k)),
        ("side", side),
        ("format", chosen.choice(["json", "newick", "linkage", "svg"])),
    ]


def _curve(chosen: random.Random, _: list[str]) -> Question:
    return "curve", [("side", chosen.choice(["tags", "documents"])), ("limit", str(chosen.randint(2, 2000)))]


def _classify(chosen: random.Random, tags: list[str]) -> Question:
    some = chosen.sample(tags, chosen.randint(1, 9)) + (["never seen before"] if chosen.random() < 0.4 else [])
    return "classify", [*(("tag", tag) for tag in some), ("limit", str(chosen.randint(1, 9)))]


def _search(chosen: random.Random, tags: list[str]) -> Question:
    more = [("groups", str(chosen.randint(1, 24)))] if chosen.random() < 0.3 else []
    return "/", [*(_query(chosen, tags) if chosen.random() < 0.9 else []), *more]


def _explore(chosen: random.Random, tags: list[str]) -> Question:
    opened = [("open", str(chosen.randint(len(tags), 3 * len(tags)))) for _ in range(chosen.randint(0, 3))]
    return "/explore", [
        ("leaves", str(chosen.randint(2, 60))),
        ("cut", str(chosen.choice([0, chosen.randint(1, 300)]))),
        *opened,
    ]


def answer(client: httpx.Client, address: str) -> dict[str, Any]:
    """What a service says to one question, masked."""
    response = client.get(address, headers={"Accept-Encoding": "identity"})
    while response.status_code == 503:  # no snapshot yet
        time.sleep(1.0)
        response = client.get(address, headers={"Accept-Encoding": "identity"})
    return {
        "address": address,
        "status": response.status_code,
        "headers": {name: response.headers[name] for name in HEADERS if name in response.headers},
        "body": masked(response.text),
    }


def record(client: httpx.Client, file: Path) -> None:
    """Ask all questions and write the answers down."""
    answers = [answer(client, address) for address in questions(client, QUESTIONS)]
    file.write_bytes(gzip.compress("\n".join(json.dumps(each) for each in answers).encode()))
    kinds = Counter(re.sub(r"\d+", "N", each["address"].split("?")[0]) for each in answers)
    statuses = Counter(each["status"] for each in answers)
    print(f"{len(answers)} answers in {file}: {dict(statuses)}")
    for kind, count in sorted(kinds.items()):
        print(f"{count:5d} {kind}")


def compare(client: httpx.Client, file: Path) -> int:
    """Ask the same questions again; how many answers differ."""
    differing: list[tuple[dict[str, Any], dict[str, Any]]] = []
    recorded = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    for before in recorded:
        after = answer(client, before["address"])
        if after != before:
            differing.append((before, after))
    for before, after in differing[:SHOWN]:
        print(f"--- {before['address']}: {before['status']} → {after['status']}")
        for side in ("headers", "body"):
            print("\n".join(_difference(before[side], after[side])))
    print(f"{len(differing)} of {len(recorded)} answers differ")
    return len(differing)


def _difference(before: Any, after: Any) -> list[str]:
    """The lines, or pieces of JSON, that differ."""
    one, other = (
        re.sub(r"([,{\[])", r"\1\n", value if isinstance(value, str) else json.dumps(value)).splitlines()
        for value in (before, after)
    )
    return [line[:200] for line in unified_diff(one, other, lineterm="", n=0)][:40]


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    arguments = parser.parse_args()
    with httpx.Client(base_url=arguments.url, timeout=120.0) as client:
        if arguments.action == "record":
            record(client, arguments.file)
            return 0
        return 1 if compare(client, arguments.file) else 0


if __name__ == "__main__":
    sys.exit(main())
