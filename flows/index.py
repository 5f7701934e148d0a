"""index: sections with title and representative question, made by the language model and verified (Listing 1)."""

from typing import TYPE_CHECKING

from flows.llms import call_of, concurrency, open_llm, tags_of
from flows.stage import main, step
from flows.watch import at_once, watching
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
    cells = {
        document.guideline: paragraphs(
            [line for line in lines if line.guideline == document.guideline],
            [sentence for sentence in sentences if sentence.guideline == document.guideline],
        )
        for document in documents
    }
    total = sum(len(cell) for cell in cells.values())
    workers, tags = concurrency(params, params.index.model), tags_of(params, params.index.model)
    with (
        open_llm(params, params.index.model, dataset) as llm,
        watching(f"index {dataset}", total, llm.tally) as watch,
    ):

        def one(document: Document) -> list[tuple[Indexed, Call]]:
            """The paragraphs of a guideline, as one task of the flow."""

            def subparts() -> list[tuple[Indexed, Call]]:
                made = []
                for paragraph in cells[document.guideline]:
                    part, reply = _paragraph(llm, document.title, paragraph, params.index)
                    name = f"{document.guideline} P{paragraph.number}"
                    made.append((part, call_of(dataset, "index", name, reply)))
                    watch()
                return made

            return step(document.guideline, subparts, tags)()

        done = [item for made in at_once(one, documents, workers) for item in made]
    sections = [section for part, _ in done for section in part.sections]
    dropped = [item for part, _ in done for item in part.dropped]
    calls = [call for _, call in done]
    store.write(paths.index(dataset) / "sections.parquet", sections, Section)
    store.write(paths.index(dataset) / "dropped.parquet", dropped, Dropped)
    store.write(paths.index(dataset) / "calls.parquet", calls, Call)


def _paragraph(llm: "Remembered", title: str, paragraph: Paragraph, how: settings.Index) -> tuple[Indexed, Reply]:
    ask = ask_subparts(paragraph, title, how.spans, how.min_subparts, how.max_subparts)
    reply = llm.reply(ask)
    part = read_subparts(reply.text, paragraph, how.spans)
    if not part.sections:
        llm.unreadable(ask)
    return part, reply


if __name__ == "__main__":
    main("index", index, ["dataset"])
