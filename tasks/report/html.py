"""The one page that is read offline: what was measured, every question with its answers, every guideline's lines."""

from collections.abc import Iterator, Mapping

from tasks.report.blocks import Book, question_blocks, spans
from tasks.report.data import Study
from tasks.report.figures import all_figures, inline
from tasks.report.summary import findings
from tasks.report.table import to_html
from tasks.report.tables import all_tables

FLAGS = {
    "missed": "a reference line was missed",
    "guideline": "the wrong guideline, or none",
    "unsupported": "text that is not in the source",
    "invalid": "line numbers that do not exist",
    "failed": "no answer",
}


def page(study: Study) -> str:
    """The whole page: one file, no script of others, no reference to anything outside it; all text is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("tasks.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["table"] = lambda item: Markup(to_html(item))
    environment.globals["drawing"] = lambda item: Markup(inline(item))
    environment.globals["spans"] = spans
    books = {name: Book(key, rows) for key, (name, rows) in enumerate(study.datasets.items())}
    template = environment.get_template("index.html")
    return template.render(
        study=study,
        books=books,
        blocks={name: question_blocks(study, name, book) for name, book in books.items()},
        findings={name: findings(rows) for name, rows in study.experiments.items()},
        tables=all_tables(study),
        figures=all_figures(study),
        flags=FLAGS,
        settings=list(flat(study.params.model_dump(by_alias=True, mode="json"))) if study.params else [],
    )


def flat(settings: Mapping[str, object], above: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings as ("retrieve.top_k", "6")."""
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{above}{key}.")
        elif isinstance(value, list | tuple):
            yield f"{above}{key}", ", ".join(map(str, value)) or "–"
        elif isinstance(value, bool):
            yield f"{above}{key}", str(value).lower()
        else:
            yield f"{above}{key}", "–" if value is None or value == {} else str(value)
