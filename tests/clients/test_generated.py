"""The clients offer what openapi.json describes, no more and no less."""

import json
import tomllib
from pathlib import Path

import pytest

from clients.__main__ import generated
from clients.api import described, read

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def api():
    return read(described())


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_a_generated_file_is_as_openapi_json_is_now(path):
    assert path.read_text() == generated()[path], "run: python -m clients --write"


def test_every_operation_is_a_call_with_its_parameters(api):
    document = described()
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    assert len(api.calls) == len(operations) == len({call.name for call in api.calls})
    (cloud,) = [call for call in api.calls if call.name == "cloud"]
    assert (cloud.method, cloud.path) == ("GET", "/v1/corpora/{corpus}/cloud")
    assert [each.name for each in cloud.in_path] == ["corpus"]
    assert {"q", "tag", "groups", "by"} <= {each.name for each in cloud.in_query}


def test_a_call_that_changes_something_keeps_its_method_in_its_name(api):
    names = {call.name for call in api.calls}
    assert {"documents", "post_documents", "delete_documents", "canonical"} <= names


def test_the_npm_package_has_the_version_of_the_python_package():
    package = json.loads((ROOT / "clients" / "js" / "package.json").read_text())
    assert package["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    exact = {name: version for name, version in package["devDependencies"].items() if version[0].isdigit()}
    assert exact == package["devDependencies"], "exact versions"
