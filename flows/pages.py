"""safellm show: a page of a guideline with the box of every numbered line, and what was removed, drawn on it."""

from pathlib import Path

from rich.table import Table
from rich.text import Text

from flows.extract import pdf_reader
from flows.stage import console
from tasks import params as settings
from tasks import paths, store
from tasks.errors import DataError
from tasks.records import Document, Line, Removal, Source
from tasks.validate.drawing import COLOURS, DPI, drawn


def show_page(dataset: str, guideline: str, page: int) -> Path:
    """Draw page `page` (from 1), print its lines, and return the picture's path. Raises DataError for what is not there."""
    params = settings.load()
    source = paths.validate(dataset)
    documents = {item.guideline: item for item in store.read(source / "documents.parquet", Document)}
    if guideline not in documents:
        raise DataError(f"{dataset!r} has no guideline {guideline!r}: there are {sorted(documents)}")
    if not documents[guideline].pages:
        raise DataError(f"{guideline!r} has no pages: read its lines in {str(source / f'{guideline}.txt')!r}")
    if not 1 <= page <= documents[guideline].pages:
        raise DataError(f"{guideline!r} has pages 1 to {documents[guideline].pages}, not {page}")
    lines = [line for line in store.read(source / "lines.parquet", Line) if line.guideline == guideline]
    removals = [item for item in store.read(source / "removals.parquet", Removal) if item.guideline == guideline]
    files = {item.guideline: item.file for item in store.read(paths.extract(dataset) / "sources.parquet", Source)}
    png = pdf_reader(params.extract).picture(paths.guidelines(dataset) / files[guideline], page, DPI)
    picture = paths.pages(dataset) / f"{guideline}-{page}.png"
    store.write_bytes(picture, drawn(png, page, lines, removals))
    console.print(_table(page, lines, removals), soft_wrap=False)
    console.print(f"The page with its lines: {picture}", highlight=False)
    return picture


def _table(page: int, lines: list[Line], removals: list[Removal]) -> Table:
    table = Table("line", "kind", "text", title=f"Page {page}", title_justify="left")
    for line in lines:
        if any(place.page == page for place in line.places):
            table.add_row(str(line.number), Text(line.kind, style=COLOURS.get(line.kind, "")), Text(line.text))
    for item in removals:
        if item.page == page:
            table.add_row("-", Text(item.rule, style="red"), Text(item.text, style="dim"))
    return table
