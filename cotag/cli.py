"""The commands. Each imports its packages when it runs: help comes at once, and an image needs only what it runs."""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from cotag.commands.clustering.sources import SourceOptions, min_count_option, source_options
from cotag.commands.mcp import mcp_command
from cotag.commands.operation import (
    backup,
    pause,
    ping,
    proposals_command,
    restore_command,
    resume,
    runs_command,
    snapshots,
)
from cotag.errors import StartError
from cotag.packages import extra_of, require

if TYPE_CHECKING:
    from redis import Redis

    from runtime.log_writer import LogWriter
    from runtime.settings import StoreSettings


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="cotag")
def cli() -> None:
    """Turn a tag corpus into concepts, and serve them to search pages.

    `cotag up` runs everything on this machine. Elsewhere run `cotag worker`, `cotag scheduler` and `cotag serve`, any
    number of each, against one Redis (COTAG_REDIS_URL). docs/reference/settings.md lists all settings.
    """


json_log_option = click.option("--json", "as_json", is_flag=True, help="Log JSON instead of text.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


@cli.command("up")
@click.argument("sources", nargs=-1, metavar="[FILE]...")
@source_options
@min_count_option
@json_log_option
def up_command(*, sources: tuple[str, ...], options: SourceOptions, min_count: int, as_json: bool) -> None:
    """Run everything on this machine: store, worker, scheduler, service.

    Each FILE becomes a corpus named after it: a table (CSV, TSV, Excel, Parquet), JSON, XML, bookmarks, BibTeX, RIS, a
    folder of notes or of such files, a SQLite file, or the URL of a database. Cotag finds out which columns hold the
    tags, and says so; options overrule it. Without files it clusters the corpora of COTAG_CORPORA (the demo by
    default). It starts a store of its own unless COTAG_REDIS_URL is set, and serves on COTAG_HOST and COTAG_PORT.
    Ctrl-C ends it all.
    """
    require("service", "worker", "embedded", install="all")
    from cotag.commands.clustering.sources import recognised_sections
    from cotag.launcher.settings import UpSettings
    from cotag.launcher.up import up as run
    from runtime.settings import read_settings

    settings = read_settings(UpSettings)
    if as_json:
        settings = settings.model_copy(update={"log_format": "json"})
    if sources and "COTAG_CORPORA" in os.environ:
        raise StartError(
            f"COTAG_CORPORA={settings.corpora} declares the corpora, so cotag up takes no files; unset it, or declare "
            "the files there (cotag init shows how)"
        )
    if not sources and options.given():
        raise StartError("these options describe a file, and there is none: cotag up FILE")
    sections = recognised_sections(sources, options, min_count)
    sys.exit(run(settings, external_store="COTAG_REDIS_URL" in os.environ, sections=sections))


@cli.command()
@json_log_option
def worker(as_json: bool) -> None:
    """Run re-clustering jobs, one at a time."""
    require("worker")
    from runtime.settings import read_settings
    from worker.runs.worker import work
    from worker.settings import WorkerSettings

    settings = read_settings(WorkerSettings)
    _configure_logs(settings, "worker", as_json=as_json)
    work(settings.redis_url, settings.corpora, settings.dask, settings.cache_dir)


@cli.command()
@json_log_option
def scheduler(as_json: bool) -> None:
    """Ask for a re-clustering of each corpus when it is due. Several may run; none asks twice."""
    require("worker")
    from runtime.settings import read_settings
    from snapshot import connect
    from worker.notices.delivery import Deliverer
    from worker.runs.scheduler import Scheduler
    from worker.settings import WorkerSettings

    settings = read_settings(WorkerSettings)
    writer = _configure_logs(settings, "scheduler", as_json=as_json)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    if settings.metrics_port is not None:
        from worker.runs.metrics import serve_metrics

        serve_metrics(settings.redis_url, settings.host, settings.metrics_port, writer)
    scheduler = Scheduler(connect(settings.redis_url), settings.corpora, copies=settings.cache_dir)
    Deliverer(connect(settings.redis_url), lambda: scheduler.corpora).start(stop)
    scheduler.run(stop)


@cli.command()
@json_log_option
def serve(as_json: bool) -> None:
    """Answer HTTP requests, under gunicorn."""
    require("service")
    from runtime.settings import read_settings
    from service.server.gunicorn import Server, use_one_blas_thread
    from service.settings import ServiceSettings

    use_one_blas_thread()
    settings = read_settings(ServiceSettings)
    writer = _configure_logs(settings, "service", as_json=as_json)
    Server(settings, writer).run()


@cli.command("cluster")
@click.argument("source", metavar="FILE")
@source_options
@click.option("-k", type=click.IntRange(min=1), help="Exactly so many groups, instead of the best number.")
@click.option(
    "--dendrogram", type=click.Path(path_type=Path), help="Write the tree to a .svg, .png, .newick or .json file."
)
@min_count_option
@click.option("--sample", type=click.IntRange(min=2), help="Cluster only so many documents, drawn at random.")
@json_option
def cluster_command(
    *,
    source: str,
    options: SourceOptions,
    k: int | None,
    dendrogram: Path | None,
    min_count: int,
    sample: int | None,
    as_json: bool,
) -> None:
    """Cluster the documents of FILE once and print the groups of tags. Needs no store.

    FILE is a table (CSV, TSV, Excel, Parquet), JSON, XML, bookmarks, BibTeX or RIS, plain or compressed (.gz, .zst,
    .zip), a folder of notes or of such files, a SQLite file, or the URL of a database. Cotag finds out which columns
    hold the tags, and says so; options overrule it.
    """
    require("worker")
    from cotag.commands.clustering.cluster import cluster_file

    cluster_file(source, options, k=k, min_count=min_count, sample=sample, dendrogram=dendrogram, as_json=as_json)


@cli.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@source_options
@min_count_option
@click.option("--output", default="corpora.toml", show_default=True, help="The file to write; - for standard output.")
@json_option
def init(*, sources: tuple[str, ...], options: SourceOptions, min_count: int, output: str, as_json: bool) -> None:
    """Write a corpora file that declares each FILE as a corpus, with comments.

    It takes the same files and options as cotag up and cotag cluster.
    """
    require("worker")
    from cotag.commands.clustering.init import write_corpora_file

    write_corpora_file(sources, options, min_count, output, as_json=as_json)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def corpora(as_json: bool) -> None:
    """List the declared corpora: what is served, how old it is, when the next run is due."""
    from cotag.commands.jobs import list_corpora

    list_corpora(_store(), as_json=as_json)


@cli.command("recluster")
@click.argument("name")
@click.option("--wait", is_flag=True, help="Wait for the end of the run and show its progress.")
@click.option("--fresh", is_flag=True, help="Also try without inheriting from the version before.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def recluster_command(name: str, wait: bool, fresh: bool, as_json: bool) -> None:
    """Re-cluster the corpus NAME now. Needs a running scheduler and worker."""
    from cotag.commands.jobs import request_run

    sys.exit(request_run(_store(), name, wait=wait, fresh=fresh, as_json=as_json))


@cli.command()
@click.option("--cancel", metavar="JOB", help="Cancel this job.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def jobs(cancel: str | None, as_json: bool) -> None:
    """List the jobs of the last week, newest first, or cancel one."""
    from cotag.commands.jobs import cancel_job, list_jobs

    if cancel is not None:
        cancel_job(_store(), cancel, as_json=as_json)
    else:
        list_jobs(_store(), as_json=as_json)


@cli.command("edits")
@click.argument("name")
@click.argument("action", type=click.Choice(["list", "export", "import"]), default="list")
@click.argument("arguments", nargs=-1)
@click.option("--dry-run", is_flag=True, help="Of an import: change nothing, report what would change.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def edits_command(*, name: str, action: str, arguments: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """List the decisions of editors about the corpus NAME, or export and import them.

    \b
    cotag edits NAME                          all of them, newest first, and whether they are in force
    cotag edits NAME export [FILE]            those that are not in the corpora file, as JSON lines
    cotag edits NAME import FILE [--dry-run]  add such lines, or a thesaurus in SKOS (.ttl, .jsonld), all or none
    """
    require("service")
    from cotag.commands.curation.edits import run_edits_action

    run_edits_action(_store(), name, action, arguments, dry_run=dry_run, as_json=as_json)


@cli.command("export")
@click.argument("name")
@click.argument("path", metavar="DIR|FILE", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["site", "skos"]), default="site", show_default=True)
@click.option("--version", help="Another version than the one that is served.")
@click.option("--max-mb", type=click.IntRange(min=1), default=100, show_default=True, help="Write no larger site.")
@click.option("--base", default="", help="What addresses begin with in SKOS; urn:cotag:NAME without it.")
@json_option
def export_command(
    *, name: str, path: Path, form: str, version: str | None, max_mb: int, base: str, as_json: bool
) -> None:
    """Write the corpus NAME as a static site into DIR: cloud, concepts, map, tree, and a search by tag.

    Any host serves it, and it opens from plain files. With --format skos, write the vocabulary into FILE instead: its
    labels, relations and concepts in Turtle, or in JSON-LD if FILE ends in .jsonld. The same version and edits make the
    same bytes.
    """
    require("service")
    from cotag.commands.export import export_site, export_skos

    if form == "skos":
        export_skos(_store(), name, path, version=version, base=base, as_json=as_json)
    elif path.is_file():
        raise click.BadParameter(f"{path} is a file", param_hint="DIR")
    else:
        export_site(_store(), name, path, version=version, most_mb=max_mb, as_json=as_json)


@cli.command("purge")
@click.argument("name")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Remove every document, and with them every version.")
@json_option
def purge_command(*, name: str, ids: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Remove documents of the corpus NAME for good, and print what was removed.

    They go from what was pushed, from every stored version, from the files of the store, and from the copies that
    services keep on this machine. docs/how-to/erase.md says what is left to you.
    """
    require("service")
    from cotag.commands.purge import purge_documents

    purge_documents(_store(), name, ids, everything=everything, as_json=as_json)


@cli.command("warm")
@json_option
def warm_command(as_json: bool) -> None:
    """Compile the kernels now instead of during the first run, in two processes. Done once, when installing."""
    require("library")
    from cotag.commands.tables import print_json
    from cotag.compilation import compile_kernels

    started = time.monotonic()
    compile_kernels((lambda _: None) if as_json else click.echo)
    if as_json:
        print_json({"seconds": round(time.monotonic() - started, 1)})


for command in (snapshots, backup, restore_command, pause, resume, runs_command, ping, proposals_command, mcp_command):
    cli.add_command(command)


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
        if (extra := extra_of(error.name or "")) is None:
            raise
        _fail(f"this needs packages that are not installed ({error.name}): pip install 'cotag[{extra}]'")
    except _store_errors() as error:
        from cotag.commands.store_address import store_hint

        _fail(f"the store does not answer ({str(error).rstrip('.')}): {store_hint()}")
    except _user_errors() as error:
        _fail(str(error))
    sys.exit(0)


def _store_errors() -> tuple[type[Exception], ...]:
    """Errors of a store that does not answer. Python asks for them only when a command raised something."""
    from snapshot import StoreUnavailable

    return (StoreUnavailable,)


def _user_errors() -> tuple[type[Exception], ...]:
    """Errors whose message is all that the user needs."""
    from runtime.settings import SettingsError
    from snapshot import SnapshotError
    from worker.errors import CorpusError

    return (SettingsError, SnapshotError, CorpusError, StartError)


def _store() -> "Redis":
    """A client of the store."""
    from cotag.commands.store_address import store_client

    return store_client()


def _configure_logs(settings: "StoreSettings", part: str, *, as_json: bool) -> "LogWriter":
    from cotag.logs import configure

    return configure(settings.model_copy(update={"log_format": "json"}) if as_json else settings, part)


def _fail(message: str) -> NoReturn:
    click.echo(f"cotag: {message}", err=True)
    sys.exit(1)
