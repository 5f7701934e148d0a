"""safellm clean: the text of guidelines that need it as files to edit, and what became of the edits when a PDF changed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from rich.console import Console

from flows.extract import pdf_reader
from flows.stage import progress
from tasks import params as settings
from tasks import paths, store
from tasks.errors import DataError, ParamsError, UncleanText, UnreadablePdf, UnreadableText
from tasks.extract import document_words, guideline_of, sources
from tasks.params import Params
from tasks.records import Rule, Word
from tasks.validate import (
    FORMAT,
    Cleaned,
    Edit,
    check,
    clean,
    edits,
    hand_text,
    line_diff,
    read_hand,
    taken_over,
    version_of,
)

_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_VERDICTS = {
    "applies": ("still applies", "green"),
    "done": ("is in the new version already", "green"),
    "conflicts": ("does not apply: the text there is another one now", "red"),
}


@dataclass(frozen=True)
class _Source:
    """One guideline as its PDF is now: its words, its bytes, and what the rules make of it."""

    guideline: str
    words: list[Word]
    pdf: bytes
    automatic: Cleaned
    keep: frozenset[Rule]

    @property
    def version(self) -> str:
        """The SHA-256 of the PDF."""
        return version_of(self.pdf)

    @property
    def text(self) -> str:
        """The automatic text in the hand format."""
        return hand_text(self.automatic.lines, self.version)


def write_texts(dataset: str, names: Sequence[str], everything: bool) -> list[str]:
    """Write the automatic text of guidelines as files to edit, and print what to edit and how; the names written.

    Of those in `names`; else of all, if `everything`; else of those that do not pass the gate. Raises ParamsError for
    a dataset that does not exist, and DataError for such a guideline, or for PDFs that were not read.
    """
    params = _params(dataset)
    sources, unread = _sources(dataset, params, names)
    complaints = _complaints(sources, params.validate_.min_words_kept)
    console = _console()
    written: list[str] = []
    for source in sources:
        if names or everything or complaints[source.guideline]:
            written += _write(console, dataset, source, complaints[source.guideline])
    if written:
        console.print(f"\nThe format:\n\n{FORMAT}\n", style="dim")
        console.print(f"Edit, then run: safellm run validate@{dataset}")
    elif not unread and not names and not everything and not any(complaints.values()):
        console.print(
            f"All {len(sources)} guidelines of {dataset!r} pass the gate: none needs cleaning by hand "
            "(--guideline NAME or --all write them all the same)"
        )
    _refuse_unread(unread)
    return written


def check_texts(dataset: str, names: Sequence[str]) -> bool:
    """Print, for every hand-cleaned guideline, whether its PDF changed and which edits still apply; whether all do."""
    params = _params(dataset)
    sources, unread = _sources(dataset, params, names, only_cleaned=True)
    console = _console()
    if not sources and not unread:
        console.print(f"No guideline of {dataset!r} is cleaned by hand: `safellm clean {dataset}` begins one")
    fit = [_fits(_check, console, dataset, source) for source in sources]
    _refuse_unread(unread)
    return all(fit)


def update_texts(dataset: str, names: Sequence[str]) -> bool:
    """Make the hand-cleaned texts anew from PDFs that changed, with the edits that still apply; whether all did.

    An edit that does not is written at the top of the file, as a line that fails validation until a person has
    resolved it.
    """
    params = _params(dataset)
    sources, unread = _sources(dataset, params, names, only_cleaned=True)
    console = _console()
    fit = [_fits(_update, console, dataset, source) for source in sources]
    _refuse_unread(unread)
    return all(fit)


def _params(dataset: str) -> Params:
    params = settings.load()
    if dataset not in params.datasets:
        raise ParamsError(f"no dataset is called {dataset!r}: params.yaml has {sorted(params.datasets)}")
    return params


def _console() -> Console:
    return Console(markup=False, highlight=False, soft_wrap=True)


def _sources(
    dataset: str, params: Params, names: Sequence[str], only_cleaned: bool = False
) -> tuple[list[_Source], list[str]]:
    """The guidelines as their PDFs are now, not as they were when `extract` ran; and what was not read."""
    reader = pdf_reader(params.extract)
    found = {guideline_of(file): file for file in sources(paths.guidelines(dataset))}
    for name in names:
        if name in found and found[name].suffix.lower() != ".pdf":
            raise DataError(
                f"{str(found[name])!r} has no pages: only PDFs are cleaned by hand; correct the file itself"
            )
        if name not in found:
            close = get_close_matches(name, found, n=1)
            meant = f"did you mean {close[0]!r}?" if close else f"there are {sorted(found)}"
            raise DataError(f"no guideline of {dataset!r} is called {name!r}: {meant}")
    chosen = [
        (name, file)
        for name, file in found.items()
        if file.suffix.lower() == ".pdf"
        and (not names or name in names)
        and (not only_cleaned or paths.hand(dataset, name).is_file())
    ]
    read: list[_Source] = []
    unread: list[str] = []
    for name, file in progress(chosen, f"read {dataset}", len(chosen)):
        try:
            words = document_words(reader, file).words
        except (UnreadablePdf, UnreadableText) as error:
            unread.append(str(error))
            continue
        content = store.read_bytes(file)
        keep = params.datasets[dataset].kept(name)
        read.append(_Source(name, words, content, clean(name, words, content, None, keep=keep), keep))
    return read, unread


def _refuse_unread(unread: Sequence[str]) -> None:
    if unread:
        raise DataError(f"{len(unread)} documents were not read:\n- " + "\n- ".join(unread))


def _complaints(sources: Sequence[_Source], min_words_kept: float) -> dict[str, list[str]]:
    """What the gate says of each guideline; all are asked at once first, for most often none fails."""
    if _gate(sources, min_words_kept) == []:
        return {source.guideline: [] for source in sources}
    return {source.guideline: _gate([source], min_words_kept) for source in sources}


def _gate(sources: Sequence[_Source], min_words_kept: float) -> list[str]:
    words = [word for source in sources for word in source.words]
    lines = [line for source in sources for line in source.automatic.lines]
    removals = [removal for source in sources for removal in source.automatic.removals]
    kept = {source.guideline: source.keep for source in sources}
    return check(words, lines, removals, min_words_kept, kept.__getitem__).failures


def _write(console: Console, dataset: str, source: _Source, complaints: Sequence[str]) -> list[str]:
    """Write one guideline's text and the copy to compare with, unless a person's is there; its name if it was written."""
    target, copy = paths.hand(dataset, source.guideline), paths.original(dataset, source.guideline)
    if target.exists():
        console.print(f"{target} is there already and was left as it is (`--check` compares it with the PDF)")
        return []
    if not source.automatic.lines:
        console.print(
            f"{source.guideline}: the rules leave no line of its PDF, so there is nothing to edit", style="red"
        )
        return []
    store.write_text(copy, source.text)
    if not store.write_new_text(target, source.text):
        console.print(f"{target} is there already and was left as it is")
        return []
    console.print(f"wrote {target}; do not edit {copy.name} beside it, which your edits are told from", style="green")
    for complaint in complaints:
        console.print(f"  the gate: {complaint}")
    misfit = _misfit(source, source.text, str(target))
    if misfit:
        console.print(f"  before any edit:\n{misfit}", style="yellow")
    return [source.guideline]


def _misfit(source: _Source, text: str, file: str) -> str:
    """Why the text would not pass as the hand-cleaned text of its PDF; empty if it would."""
    try:
        clean(source.guideline, source.words, source.pdf, text, file, keep=source.keep)
    except UncleanText as error:
        return str(error)
    return ""


def _fits(act: Callable[[Console, str, _Source], bool], console: Console, dataset: str, source: _Source) -> bool:
    """What `act` says of one guideline; a text that cannot be read is printed, and does not stop the others."""
    try:
        return act(console, dataset, source)
    except DataError as error:
        console.print(f"  {error}", style="red")
        return False


def _check(console: Console, dataset: str, source: _Source) -> bool:
    target = paths.hand(dataset, source.guideline)
    text = store.read_text(target)
    made_from = read_hand(str(target), text).made_from
    changed = made_from != source.version
    what = f"PDF changed (was {(made_from or 'unknown')[:12]}, is {source.version[:12]})" if changed else "unchanged"
    console.print(f"{target}: {what}", style="bold")
    original = _original(dataset, source.guideline, made_from)
    found = edits(original, text, source.text)
    for edit in found:
        _show_edit(console, f"{target}:{edit.at}", edit)
    if not found:
        console.print("  no edits")
    changes = line_diff(original, source.text)
    if changes:
        console.print("  from the version that it was made from to the present one:")
        for row in changes:
            console.print(f"    {row}", style=_STYLES.get(row[:1]))
    if not changed:
        misfit = _misfit(source, text, str(target))
        console.print(f"  {misfit or 'every line is found in the PDF'}", style="red" if misfit else "green")
        return not misfit and all(edit.state != "conflicts" for edit in found)
    console.print(f"  Next: safellm clean {dataset} --update --guideline {source.guideline}")
    return all(edit.state != "conflicts" for edit in found)


def _original(dataset: str, guideline: str, made_from: str | None) -> str:
    """The automatic text that a hand-cleaned one was made from. Raises DataError without it, or if it is another's."""
    path = paths.original(dataset, guideline)
    text = store.text_if_there(path)
    if text is None or read_hand(str(path), text).made_from != made_from:
        why = "is missing" if text is None else "was made from another PDF than the hand-cleaned text beside it"
        raise DataError(
            f"{str(path)!r} {why}, so that no edit can be told: move {guideline}.txt away, run `safellm clean {dataset} "
            f"--guideline {guideline}`, and make the edits again"
        )
    return text


def _show_edit(console: Console, place: str, edit: Edit) -> None:
    verdict, style = _VERDICTS[edit.state]
    console.print(f"  {place}: edit {verdict}", style=style)
    for row in edit.old:
        console.print(f"    - {row}", style="red")
    for row in edit.new:
        console.print(f"    + {row}", style="green")


def _update(console: Console, dataset: str, source: _Source) -> bool:
    target, copy = paths.hand(dataset, source.guideline), paths.original(dataset, source.guideline)
    text = store.read_text(target)
    made_from = read_hand(str(target), text).made_from
    if made_from == source.version:
        console.print(f"{target}: its PDF is the one that it was made from; nothing to do")
        return True
    original = _original(dataset, source.guideline, made_from)
    found = edits(original, text, source.text)
    conflicts = sum(edit.state == "conflicts" for edit in found)
    merged = taken_over(original, text, source.text)
    backup = paths.before(dataset, source.guideline)
    store.write_text(backup, text)
    store.write_text(target, merged)
    store.write_text(copy, source.text)
    console.print(
        f"{target}: made anew from the present PDF; {len(found) - conflicts} of {len(found)} edits taken over "
        f"(as it was: {backup.name})"
    )
    if conflicts:
        console.print(
            f"  {conflicts} did not apply and stand at its top: make each where it belongs, or delete it", style="red"
        )
    return not conflicts
