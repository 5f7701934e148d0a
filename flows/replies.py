"""safellm replies: what was asked of whom and what came back, taken from one machine to another, and proved whole."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from flows.stage import console
from tasks import params as settings
from tasks import paths
from tasks.backends.remembered import reply_key
from tasks.errors import DataError, ParamsError
from tasks.records import Failed, Fate, Recorded
from tasks.store.replies import ReplyStore, load
from tasks.store.replies import export as write

FATES: tuple[str, ...] = get_args(Fate)


@dataclass(frozen=True)
class Wanted:
    """Which calls: of these models (all, if none), with this fate, whose prompt and identity hold these words."""

    models: tuple[str, ...] = ()
    fate: str | None = None
    contains: str = ""
    identity: str = ""

    def takes(self, call: Recorded | Failed) -> bool:
        """Whether a call is one of them."""
        return (
            self.fate in (None, call.fate)
            and self.contains.casefold() in call.ask.prompt.casefold()
            and self.identity in call.identity
        )


def calls(wanted: Wanted) -> list[tuple[str, Recorded | Failed]]:
    """The wanted calls with the name of their model, those that failed too, oldest first. Raises ParamsError."""
    if wanted.fate is not None and wanted.fate not in FATES:
        raise ParamsError(f"--status {wanted.fate!r} is not among {', '.join(FATES)}")
    found: list[tuple[str, Recorded | Failed]] = []
    for model in _models(wanted.models):
        with _store(model) as replies:
            own: list[Recorded | Failed] = [*replies.entries(), *replies.failures()]
            found += [(model, call) for call in own if wanted.takes(call)]
    return sorted(found, key=lambda item: item[1].time)


def table(found: Sequence[tuple[str, Recorded | Failed]], limit: int) -> None:
    """Print the last `limit` calls, and how many there are of each model and status."""
    out = Console()
    rows = Table("key", "time", "model", "status", "in", "reused", "out", "s", "prompt ends", "reply", box=None)
    for model, call in found[-limit:]:
        when = f"{datetime.fromtimestamp(call.time):%Y-%m-%d %H:%M}" if call.time else "-"
        if isinstance(call, Recorded):
            reply = call.reply
            tokens = (str(reply.tokens_in), str(reply.tokens_reused), str(reply.tokens_out))
            key, said, seconds = call.key[:10], reply.text, reply.seconds
        else:
            key, tokens, said, seconds = "-", ("-", "-", "-"), call.message, call.seconds
        rows.add_row(
            key, when, model, call.fate, *tokens, f"{seconds:.1f}", _short(call.ask.prompt[-60:]), _short(said)
        )
    out.print(rows, markup=False)
    if len(found) > limit:
        out.print(f"the last {limit} of {len(found)}; --limit shows more, --json all of them whole", highlight=False)
    for (model, identity, fate), count in sorted(Counter((m, call.identity, call.fate) for m, call in found).items()):
        out.print(f"{count:>6}  {fate:<16}  {model}  {identity}", markup=False, highlight=False, soft_wrap=True)


def export(file: Path, wanted: Wanted) -> None:
    """Write the wanted replies to a JSONL file. Raises DataError if there is none, or the file is there already."""
    if file.exists():
        raise DataError(f"{str(file)!r} is there already, and is not overwritten: name another file")
    chosen = [call for _, call in calls(wanted) if isinstance(call, Recorded)]
    if not chosen:
        raise DataError("no remembered reply is like that, and nothing was written: see `safellm replies list`")
    write(file, chosen)
    identities = {entry.identity for entry in chosen}
    console.print(f"{len(chosen)} replies written to {file}", highlight=False)
    if len(identities) > 1:
        console.print(
            f"they are of {len(identities)} models or settings; `backend: replay` takes one: --identity chooses",
            style="yellow",
            highlight=False,
        )


def bring(file: Path, model: str | None) -> None:
    """Take over the replies of a JSONL file. Raises DataError, and takes none, if one is not what its key says."""
    entries = load(file)
    for number, entry in enumerate(entries, 1):
        if entry.key != reply_key(entry.ask, entry.identity):
            raise DataError(
                f"{file}: reply {number} is not the one its key {entry.key[:10]!r} names: its prompt, model or constraint "
                "was changed. Nothing was taken over; export the file again"
            )
    models = settings.load().models
    by_model: dict[str, list[Recorded]] = {}
    for entry in entries:
        by_model.setdefault(model or entry.reply.model, []).append(entry)
    for name in by_model:
        if name not in models:
            raise ParamsError(
                f"{file} has replies of the model {name!r}, and params.yaml knows {sorted(models)}: say --model NAME"
            )
    for name, own in by_model.items():
        with _store(name) as replies:
            ours = [(entry, replies.get(entry.key)) for entry in own]
            other = sum(1 for entry, known in ours if known is not None and known.text != entry.reply.text)
            new = replies.put_all(own)
        console.print(f"{name}: {new} replies taken over, {len(own) - new} were known", highlight=False)
        if other:
            console.print(f"{other} of those read otherwise here, and ours stay", style="yellow", highlight=False)


def verify(models: tuple[str, ...]) -> bool:
    """Say of every store whether its file is sound and every reply is what its key says; whether all are."""
    sound = True
    for model in _models(models):
        with _store(model) as replies:
            wrong = _wrong(replies)
            if wrong is None:
                console.print(
                    f"{model}: {replies.count()} replies, each what its key says; the file is sound", highlight=False
                )
                continue
        sound = False
        advice = f"move {paths.replies(model)} away, and what it held is asked again"
        console.print(f"{model}: {wrong}: {advice}", style="red", markup=False, highlight=False)
    return sound


def _wrong(replies: ReplyStore) -> str | None:
    """What is wrong with a store, if anything."""
    said = replies.check()
    if said != "ok":
        return f"the file is broken ({said})"
    try:
        entries = replies.entries()
        replies.failures()
    except DataError as error:
        return str(error)
    changed = [entry.key[:10] for entry in entries if entry.key != reply_key(entry.ask, entry.identity)]
    return f"{len(changed)} replies are not what their key says ({', '.join(changed[:5])})" if changed else None


def _models(wanted: Sequence[str]) -> list[str]:
    there = sorted(file.stem for file in paths.REPLIES.glob("*.sqlite"))
    for model in wanted:
        if model not in there:
            raise DataError(f"no reply of {model!r} is remembered: there are those of {there}")
    return list(wanted) or there


@contextmanager
def _store(model: str) -> Iterator[ReplyStore]:
    replies = ReplyStore(paths.replies(model))
    try:
        yield replies
    finally:
        replies.close()


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}..."
