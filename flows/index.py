"""index: sections with title and representative question, made by the language model and verified (Listing 1)."""

from typing import TYPE_CHECKING

from flows.llms import call_of, open_llm
from flows.stage import main, progress, step
from tasks import params as settings
from tasks import paths, store
from tasks.index import Indexed, Paragraph, ask_subparts, paragraphs, read_subparts
from tasks.records import Call, Document, Dropped, Line, Reply, Section, Sentence

if TYPE_CHECKING:
    from tasks.backends.remembered import Remembered


def index(dataset: str) -> None:
    """Ask for the subparts of every paragraph of every guideline."""
    params = settings.load()
    source = paths.validate(dataset)
    documents = store.read(source / "documents.parquet", Document)
    lines = store.read(source / "lines.parquet", Line)
    sentences = store.read(source / "sentences.parquet", Sentence)
    sections: list[Section] = []
    dropped: list[Dropped] = []
    calls: list[Call] = []
    with open_llm(params, params.index.model, dataset) as llm:
        for document in documents:
            cell = paragraphs(
                [line for line in lines if line.guideline == document.guideline],
                [sentence for sentence in sentences if sentence.guideline == document.guideline],
            )
            label = f"index {document.guideline}"
            indexed = step(document.guideline, _guideline)(llm, document.title, cell, params.index, label)
            for paragraph, (part, reply) in zip(cell, indexed, strict=True):
                sections += part.sections
                dropped += part.dropped
                calls.append(call_of(dataset, "index", f"{document.guideline} P{paragraph.number}", reply))
    store.write(paths.index(dataset) / "sections.parquet", sections, Section)
    store.write(paths.index(dataset) / "dropped.parquet", dropped, Dropped)
    store.write(paths.index(dataset) / "calls.parquet", calls, Call)


def _guideline(
    llm: "Remembered", title: str, cell: list[Paragraph], how: settings.Index, label: str
) -> list[tuple[Indexed, Reply]]:
    indexed = []
    for paragraph in progress(cell, label, len(cell)):
        ask = ask_subparts(paragraph, title, how.spans, how.min_subparts, how.max_subparts)
        reply = llm.reply(ask)
        part = read_subparts(reply.text, paragraph, how.spans)
        if not part.sections:
            llm.unreadable(ask)
        indexed.append((part, reply))
    return indexed


if __name__ == "__main__":
    main("index", index, ["dataset"])
