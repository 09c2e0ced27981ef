"""Tables: spreadsheets, encodings, and the ways of columns to hold tags."""

import csv
import io
import zipfile
from xml.sax.saxutils import escape

from tests.exports.documents import docs, export, named

CARD = ("title", "url", "image", "date")


def table_text(titles, lines, *, delimiter=",", newline="\n"):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=newline)
    if titles:
        writer.writerow(titles)
    writer.writerows(lines)
    return out.getvalue()


def full_rows():
    yield ["Id", "Title", "URL", "Image", "Date", "Tags"]
    for doc in docs():
        yield [doc.number, doc.title, doc.url, doc.image, doc.date, ", ".join(doc.tags)]


def write_xlsx(path, rows, sheet="Sheet1"):
    """A workbook as Excel stores it: strings in a shared table, numbers in the cells."""
    shared: dict[str, int] = {}

    def cell(value, place):
        if isinstance(value, int):
            return f'<c r="{place}"><v>{value}</v></c>'
        return f'<c r="{place}" t="s"><v>{shared.setdefault(value, len(shared))}</v></c>'

    lines = "".join(
        f'<row r="{r}">' + "".join(cell(value, f"{chr(65 + c)}{r}") for c, value in enumerate(row)) + "</row>"
        for r, row in enumerate(rows, start=1)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    sheetml = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{sheetml}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{sheetml}.worksheet+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{sheetml}.sharedStrings+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="rId1" Type="{kind}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{kind}">'
        f'<sheets><sheet name="{sheet}" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="rId1" Type="{kind}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{kind}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData></worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{main}" count="{len(shared)}" uniqueCount="{len(shared)}">'
        + "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
        + "</sst>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, head + content)
    return path


@named("xlsx")
def xlsx(folder):
    return export(write_xlsx(folder / "library.xlsx", full_rows()), *CARD)


@named("ods")
def ods(folder):
    """A spreadsheet as LibreOffice stores it."""

    def cell(value):
        if isinstance(value, int):
            return (
                f'<table:table-cell office:value-type="float" office:value="{value}">'
                f"<text:p>{value}</text:p></table:table-cell>"
            )
        return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'

    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text", "manifest")
    )
    rows = "".join("<table:table-row>" + "".join(map(cell, row)) + "</table:table-row>" for row in full_rows())
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    path = folder / "library.ods"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", kind, compress_type=zipfile.ZIP_STORED)
        file.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest {names}><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
            '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',  # noqa: E501
        )
        file.writestr(
            "content.xml",
            f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {names} office:version="1.2"><office:body>'
            f'<office:spreadsheet><table:table table:name="Sheet1">{rows}</table:table></office:spreadsheet>'
            "</office:body></office:document-content>",
        )
    return export(path, *CARD)


@named("zip with one table")
def zipped_csv(folder):
    """A download of one table, with the folder that macOS adds."""
    titles, *lines = full_rows()
    path = folder / "download.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("export/", "")
        file.writestr("export/library.csv", table_text(titles, lines))
        file.writestr("__MACOSX/export/._library.csv", b"\x00\x05\x16\x07")
        file.writestr("export/README.txt", "What the columns mean.")
    return export(path, *CARD)


def encoded_csv(folder, name, encoding, delimiter):
    titles, *lines = full_rows()
    path = folder / name
    path.write_bytes(table_text(titles, lines, delimiter=delimiter, newline="\r\n").encode(encoding))
    return export(path, *CARD)


@named("CSV in UTF-16")
def utf16_csv(folder):
    """Excel's "Unicode Text": tabs, UTF-16 with a byte order mark."""
    return encoded_csv(folder, "library.csv", "utf-16", "\t")


@named("CSV in Windows-1252")
def windows_csv(folder):
    """Excel's plain CSV in western Europe."""
    return encoded_csv(folder, "bibliothek.csv", "cp1252", ";")


@named("Danbooru (spaces)")
def danbooru(folder):
    """Posts of an image board: tags in one text, each without white space."""
    titles = ["id", "created_at", "rating", "score", "tag_string", "tag_count_general", "file_url"]
    lines = [[d.number, d.date, "s", d.number % 7, " ".join(d.words), len(d.tags), d.image] for d in docs()]
    path = folder / "posts.csv"
    path.write_text(table_text(titles, lines))
    return export(path, "image", "date")


@named("tag1 … tag6")
def numbered_columns(folder):
    """A form that has six fields for tags."""
    titles = ["id", "name", *(f"tag{number}" for number in range(1, 7))]
    lines = [[d.number, d.title, *d.tags, *[""] * (6 - len(d.tags))] for d in docs()]
    path = folder / "form.csv"
    path.write_text(table_text(titles, lines), encoding="utf-8")
    return export(path, "title")


@named("one-hot columns")
def one_hot(folder):
    """A table for machine learning: a column for each tag, 1 where the document has it."""
    tags = sorted({tag for doc in docs() for tag in doc.tags})
    lines = [[d.number, d.title, *(int(tag in d.tags) for tag in tags)] for d in docs()]
    path = folder / "onehot.csv"
    path.write_text(table_text(["id", "title", *tags], lines), encoding="utf-8")
    return export(path, "title")


@named("two columns of tags")
def two_tag_columns(folder):
    """Genres and moods apart: the owner wants both."""
    titles = ["id", "title", "genres", "moods"]
    lines = [[d.number, d.title, "|".join(d.tags[:2]), "|".join(d.tags[2:])] for d in docs()]
    path = folder / "songs.csv"
    path.write_text(table_text(titles, lines), encoding="utf-8")
    return export(path, "title", tags=("genres", "moods"))


@named("Last.fm pairs with weights")
def lastfm(folder):
    """Pairs with a weight."""
    lines = [[d.title, tag, 100 - place] for d in docs() for place, tag in enumerate(d.tags)]
    path = folder / "artist_tags.csv"
    path.write_text(table_text(["artist", "tag", "weight"], lines), encoding="utf-8")
    return export(path)


def pair_rows():
    """Users who tag films, sorted by user: most of them tag several."""
    rows = [((d.number + place) % 20 + 1, d.number, tag) for d in docs() for place, tag in enumerate(d.tags)]
    return [(user, film, tag, 1_500_000_000 + 60 * n) for n, (user, film, tag) in enumerate(sorted(rows))]


@named("MovieLens tags.csv")
def movielens(folder):
    path = folder / "tags.csv"
    path.write_text(table_text(["userId", "movieId", "tag", "timestamp"], pair_rows()))
    return export(path, "date")


@named("MovieLens tags.dat (::)")
def dat(folder):
    """MovieLens 10M: no titles, two colons between the columns."""
    path = folder / "tags.dat"
    path.write_text("".join("::".join(map(str, row)) + "\n" for row in pair_rows()))
    return export(path, "date")


@named("MovieLens movies.dat (::)")
def movies_dat(folder):
    """MovieLens 1M: Latin-1, genres between bars."""
    path = folder / "movies.dat"
    path.write_bytes("".join(f"{d.number}::{d.title}::{'|'.join(d.tags)}\n" for d in docs()).encode("latin-1"))
    return export(path, "title")


@named("Zotero CSV")
def zotero_csv(folder):
    """Zotero: tags by hand and by translators in two columns, many columns empty."""
    titles = ["Key", "Item Type", "Publication Year", "Author", "Title", "ISBN", "Url", "Date", "Manual Tags",
              "Automatic Tags", "Editor", "Series"]  # fmt: skip
    lines = [
        [f"AB{d.number:06}", "journalArticle", d.date[:4], "Doe, Jane", d.title, "", d.url, d.date,
         "; ".join(d.tags[:2]), "; ".join(d.tags[2:]), "", ""]
        for d in docs()
    ]  # fmt: skip
    path = folder / "My Library.csv"
    path.write_text("\ufeff" + table_text(titles, lines), encoding="utf-8")
    return export(path, "title", "url", "date")


@named("images called thumbnail_link")
def image_names(folder):
    """A shop, a video site and a film list call images cover, thumbnail_link, poster."""
    lines = [[d.number, d.title, d.image, "|".join(d.tags)] for d in docs()]
    path = folder / "videos.csv"
    path.write_text(table_text(["video_id", "title", "thumbnail_link", "tags"], lines), encoding="utf-8")
    return export(path, "title", "image")


@named("folder of CSV")
def csv_folder(folder):
    """A folder with one table for each part of the year."""
    folder = folder / "parts"
    folder.mkdir()
    titles, *lines = full_rows()
    for part in range(3):
        (folder / f"part-{part}.csv").write_text(table_text(titles, lines[part::3]), encoding="utf-8")
    (folder / "README.txt").write_text("Three parts.")
    return export(folder, *CARD)
