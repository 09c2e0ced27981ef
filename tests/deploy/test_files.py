"""The files of deploy/ are what the tools that use them accept, and name commands and settings that exist."""

import json
import re
import subprocess

import click
import pytest
import yaml

from cotag.cli import cli
from cotag.launcher.settings import UpSettings
from tests.deploy.promql import ALERTS, DEPLOY, dashboard_expressions, firing, rules, tool
from tests.needs import missing

ROOT = DEPLOY.parent
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
MANIFESTS = [
    (path.name, document)
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    if path.name != "kustomization.yaml"
    for document in yaml.safe_load_all(path.read_text())
]
WORKLOADS = [(name, document) for name, document in MANIFESTS if document["kind"] in {"Deployment", "StatefulSet"}]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
SETTINGS = {f"COTAG_{name.upper()}" for name in UpSettings.model_fields}


def ids(value):
    return value if isinstance(value, str) else value["kind"]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.fixture
def units(tmp_path):
    """The units as an operator installs them, with a program that is on this machine."""
    for unit in [*UNITS, *(DEPLOY / "systemd").glob("*.timer")]:
        (tmp_path / unit.name).write_text(unit.read_text().replace("/opt/cotag/bin/cotag", "/bin/true"))
    return tmp_path


def test_systemd_accepts_the_units(units):
    found = [str(path) for path in sorted(units.iterdir())]
    told = run(tool("systemd-analyze"), "verify", "--man=no", *found)
    complaints = [line for line in told.stderr.splitlines() if "cotag" in line]
    assert (told.returncode, complaints) == (0, [])
    broken = units / "cotag-worker.service"
    broken.write_text(broken.read_text().replace("KillMode=mixed", "KillMode=gently"))
    assert "cotag-worker" in run(tool("systemd-analyze"), "verify", "--man=no", str(broken)).stderr, "it can fail"


@pytest.mark.parametrize("unit", ["cotag-worker.service", "cotag-scheduler.service", "cotag-serve.service"])
def test_systemd_finds_the_units_well_protected(units, unit):
    """An exposure of at most 2 of 10; a unit without any protection has 9.6."""
    told = run(tool("systemd-analyze"), "security", "--offline=true", "--threshold=20", str(units / unit))
    assert told.returncode == 0, told.stdout[-300:]


def test_units_leave_a_run_time_to_finish():
    worker = (DEPLOY / "systemd" / "cotag-worker.service").read_text()
    assert int(re.search(r"TimeoutStopSec=(\d+)", worker)[1]) >= 7200


@pytest.mark.parametrize(("name", "document"), MANIFESTS, ids=ids)
def test_kubernetes_accepts_the_manifests(name, document):
    try:
        import kubernetes_validate
    except ImportError:
        missing("kubernetes-validate")
    for version in ("1.28", "1.31"):
        kubernetes_validate.validate(document, version, strict=True)
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**document, "colour": "blue"}, "1.31", strict=True)


def test_every_manifest_is_applied():
    listed = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text())["resources"]
    assert sorted(listed) == sorted({name for name, _ in MANIFESTS})


@pytest.mark.parametrize(("name", "workload"), WORKLOADS, ids=ids)
def test_every_container_has_probes_limits_and_few_rights(name, workload):
    pod = workload["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert not pod["automountServiceAccountToken"]
    for container in pod["containers"]:
        assert {"livenessProbe", "readinessProbe"} <= container.keys()
        assert "memory" in container["resources"]["limits"]
        security = container["securityContext"]
        assert security["readOnlyRootFilesystem"]
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert security["allowPrivilegeEscalation"] is False


def test_services_are_not_all_evicted_at_once_and_workers_may_finish():
    (budget,) = (document for _, document in MANIFESTS if document["kind"] == "PodDisruptionBudget")
    parts = {document["metadata"]["name"]: document["spec"] for _, document in WORKLOADS}
    assert 0 < budget["spec"]["minAvailable"] < parts["service"]["replicas"]
    assert parts["worker"]["template"]["spec"]["terminationGracePeriodSeconds"] >= 7200


@pytest.mark.parametrize("part", ["redis", "worker", "scheduler", "service"])
def test_compose_gives_every_part_few_rights_and_a_limit(part):
    service = COMPOSE[part]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]


def test_compose_passes_keys_and_cache_and_asks_the_worker_for_its_health():
    assert {"COTAG_API_KEYS", "COTAG_READ_KEYS", "COTAG_CACHE_DIR"} <= COMPOSE["service"]["environment"].keys()
    assert COMPOSE["service"]["volumes"] == ["cache:/var/cache/cotag"]
    assert COMPOSE["worker"]["healthcheck"]["test"] == ["CMD", "cotag", "ping", "worker"]
    minutes = int(COMPOSE["worker"]["stop_grace_period"].removesuffix("m"))
    assert minutes >= 120, "a run may finish"


def test_all_files_name_commands_and_settings_that_exist():
    commands = set(cli.list_commands(click.Context(cli)))
    files = [path for path in DEPLOY.rglob("*") if path.is_file() and path.suffix != ".json"]
    for path in [*files, ROOT / "compose.yaml"]:
        text = path.read_text()
        assert set(re.findall(r"COTAG_[A-Z_]+", text)) <= SETTINGS, path
        used = re.findall(r'bin/cotag (\w+)|"cotag", "(\w+)"', text)
        assert {each for pair in used for each in pair if each} <= commands, path


def test_nginx_accepts_the_proxy(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ["-subj", "/CN=cotag.example.org", "-days", "1", "-nodes", "-newkey", "rsa:2048"]
    made = run(tool("openssl"), "req", "-x509", *subject, "-keyout", str(key), "-out", str(certificate))
    assert made.returncode == 0, made.stderr
    text = (DEPLOY / "nginx" / "cotag.conf").read_text()
    text = text.replace("/etc/ssl/certs/cotag.example.org.pem", str(certificate))
    text = text.replace("/etc/ssl/private/cotag.example.org.key", str(key))
    for listen, port in (("80;", "18080;"), ("443 ssl", "18443 ssl")):
        text = text.replace(f"listen {listen}", f"listen 127.0.0.1:{port}")
    whole = tmp_path / "nginx.conf"

    def check(server):
        whole.write_text(
            f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ access_log off; "
            + "".join(
                f"{kind}_temp_path {tmp_path}/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            )
            + server
            + "}"
        )
        return run(tool("nginx"), "-t", "-c", str(whole))

    assert check(text).returncode == 0, check(text).stderr
    assert check(text.replace("proxy_pass", "proxy_parse")).returncode != 0, "it can fail"


def test_prometheus_accepts_configuration_and_alerts():
    assert run(tool("promtool"), "check", "rules", str(ALERTS)).returncode == 0
    told = run(tool("promtool"), "check", "config", "prometheus.yml", cwd=ALERTS.parent)
    assert told.returncode == 0, told.stderr


def test_prometheus_accepts_every_expression_of_the_dashboard(tmp_path):
    recorded = [{"record": f"panel:{n}", "expr": expr} for n, expr in enumerate(dashboard_expressions())]
    (tmp_path / "panels.yml").write_text(json.dumps({"groups": [{"name": "panels", "rules": recorded}]}))
    told = run(tool("promtool"), "check", "rules", str(tmp_path / "panels.yml"))
    assert told.returncode == 0, told.stderr


def test_every_alert_has_a_severity_and_a_section_that_says_what_to_do():
    runbook = (ROOT / "docs" / "how-to" / "alerts.md").read_text()
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", runbook, re.MULTILINE | re.DOTALL))
    for rule in rules():
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["runbook_url"].endswith(f"docs/how-to/alerts.md#{rule['alert'].lower()}")
        assert rule["alert"] in sections, f"docs/how-to/alerts.md says nothing about {rule['alert']}"
    assert sections.keys() == {rule["alert"] for rule in rules()}


SERVICE = {"job": "cotag-service", "instance": "service:1"}


@pytest.mark.parametrize(
    ("metric", "labels", "value", "alert"),
    [
        ("up", {}, 0, ("CotagServiceDown", "")),
        ("cotag_schedulers", {}, 0, ("CotagNoScheduler", "")),
        ("cotag_overdue_seconds", {"corpus": "x"}, 2000, ("CotagRunOverdue", "x")),
        ("cotag_run_seconds", {"corpus": "x", "stage": "load"}, 9000, ("CotagRunLong", "x")),
        ("cotag_queue_age_seconds", {}, 2000, ("CotagQueueWaits", "")),
        ("cotag_outbox_length", {}, 200, ("CotagOutboxGrows", "")),
    ],
)
def test_alerts_fire_on_their_metrics(tmp_path, metric, labels, value, alert):
    assert firing([(metric, {**SERVICE, **labels}, value)], tmp_path) == {alert}


def test_a_healthy_system_has_no_alert(tmp_path):
    healthy = [
        ("up", {}, 1),
        ("cotag_store_up", {}, 1),
        ("cotag_schedulers", {}, 1),
        ("cotag_workers", {}, 1),
        ("cotag_queue_age_seconds", {}, 5),
        ("cotag_snapshot_age_seconds", {"corpus": "x"}, 9e5),
        ("cotag_last_run", {"corpus": "x", "state": "done"}, 1),
        ("cotag_overdue_seconds", {"corpus": "x"}, 0),
        ("cotag_request_seconds_count", {"status": "200"}, 9),
    ]
    assert firing([(name, {**SERVICE, **labels}, value) for name, labels, value in healthy], tmp_path) == set()


def test_a_held_run_under_a_pin_is_no_alert(tmp_path):
    held = ("cotag_last_run", {**SERVICE, "corpus": "x", "state": "held"}, 1)
    assert firing([held], tmp_path) == {("CotagRunHeld", "x")}
    assert firing([held, ("cotag_pinned", {**SERVICE, "corpus": "x"}, 1)], tmp_path) == set()
