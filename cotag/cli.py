"""The commands. Each imports its packages when it runs, so that an image needs only the packages of its commands."""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import NoReturn

import click
from redis import Redis

from cotag.errors import StartError
from snapshot import SettingsError, SnapshotError, StoreSettings, read_settings
from snapshot.log_writer import LogWriter
from worker.errors import CorpusError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="cotag")
def cli() -> None:
    """Turn a tag corpus into concepts, and serve them to search pages.

    `cotag up` runs everything on this machine. Elsewhere run `cotag worker`, `cotag scheduler` and `cotag serve`, any
    number of each, against one Redis (COTAG_REDIS_URL). docs/reference/settings.md lists all settings.
    """


@cli.command()
def up() -> None:
    """Run everything on this machine: store, worker, scheduler, service.

    Starts a store of its own unless COTAG_REDIS_URL is set, clusters the corpora of COTAG_CORPORA (the demo by
    default) and serves them on COTAG_HOST and COTAG_PORT. Ctrl-C ends it all.
    """
    from cotag.settings import UpSettings
    from cotag.up import up as run

    settings = read_settings(UpSettings)
    sys.exit(run(settings, external_store="COTAG_REDIS_URL" in os.environ))


@cli.command()
def worker() -> None:
    """Run re-clustering jobs, one at a time."""
    from worker.settings import WorkerSettings
    from worker.working import work

    settings = read_settings(WorkerSettings)
    _configure_logs(settings, "worker")
    work(settings.redis_url)


@cli.command()
def scheduler() -> None:
    """Ask for a re-clustering of each corpus when it is due. Several may run; none asks twice."""
    from snapshot import connect
    from worker.schedule import Scheduler
    from worker.settings import WorkerSettings

    settings = read_settings(WorkerSettings)
    writer = _configure_logs(settings, "scheduler")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    if settings.metrics_port is not None:
        from worker.metrics import serve_metrics

        serve_metrics(connect(settings.redis_url), settings.metrics_port, writer)
    Scheduler(connect(settings.redis_url), settings.corpora).run(stop)


@cli.command()
def serve() -> None:
    """Answer HTTP requests, under gunicorn."""
    from service.server import Server, use_one_blas_thread
    from service.settings import ServiceSettings

    use_one_blas_thread()
    settings = read_settings(ServiceSettings)
    writer = _configure_logs(settings, "service")
    Server(settings, writer).run()


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-k", type=click.IntRange(min=1), help="Exactly so many groups, instead of the best number.")
@click.option(
    "--dendrogram", type=click.Path(path_type=Path), help="Write the tree to a .svg, .png, .newick or .json file."
)
@click.option("--min-count", default=5, show_default=True, help="Leave out tags in fewer documents than this.")
@click.option("--sample", type=click.IntRange(min=2), help="Cluster only so many documents, drawn at random.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def cluster(
    *, file: Path, k: int | None, dendrogram: Path | None, min_count: int, sample: int | None, as_json: bool
) -> None:
    """Cluster the documents of FILE once and print the groups of tags. Needs no store.

    FILE holds one JSON object a line, {"id": …, "tags": […]}, or is a CSV or TSV table; it may be compressed with gzip
    or zstd.
    """
    from cotag.cluster_command import cluster_file

    cluster_file(file, k=k, min_count=min_count, sample=sample, dendrogram=dendrogram, as_json=as_json)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def corpora(as_json: bool) -> None:
    """List the declared corpora: what is served, how old it is, when the next run is due."""
    from cotag.job_commands import list_corpora

    list_corpora(_redis(), as_json=as_json)


@cli.command()
@click.argument("name")
@click.option("--wait", is_flag=True, help="Wait for the end of the run and show its progress.")
@click.option("--fresh", is_flag=True, help="Also try without inheriting from the version before.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def recluster(name: str, wait: bool, fresh: bool, as_json: bool) -> None:
    """Re-cluster the corpus NAME now. Needs a running scheduler and worker."""
    from cotag.job_commands import request_run

    sys.exit(request_run(_redis(), name, wait=wait, fresh=fresh, as_json=as_json))


@cli.command()
@click.option("--cancel", metavar="JOB", help="Cancel this job.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def jobs(cancel: str | None, as_json: bool) -> None:
    """List the jobs of the last week, newest first, or cancel one."""
    from cotag.job_commands import cancel_job, list_jobs

    if cancel is not None:
        cancel_job(_redis(), cancel)
    else:
        list_jobs(_redis(), as_json=as_json)


@cli.command()
@click.argument("name")
@click.argument("action", type=click.Choice(["list", "show", "diff", "export", "activate"]), default="list")
@click.argument("arguments", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def snapshots(name: str, action: str, arguments: tuple[str, ...], as_json: bool) -> None:
    """List the kept versions of the corpus NAME, or do something with one of them.

    \b
    cotag snapshots NAME                        the kept versions, newest first
    cotag snapshots NAME show [VERSION]         parameters, quality, lineage and clusters (default: the one served)
    cotag snapshots NAME diff OLD NEW           tags that came, went or changed cluster
    cotag snapshots NAME export FILE [VERSION]  clusters, tag map and tree as JSON
    cotag snapshots NAME activate VERSION       serve it from now on: roll back or forward, or release a kept one
    """
    from cotag.snapshot_commands import run_action

    run_action(_redis(), name, action, arguments, as_json=as_json)


@cli.command()
def warm() -> None:
    """Compile the kernels now instead of during the first run, in two processes. Done once, when installing."""
    from cotag.compiling import compile_kernels

    compile_kernels(click.echo)


@cli.command()
def ping() -> None:
    """Ask the store whether it answers: the health check of worker and scheduler."""
    from cotag.store import wait_for_store

    wait_for_store(read_settings(StoreSettings).redis_url, seconds=2.0)


def main() -> NoReturn:
    """Run a command; print errors that users can fix in one line, without a stack trace."""
    try:
        cli(standalone_mode=False)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except ModuleNotFoundError as error:
        if (part := _missing_part(error)) is None:
            raise
        _fail(f"this needs a part that is not installed ({error.name}): pip install 'cotag[{part}]'")
    except (SettingsError, SnapshotError, CorpusError, StartError) as error:
        _fail(str(error))
    sys.exit(0)


def _missing_part(error: ModuleNotFoundError) -> str | None:
    """The extra that a missing module belongs to."""
    module = (error.name or "").partition(".")[0]
    return {
        "flask": "service",
        "brotli": "service",
        "gunicorn": "service",
        "rapidfuzz": "service",
        "rq": "worker",
        "scipy": "worker",
        "numba": "worker",
        "psutil": "embedded",
        "matplotlib": "plot",
    }.get(module)


def _redis() -> Redis:
    """A client of the store: the one in the settings, or that of a `cotag up` in this directory."""
    from snapshot import connect

    settings = read_settings(StoreSettings)
    socket = Path(os.environ.get("COTAG_DATA_DIR", ".cotag")).absolute() / "store.sock"
    url = f"unix://{socket}" if "COTAG_REDIS_URL" not in os.environ and socket.exists() else settings.redis_url
    return connect(url)


def _configure_logs(settings: StoreSettings, part: str) -> LogWriter:
    from cotag.logs import configure

    return configure(settings, part)


def _fail(message: str) -> NoReturn:
    click.echo(f"cotag: {message}", err=True)
    sys.exit(1)
