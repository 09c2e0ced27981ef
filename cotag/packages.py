"""Checks that the packages of a command are installed, before it does any work."""

from importlib.util import find_spec
from typing import Final

from cotag.errors import StartError

MODULES: Final = {
    "service": (
        *("brotli", "fastcluster", "flask", "gunicorn", "httptools"),
        *("prometheus_client", "rapidfuzz", "snowballstemmer", "typing_extensions", "uvicorn", "uvloop"),
    ),
    "worker": ("croniter", "joblib", "numba", "prometheus_client", "psutil", "scipy", "sqlalchemy", "threadpoolctl"),
    "library": ("joblib", "numba", "scipy", "threadpoolctl"),
    "embedded": ("psutil",),
    "plot": ("matplotlib",),
    "parquet": ("pyarrow",),
    "postgres": ("psycopg",),
    "dask": ("distributed",),
    "mcp": ("httpx", "mcp"),
    "skos": ("rdflib",),
    "excel": ("python_calamine",),
    "xml": ("defusedxml",),
    "encodings": ("charset_normalizer",),
}
"""The modules of each extra. The embedded store has none of its own: a server on PATH takes its place."""


def require(*extras: str, install: str = "") -> None:
    """StartError if a module of these extras is missing. It names `install`, or the extras that are incomplete."""
    missing = {extra: [module for module in MODULES[extra] if find_spec(module) is None] for extra in extras}
    modules = dict.fromkeys(module for names in missing.values() for module in names)
    if modules:
        needed = install or ",".join(extra for extra, names in missing.items() if names)
        raise StartError(
            f"this needs packages that are not installed ({', '.join(modules)}): pip install 'cotag[{needed}]'"
        )


def extra_of(module: str) -> str | None:
    """The extra that a module belongs to."""
    top = module.partition(".")[0]
    return next((extra for extra, modules in MODULES.items() if top in modules), None)
