"""Draws docs/images/flat-and-grouped.png: the tags around a query as one heap, and the same tags in groups.

Run it beside `make run`: `python docs/images/make_flat_and_grouped.py [TAG]`. It needs Chromium.
"""

import html
import shutil
import sys
from pathlib import Path

import httpx
from playwright.sync_api import sync_playwright

SERVICE = "http://127.0.0.1:8000"
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b3a400", "#7a7f87", "#a86bfd"]
STYLE = """
body { margin: 0; padding: 24px; width: 1152px; background: #f7f6f2; color: #1b232e; }
body { font: 16px/1.5 system-ui, sans-serif; }
main { display: grid; grid-template-columns: 1fr 2fr; gap: 28px; }
h1 { margin: 0 0 12px; font-size: 18px; }
.flat, section { padding: 14px 18px; background: #fff; border: 1px solid #dedcd4; border-radius: 12px; }
.groups { display: grid; grid-template-columns: 1fr 1fr 1fr; gap: 12px; }
h2 { margin: 0 0 4px; padding-left: 10px; font-size: 15px; border-left: 6px solid var(--hue); }
section { background: color-mix(in srgb, var(--hue) 8%, #fff); border-color: color-mix(in srgb, var(--hue) 35%, #fff); }
span { margin-right: 9px; }
"""


def word(tag: dict) -> str:
    """A tag, larger the heavier it is."""
    return f'<span style="font-size: {13 + 11 * tag["weight"] ** 0.5:.0f}px">{html.escape(tag["tag"])}</span> '


def page(query: str) -> str:
    """The two clouds side by side."""
    answer = httpx.get(f"{SERVICE}/v1/corpora/demo/cloud", params={"tag": query, "limit": 40}).raise_for_status().json()
    tags = sorted((tag for group in answer["groups"] for tag in group["tags"]), key=lambda tag: -tag["weight"])
    groups = "".join(
        f'<section style="--hue: {COLOURS[number % len(COLOURS)]}"><h2>{html.escape(group["label"])}</h2>'
        f"{''.join(map(word, group['tags']))}</section>"
        for number, group in enumerate(answer["groups"])
    )
    return (
        f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><main><div><h1>The tags around “{query}”</h1>"
        f'<div class="flat">{"".join(map(word, tags))}</div></div>'
        f'<div><h1>The same tags with Cotag</h1><div class="groups">{groups}</div></div></main>'
    )


def main() -> None:
    """Draw it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        drawn = browser.new_page(viewport={"width": 1200, "height": 700}, device_scale_factor=1.5)
        drawn.set_content(page(sys.argv[1] if len(sys.argv) > 1 else "card"))
        drawn.screenshot(path=Path(__file__).parent / "flat-and-grouped.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
