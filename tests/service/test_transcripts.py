"""The curl transcripts of docs/reference/api.md, of the README and of any other document: every one is replayed."""

import os
import re
import shutil

import pytest

from tests.service.transcripts import DOCUMENTS, agrees, run, serving, shown, transcripts


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
        commands = [each.command for each in found[document]]
        for line in re.findall(r"^.*curl .*127\.0\.0\.1.*$|^.*curl .*\\$", document.read_text(), re.MULTILINE):
            assert any(line.removeprefix("$ ") in command for command in commands), line
    untrue = []
    with serving(redis, tmp_path) as address:
        for name, each in [(document.name, each) for document, group in found.items() for each in group]:
            answer = run(each.command, address)
            if each.answer is None:
                assert answer, each.command
                assert '"title":' not in answer, each.command
            elif not agrees(each.answer, answer if " -I " not in each.command else shown(each.command, answer)):
                untrue.append(f"{name}: {each.command}\n{shown(each.command, answer)}")
    assert not untrue, "\n\n".join([*untrue, "python -m tests.service.transcripts --write puts them right"])


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
