"""extract: the text of every PDF, with page and box of every word (pdftotext)."""

from flows.stage import main, progress, step
from tasks import params as settings
from tasks import paths, store
from tasks.errors import DataError, UnreadablePdf
from tasks.extract import document_words, pdfs
from tasks.records import Word


def extract(dataset: str) -> None:
    """Read every PDF; one that cannot be read does not stop the others, and the run then ends with the list."""
    from tasks.backends.pdftotext import Pdftotext

    reader = Pdftotext(settings.load().extract.timeout)
    words: list[Word] = []
    unreadable: list[str] = []
    found = pdfs(paths.guidelines(dataset))
    for pdf in progress(found, f"extract {dataset}", len(found)):
        try:
            words += step(pdf.stem, document_words)(reader, pdf)
        except UnreadablePdf as error:
            unreadable.append(str(error))
    store.write(paths.extract(dataset) / "words.parquet", words, Word)
    if unreadable:
        raise DataError(f"{len(unreadable)} of {len(found)} documents were not read:\n- " + "\n- ".join(unreadable))


if __name__ == "__main__":
    main("extract", extract, ["dataset"])
