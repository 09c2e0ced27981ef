"""The curl transcripts of docs/reference/api.md, of the README and of any other document: every one is replayed."""

import os
import re
import shutil

import pytest

from tests.service.transcripts import (
    DOCUMENTS,
    agrees,
    groups,
    prepare,
    run,
    serving,
    shown,
    tolerance_of,
    transcripts,
)

COMMAND = re.compile(r"^(?!cotag +\|).*curl (?:.*127\.0\.0\.1.*|.*\\)$", re.MULTILINE)
"""Lines of documents that call curl, except those that `cotag up` prints."""


@pytest.mark.slow
def test_every_transcript_is_what_the_service_answers(environment, redis, tmp_path):
    """In a real shell with the real curl, about the demo as the real worker clusters it."""
    for needed in ("bash", "curl"):
        if shutil.which(needed) is None:
            message = f"no {needed}: the transcripts of the documents were not replayed"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
    found = {document: transcripts(document.read_text()) for document in DOCUMENTS}
    assert sum(map(len, found.values())) >= 20
    for document in DOCUMENTS:
        commands = "\n".join(each.command for each in found[document])
        for line in COMMAND.findall(document.read_text()):
            assert line.strip().removeprefix("$ ") in commands, line
    untrue = []
    prepare(tmp_path)
    for documents in groups():
        with serving(redis, tmp_path, documents) as address:
            untrue += [
                fault for document in documents for fault in faults(document, found[document], address, tmp_path)
            ]
    assert not untrue, "\n\n".join([*untrue, "python -m tests.service.transcripts --write puts them right"])


def faults(document, replayed, address, folder):
    """The commands that the service answers otherwise than the document shows."""
    tolerance = tolerance_of(document)
    for each in replayed:
        answer = run(each.command, address, folder)
        if each.answer is None or tolerance is None:
            assert answer, each.command
            assert '"title":' not in answer, each.command
        elif not agrees(each.answer, answer if " -I " not in each.command else shown(each.command, answer), tolerance):
            yield f"{document.name}: {each.command}\n{shown(each.command, answer)}"


ANSWER = (
    '{"version": "20261116T120000.000Z", "age_seconds": 7.5, '
    '"tags": [{"tag": "a", "score": 0.5}, {"tag": "b", "score": 1}]}'
)


@pytest.mark.parametrize(
    ("part", "true"),
    [
        (ANSWER, True),
        (ANSWER.replace("20261116", "20270101").replace("7.5", "9"), True),
        (ANSWER.replace("0.5", "0.500001"), True),
        (ANSWER.replace("0.5", "0.51"), False),
        (ANSWER.replace('"b"', '"c"'), False),
        (ANSWER.replace(', "score": 1', ""), False),
        ('{"version": "20261116T120000.000Z", … "tags": [{"tag": "a", …}, …]}', True),
        ('{… "score": 0.5}, {"tag": "b", …}]}', True),
        ('{… {"tag": "b", …}, {"tag": "a", …} …}', False),
        ('{… "tag": "c" …}', False),
        ('{"tags": …}', False),
    ],
)
def test_an_answer_agrees_with_what_is_shown_of_it(part, true):
    assert agrees(part, ANSWER) is true


def test_transcripts_are_found_in_lists_and_over_several_lines():
    text = "1. Do this:\n\n   ```sh\n   curl -H a \\\n     http://x/\n   curl http://y/\n   ```\n"
    assert [each.command for each in transcripts(text)] == ["curl -H a \\\n  http://x/", "curl http://y/"]
