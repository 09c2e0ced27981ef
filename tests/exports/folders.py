"""Folders of Markdown notes."""

import json

from tests.exports.documents import docs, export, named


@named("Obsidian")
def obsidian(folder):
    """A vault: tags as a list over lines, as a list in one, or as text; settings in a hidden folder."""
    vault = folder / "Vault"
    (vault / "sub").mkdir(parents=True)
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian" / "app.md").write_text("settings")
    for d in docs():
        tags = [
            "\n" + "".join(f"  - {tag}\n" for tag in d.tags),
            f" [{', '.join(json.dumps(tag) for tag in d.tags)}]\n",
            f" {', '.join(d.tags)}\n",
        ][d.number % 3]
        place = vault / "sub" if d.number % 2 else vault
        (place / f"note {d.number}.md").write_text(
            f'---\ntitle: "{d.title}"\ndate: {d.date}\naliases:\n  - n{d.number}\ntags:{tags}---\n\nText, #not-a-tag.\n',  # noqa: E501
            "utf-8",
        )
    return export(vault, "title", "date")


@named("notes with inline tags")
def inline_tags(folder):
    """Notes whose tags stand in the text."""
    vault = folder / "Notes"
    vault.mkdir()
    for d in docs():
        hashes = " ".join("#" + tag.replace(" ", "-") for tag in d.tags)
        (vault / f"{d.number}.md").write_text(f"# {d.title}\n\nSee {hashes}.\n\n```\n#not-a-tag\n```\n", "utf-8")
    return export(vault, "title", inline=True)


@named("Hugo")
def hugo(folder):
    """A site of Hugo: front matter in TOML."""
    content = folder / "content"
    (content / "posts").mkdir(parents=True)
    for d in docs():
        (content / "posts" / f"{d.number}.md").write_text(
            f'+++\ntitle = "{d.title}"\ndate = {d.date}\ntags = {json.dumps(list(d.tags))}\n+++\nText.\n', "utf-8"
        )
    return export(content, "title", "date")


@named("Jekyll")
def jekyll(folder):
    """A site of Jekyll: the date in the name, tags between spaces, comments."""
    posts = folder / "_posts"
    posts.mkdir()
    for d in docs():
        (posts / f"{d.date}-post-{d.number}.markdown").write_text(
            f"---\nlayout: post  # as all\ntitle: '{d.title}'\ntags: {' '.join(d.words)}\n---\nText.\n", "utf-8"
        )
    return export(posts, "title", "date")
