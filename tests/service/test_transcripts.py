"""The curl transcripts of docs/reference/api.md and of the README: every one is replayed."""

import json
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.service.conftest import KEY

ROOT = Path(__file__).parents[2]
API = (ROOT / "docs" / "reference" / "api.md").read_text()
README = (ROOT / "README.md").read_text()
TRANSCRIPTS = re.findall(r"```console\n\$ (curl .*?[^\\])\n(.*?)```", API, re.DOTALL)
VOLATILE = ("age_seconds", "created", "stale_seconds", "job", "started", "updated", "Date")


def asked(client, command):
    """Run a curl command against the app."""
    words = shlex.split(command.replace("\\\n", " ").replace("$KEY", KEY))
    method, headers, data, url = "GET", {}, None, ""
    rest = iter(words[1:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        elif word == "--data-binary":
            method, data = "POST", next(rest).replace("\\n", "\n")
        elif word == "-I":
            method = "HEAD"
        elif not word.startswith("-"):
            url = word
    path = urlsplit(url)
    return client.open(f"{path.path}?{path.query}", method=method, headers=headers, data=data)


def steady(value):
    """An answer without what differs from one moment to the next."""
    if isinstance(value, dict):
        return {name: steady(item) for name, item in value.items() if name not in VOLATILE}
    return [steady(item) for item in value] if isinstance(value, list) else value


def test_there_are_transcripts():
    assert len(TRANSCRIPTS) >= 12


@pytest.mark.parametrize(("command", "expected"), TRANSCRIPTS, ids=[command for command, _ in TRANSCRIPTS])
def test_a_transcript_is_what_the_service_answers(writer, command, expected):
    del writer.environ_base["HTTP_X_API_KEY"]
    answer = asked(writer, command)
    if " -I " in command:
        for line in expected.strip().splitlines()[1:]:
            name, _, value = line.partition(": ")
            assert name in VOLATILE or re.fullmatch(re.escape(value).replace("…", ".*"), answer.headers[name]), name
        assert str(answer.status_code) in expected.splitlines()[0]
    elif expected.lstrip().startswith("{"):
        assert steady(json.loads(expected)) == steady(answer.get_json(force=True))
    else:
        assert answer.text.strip() == expected.strip()


def test_the_commands_of_the_readme_work_and_name_real_fields(client):
    """The README asks the demo; here the small corpus answers in its place."""
    commands = re.findall(r"^\$? ?(curl '.*?')$", README, re.MULTILINE)
    assert commands
    for command in commands:
        answer = asked(client, command.replace("/demo/", "/small/").replace("q=payments", "q=payment"))
        assert answer.status_code == 200, command
    shown = re.search(r"## Ask it.*?```json\n(.*?)```", README, re.DOTALL)[1]
    found = json.dumps(asked(client, commands[0].replace("/demo/", "/small/")).get_json())
    for field in set(re.findall(r'"(\w+)":', shown)):
        assert f'"{field}":' in found, field
