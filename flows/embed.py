"""embed: one FAISS index a view, for one embedder and dataset (Fig. 2)."""

from flows.embedders import open_embedder
from flows.stage import main, step
from tasks import params as settings
from tasks import paths, store
from tasks.embed import VIEWS, build
from tasks.errors import DataError
from tasks.records import Document, Section, ViewIndex


def embed(embedder: str, dataset: str) -> None:
    """Embed every section in both views."""
    documents = store.read(paths.validate(dataset) / "documents.parquet", Document)
    sections = store.read(paths.index(dataset) / "sections.parquet", Section)
    if not sections:
        raise DataError(f"the index of {dataset!r} holds no section: see {paths.index(dataset) / 'dropped.parquet'}")
    titles = {document.guideline: document.title for document in documents}
    target = paths.embed(embedder, dataset)
    views: list[ViewIndex] = []
    with open_embedder(settings.load(), embedder, dataset) as backend:
        for view in VIEWS:
            before = backend.windowed
            index = step(view, build)(sections, titles, view, backend)
            store.write_index(target / f"{view}.faiss", index)
            views.append(
                ViewIndex(
                    view=view,
                    embedder=backend.identity,
                    rows=index.ntotal,
                    dimension=index.d,
                    windowed=backend.windowed - before,
                )
            )
    store.write(target / "sections.parquet", sections, Section)
    store.write(target / "views.parquet", views, ViewIndex)


if __name__ == "__main__":
    main("embed", embed, ["embedder", "dataset"])
