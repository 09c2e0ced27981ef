"""Containers and Kubernetes give every part its user of SECURITY.md, with a password that deploy/passwords.sh makes."""

import shutil
import subprocess

import pytest
import yaml
from redis.exceptions import NoPermissionError, ResponseError

from cotag.launcher.store_server import wait_for_store
from snapshot import connect
from snapshot.store import keys
from tests.deploy.promql import DEPLOY
from tests.faults.test_store_urls import redis_binary

ROOT = DEPLOY.parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
KUSTOMIZATION = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text())


def container(part):
    """The container of a part in deploy/kubernetes."""
    documents = yaml.safe_load_all((DEPLOY / "kubernetes" / f"{part}.yaml").read_text())
    (workload,) = (document for document in documents if document["kind"] in {"Deployment", "StatefulSet"})
    return workload["spec"]["template"]["spec"]["containers"][0]


@pytest.fixture
def made(tmp_path):
    """A checkout in which passwords can be made."""
    (tmp_path / "deploy" / "kubernetes").mkdir(parents=True)
    shutil.copy(DEPLOY / "passwords.sh", tmp_path / "deploy")
    shutil.copy(ROOT / "SECURITY.md", tmp_path)

    def make(*arguments):
        command = ["sh", str(tmp_path / "deploy" / "passwords.sh"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    make.folder = tmp_path / "deploy"
    return make


def password(folder, name):
    url = (folder / name).read_text().strip().removeprefix("COTAG_REDIS_URL=")
    return url.removeprefix("redis://").removesuffix("@redis:6379/0")


@pytest.mark.parametrize("deployment", ["compose", "kubernetes"])
def test_the_store_of_each_deployment_knows_these_users_and_nobody_else(made, tmp_path_factory, deployment):
    """A real server, started as the file starts it, but for where it listens and writes."""
    assert made().returncode == 0
    folder = made.folder / ("passwords" if deployment == "compose" else "kubernetes/passwords")
    command = COMPOSE["services"]["redis"]["command"] if deployment == "compose" else container("redis")["args"]
    data = tmp_path_factory.mktemp("s")
    places = {
        "/users.acl": str(folder / "users.acl"),
        "/users/users.acl": str(folder / "users.acl"),
        "/data": str(data),
    }
    command = [redis_binary(), *(places.get(word, word) for word in command[1:])]
    command += ["--port", "0", "--unixsocket", str(data / "s"), "--dir", str(data), "--logfile", str(data / "log")]
    with subprocess.Popen(command) as process:
        try:
            wait_for_store(f"unix://{data / 's'}", give_up=lambda: process.poll() is not None)
            writer = connect(f"unix://{password(folder, 'writer.env')}@{data / 's'}")
            reader = connect(f"unix://{password(folder, 'service.env')}@{data / 's'}")
            stranger = connect(f"unix://{data / 's'}")
            writer.set(keys.current("x"), "1")
            assert reader.get(keys.current("x")) == b"1"
            assert stranger.ping()
            for refused in (lambda: stranger.get(keys.current("x")), lambda: reader.set(keys.current("x"), "2")):
                with pytest.raises((NoPermissionError, ResponseError)):
                    refused()
        finally:
            process.kill()


def test_passwords_are_new_each_time_private_and_never_replaced(made):
    assert made().returncode == 0
    first = password(made.folder / "passwords", "writer.env")
    assert len(first.removeprefix("cotag-writer:")) == 64
    assert (made.folder / "passwords" / "writer.env").stat().st_mode & 0o777 == 0o600
    assert first.partition(":")[2] not in (made.folder / "passwords" / "users.acl").read_text()
    again = made()
    assert again.returncode == 1
    assert "remove it to make new passwords" in again.stderr
    for folder in ("passwords", "kubernetes/passwords"):
        shutil.rmtree(made.folder / folder)
    assert made("writer").returncode == 0
    assert password(made.folder / "passwords", "writer.env") != first
    assert password(made.folder / "passwords", "service.env").startswith("cotag-writer:")
    assert made("owner").returncode == 2


def test_every_part_takes_its_own_user():
    for part in ("worker", "scheduler"):
        assert COMPOSE["services"][part]["env_file"] == "deploy/passwords/writer.env"
        assert {"secretRef": {"name": "store-writer"}} in container(part)["envFrom"]
    assert COMPOSE["services"]["service"]["env_file"] == "deploy/passwords/service.env"
    assert {"secretRef": {"name": "store-service"}} in container("service")["envFrom"]
    generated = {each["name"]: each.get("envs") or each["files"] for each in KUSTOMIZATION["secretGenerator"]}
    assert generated == {
        "store-users": ["passwords/users.acl"],
        "store-writer": ["passwords/writer.env"],
        "store-service": ["passwords/service.env"],
    }
    for file in (ROOT / "compose.yaml", *(DEPLOY / "kubernetes").glob("*.yaml")):
        assert "COTAG_REDIS_URL:" not in file.read_text(), file
