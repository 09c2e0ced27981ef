"""No container engine is needed to see that the images run what the tests run."""

import re
import tomllib
from pathlib import Path

import click
import pytest
import yaml

from cotag.cli import cli
from cotag.launcher.settings import UpSettings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
COMMANDS = cli.list_commands(click.Context(cli))


def stage(name):
    return re.search(rf"^FROM \S+ AS {name}\n(.*?)(?=^FROM|\Z)", DOCKERFILE, re.DOTALL | re.MULTILINE)[1]


@pytest.mark.parametrize(("target", "command"), [("service", "serve"), ("worker", "worker")])
def test_each_image_runs_its_command_as_an_ordinary_user_with_a_health_check(target, command):
    text = stage(target)
    assert f'CMD ["cotag", "{command}"]' in text
    assert re.search(r"^USER cotag$", text, re.MULTILINE)
    assert "HEALTHCHECK" in text
    assert "apt" not in text
    assert "gcc" not in DOCKERFILE


def test_images_install_the_extras_of_the_project_with_its_constraints():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for target in ("service", "worker"):
        assert target in extras
        assert f"pip install --no-cache-dir -c constraints.txt '.[{target}]'" in stage(f"{target}-build")


def test_every_package_of_the_wheel_is_copied():
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    for package in packages["packages"]:
        assert f"COPY {package} {package}" in DOCKERFILE


def test_compose_runs_existing_commands_with_existing_settings():
    for name in ("worker", "scheduler"):
        program, command = COMPOSE["services"][name]["command"]
        assert program == "cotag"
        assert command in COMMANDS
        assert COMPOSE["services"][name]["build"]["target"] == "worker"
    settings = {f"COTAG_{name.upper()}" for name in UpSettings.model_fields}
    used = set(re.findall(r"COTAG_\w+", (ROOT / "compose.yaml").read_text() + DOCKERFILE))
    assert used <= settings
    assert set(COMPOSE["services"]) == {"redis", "worker", "scheduler", "service"}
