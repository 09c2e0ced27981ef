"""References as their managers export them."""

from tests.exports.documents import docs, export, named


@named("BibTeX")
def bibtex(folder):
    entries = "\n".join(
        f"@article{{doe{d.number},\n  title = {{{{{d.title}}}}},\n  author = {{Doe, Jane and Roe, Richard}},\n"
        f'  year = 2024,\n  journal = "J. {{T}}ests",\n  date = {{{d.date}}},\n  url = {{{d.url}}},\n'
        f"  keywords = {{{', '.join(d.tags)}}},\n}}\n"
        for d in docs()
    )
    path = folder / "library.bib"
    path.write_text(f"% Encoding: UTF-8\n@comment{{made by hand}}\n@string{{jt = {{J. Tests}}}}\n{entries}", "utf-8")
    return export(path, "title", "url", "date")


@named("RIS")
def ris(folder):
    path = folder / "export.ris"
    path.write_text(
        "".join(
            f"TY  - JOUR\r\nAU  - Doe, Jane\r\nTI  - {d.title}\r\nPY  - 2024\r\nDA  - {d.date.replace('-', '/')}\r\n"
            + "".join(f"KW  - {tag}\r\n" for tag in d.tags)
            + f"UR  - {d.url}\r\nER  - \r\n\r\n"
            for d in docs()
        ),
        "utf-8",
        newline="",
    )
    return export(path, "title", "url", "date")
