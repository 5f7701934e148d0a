"""The command line: setup, run, clean, ask, show, status, replies."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="safellm",
    help="Answers questions about your own documents with lines of the documents, never with new words.\n\n"
    'First `safellm setup`, then `safellm run`, then `safellm ask "..."`. Run it in the project\'s folder: '
    "params.yaml says what is run.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

replies = typer.Typer(help="The remembered replies: list, export, import, verify.", no_args_is_help=True)
app.add_typer(replies, name="replies")


@app.command()
def setup(
    weights: Annotated[
        list[str] | None, typer.Option("--weights", help="Bring these weights too, by name; may be given again.")
    ] = None,
    models: Annotated[bool, typer.Option(help="Bring the weights that params.yaml names.")] = True,
) -> None:
    """Bring the model's weights (checked by SHA-256) and build the term pack. Afterwards nothing is fetched."""
    with _plain_errors():
        from flows.setup import setup as run_setup
        from tasks import params

        run_setup(params.load(), tuple(weights or ()), models)


@app.command()
def run(
    targets: Annotated[
        list[str] | None, typer.Argument(help="Stages, as `dvc repro` names them; all, if none.")
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0, help="US dollars that the APIs' replies may cost; no prompt is sent that could cost more."),
    ] = None,
) -> None:
    """Bring every stage up to date, and show the run in Prefect's pages. A run that was stopped goes on."""
    with _plain_errors():
        from flows.run import run as run_all

        run_all(targets or [], max_cost)


@app.command()
def clean(
    dataset: Annotated[str, typer.Argument(help="The dataset whose guidelines are cleaned by hand.")],
    guideline: Annotated[
        list[str] | None, typer.Option("--guideline", help="Only this guideline; may be given again.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All guidelines, also those that pass the gate.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Say which edits still apply to the present PDFs.")] = False,
    update: Annotated[
        bool, typer.Option("--update", help="Take the edits that still apply over to changed PDFs.")
    ] = False,
) -> None:
    """Write the text of guidelines that do not pass the gate to data/clean/<dataset>/, for a person to correct.

    A file that is there already is never overwritten, and nothing is opened.
    """
    if check + update + everything > 1:
        raise typer.BadParameter("--all, --check and --update do not go together")
    with _plain_errors():
        from flows import clean as cleaning

        names = tuple(guideline or ())
        if check or update:
            run_one = cleaning.check_texts if check else cleaning.update_texts
            if not run_one(dataset, names):
                raise typer.Exit(1)
        else:
            cleaning.write_texts(dataset, names, everything)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help='The question, in quotes: "How much adrenaline do I give?"')],
    dataset: Annotated[str | None, typer.Option(help="The dataset whose guidelines are asked.")] = None,
    experiment: Annotated[str | None, typer.Option(help="The experiment of params.yaml whose model is used.")] = None,
    strategy: Annotated[str | None, typer.Option(help="base, copy, lines, junior, safety or quote.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Answer one question with lines of a guideline, each with its number, page and headings."""
    with _plain_errors():
        from flows.ask import ask as ask_one
        from flows.environment import prepare
        from flows.show import show
        from flows.stage import console

        prepare()
        with console.status("Reading the guideline (a minute or two on a small machine)"):
            asked = ask_one(question, experiment, dataset, strategy)
        if as_json:
            typer.echo(json.dumps(asked.data(), ensure_ascii=False, indent=1))
        else:
            show(asked, question)
        if not asked.shown():
            raise typer.Exit(3)


@app.command()
def show(
    dataset: Annotated[str, typer.Argument(help="The dataset, as params.yaml calls it.")],
    guideline: Annotated[str, typer.Argument(help="The guideline: its file's name without the ending.")],
    page: Annotated[int, typer.Option(help="The page, from 1.")] = 1,
) -> None:
    """Draw a page of a guideline with the box of every numbered line and of everything that was removed."""
    with _plain_errors():
        from flows.pages import show_page

        show_page(dataset, guideline, page)


@app.command()
def status() -> None:
    """Say what is set up, which stages are up to date, and how many replies are remembered."""
    with _plain_errors():
        from flows.status import status as show_status

        show_status()


Models = Annotated[list[str] | None, typer.Option("--model", help="Only this model; may be given again.")]
Status = Annotated[
    str | None,
    typer.Option("--status", help="ok, truncated_prompt, truncated_reply, unreadable, refused or transport_failed."),
]
Contains = Annotated[str, typer.Option(help="Only prompts that hold these words.")]
Identity = Annotated[str, typer.Option(help="Only the model, digest or options whose identity holds this.")]


@replies.command("list")
def list_replies(
    model: Models = None,
    status: Status = None,
    contains: Contains = "",
    identity: Identity = "",
    limit: Annotated[int, typer.Option(min=1, help="How many, the newest.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of them whole, one JSON object a line.")] = False,
) -> None:
    """Show what was asked of whom, and what became of it; calls that failed too."""
    with _plain_errors():
        from flows import replies as flow

        found = flow.calls(flow.Wanted(tuple(model or ()), status, contains, identity))
        if as_json:
            for name, call in found:
                typer.echo(json.dumps({"model": name, "status": call.fate} | call.model_dump(), ensure_ascii=False))
        else:
            flow.table(found, limit)


@replies.command("export")
def export_replies(
    file: Annotated[Path, typer.Argument(help="The JSONL file to write.")],
    model: Models = None,
    status: Status = None,
    contains: Contains = "",
    identity: Identity = "",
) -> None:
    """Write replies to a JSONL file, for `safellm replies import` or `backend: replay` on another machine."""
    with _plain_errors():
        from flows import replies as flow

        flow.export(file, flow.Wanted(tuple(model or ()), status, contains, identity))


@replies.command("import")
def import_replies(
    file: Annotated[Path, typer.Argument(help="A JSONL file that `safellm replies export` wrote.")],
    model: Annotated[
        str | None, typer.Option(help="The model of params.yaml they belong to, if it has another name.")
    ] = None,
) -> None:
    """Take replies over that were made elsewhere; each is checked against its key first, and none if one is wrong."""
    with _plain_errors():
        from flows import replies as flow

        flow.bring(file, model)


@replies.command("verify")
def verify_replies(model: Models = None) -> None:
    """Check that the files are sound, and that every reply is the one that its key names."""
    with _plain_errors():
        from flows import replies as flow

        if not flow.verify(tuple(model or ())):
            raise typer.Exit(1)


@contextmanager
def _plain_errors() -> Iterator[None]:
    from tasks.errors import SafeLLMError

    try:
        yield
    except SafeLLMError as error:
        typer.secho(f"{type(error).__name__}: {error}", fg="red", err=True)
        sys.exit(1)


if __name__ == "__main__":
    app()
