"""Asks Prometheus' own tool about alerts: which of them fire on some samples."""

import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.needs import missing

DEPLOY = Path(__file__).parents[2] / "deploy"
ALERTS = DEPLOY / "prometheus" / "cotag-alerts.yml"
DASHBOARD = DEPLOY / "grafana" / "cotag.json"
MINUTES = 180


def tool(name):
    """The path of a program; without it the test is skipped, or fails in CI."""
    return shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin") or missing(name)


def rules():
    return [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def dashboard_expressions():
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


def metrics_in(expression):
    """The names of Cotag's metrics in an expression."""
    return set(re.findall(r"\bcotag_\w+", expression))


def samples(text, job):
    """The samples of a scrape, as Prometheus stores them: with the name of the job."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            yield sample.name, {**sample.labels, "job": job, "instance": f"{job}:1"}, sample.value


def firing(series, folder):
    """The alerts that fire if these samples stay as they are for three hours: pairs of name and corpus."""
    seen = {}
    for name, labels, value in series:
        listed = ", ".join(f"{key}={json.dumps(text)}" for key, text in sorted(labels.items()))
        seen[f"{name}{{{listed}}}"] = "Inf" if math.isinf(value) else repr(float(value))
    question = 'sort(count by (alertname, corpus) (ALERTS{alertstate="firing"}))'
    case = {
        "rule_files": [str(ALERTS)],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [
                    {"series": name, "values": " ".join([value] * MINUTES)} for name, value in seen.items()
                ],
                "promql_expr_test": [{"expr": question, "eval_time": f"{MINUTES - 1}m", "exp_samples": []}],
            }
        ],
    }
    path = folder / "case.yml"
    path.write_text(json.dumps(case))
    told = subprocess.run([tool("promtool"), "test", "rules", str(path)], capture_output=True, text=True, check=False)
    output = told.stdout + told.stderr
    assert "SUCCESS" in output or "got:" in output, output
    got = output.partition("got:")[2]
    return {
        (re.search(r'alertname="(\w+)"', labels)[1], (re.search(r'corpus="(\w+)"', labels) or ["", ""])[1])
        for labels in re.findall(r"\{[^}]*\}", got)
    }
