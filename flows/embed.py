"""embed: one FAISS index a view, for one embedder and dataset (Fig. 2)."""

from flows.embedders import open_embedder
from flows.stage import main, step
from tasks import params as settings
from tasks import paths, store
from tasks.embed import VIEWS, build
from tasks.errors import DataError
from tasks.records import Document, Section


def embed(embedder: str, dataset: str) -> None:
    """Embed every section in both views."""
    documents = store.read(paths.validate(dataset) / "documents.parquet", Document)
    sections = store.read(paths.index(dataset) / "sections.parquet", Section)
    if not sections:
        raise DataError(f"the index of {dataset!r} holds no section: see {paths.index(dataset) / 'dropped.parquet'}")
    titles = {document.guideline: document.title for document in documents}
    backend = open_embedder(settings.load(), embedder)
    target = paths.embed(embedder, dataset)
    for view in VIEWS:
        store.write_index(target / f"{view}.faiss", step(view, build)(sections, titles, view, backend))
    store.write(target / "sections.parquet", sections, Section)
    store.write_text(target / "embedder.txt", backend.identity)


if __name__ == "__main__":
    main("embed", embed, ["embedder", "dataset"])
