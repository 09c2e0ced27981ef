"""How the documents become a site: `make docs` builds it strictly into build/site."""

import re
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))
package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

project = "Cotag"
author = "The Cotag authors"
release = version = package["version"]
root_doc = "README"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
napoleon_use_ivar = True

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # tests/notebooks runs them; their outputs are in the files
autodoc_member_order = "bysource"
autodoc_typehints = "description"
nitpick_ignore_regex = [("py:.*", ".*")]  # names of other libraries have no page here
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "Cotag"
html_favicon = "../service/pages/static/icon.svg"
html_theme_options = {"source_repository": package["urls"]["Homepage"], "source_directory": "docs/"}

SECTIONS = {
    "Tutorial": ["tutorial/first-cloud", "tutorial/library", "tutorial/*", "notebooks/README", "notebooks/*"],
    "How-to": ["how-to/*"],
    "Reference": ["reference/*", "glossary", "glossary/*"],
    "Explanation": ["explanation/*", "architecture"],
    "Research": ["research/*"],
    "Decisions": ["decisions/*"],
}
"""The navigation. The lists of README.md are for readers of the files; a hidden tree beside each is for the site."""

OUTSIDE = re.compile(r"\]\(((?:\.\./)+)([^)#]+)(#[^)]*)?\)")


def prepare(_: Any, name: str, source: list[str]) -> None:
    """Links to files that are no documents lead to the repository; the first page gets the navigation."""

    def outward(link: re.Match[str]) -> str:
        target = ((DOCS / name).parent / (link[1] + link[2])).resolve()
        if target.is_relative_to(DOCS):
            return link[0]
        return f"]({package['urls']['Homepage']}/blob/main/{target.relative_to(ROOT)}{link[3] or ''})"

    source[0] = OUTSIDE.sub(outward, source[0])
    if name == root_doc:
        source[0] += "".join(
            f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
            for caption, pages in SECTIONS.items()
        )


def enter(app: Any, error: Exception | None) -> None:
    """Hosts show index.html first: it is the first page under another name."""
    if error is None and app.builder.name == "html":
        shutil.copy(app.outdir / f"{root_doc}.html", app.outdir / "index.html")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", prepare)
    app.connect("build-finished", enter)
