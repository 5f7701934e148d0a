"""Hand-cleaned text held against its PDF: every line is found in it, and nothing that matters was lost in silence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tasks.errors import UncleanText
from tasks.records import Line, Removal, Word
from tasks.validate.align import Alignment
from tasks.validate.hand import REMOVED, Entry, Hand, hand_lines, read_hand
from tasks.validate.row import Row, around
from tasks.validate.stream import Stream
from tasks.vital import must_stay

BY_HAND = "removed by hand"
LEFT_OUT = "not in the hand-cleaned text"
_SHOWN = 20


def from_hand(
    guideline: str,
    file: str,
    text: str,
    words: Sequence[Word],
    rows: Sequence[Row],
    removals: Sequence[Removal],
    version: str,
) -> tuple[list[Line], list[Removal]]:
    """The lines of the hand-cleaned text of `file`, each with its places in the PDF, and all that is not in them.

    `rows` and `removals` are what the rules made of the PDF, `version` is its SHA-256. Raises UncleanText if the text
    was made from another PDF, if a line or a removal is not in this one, or if a number, unit, comparator or negation
    of the PDF is neither in a line nor in a removal; with both texts side by side.
    """
    hand = read_hand(file, text)
    _same_version(file, hand, version)
    stream = Stream(words, rows)
    by_rule = [(removal, _removed(stream, words, removal)) for removal in removals]
    stream.gone.update(i for _, own in by_rule for i in own)
    found = Alignment(stream, hand.entries)
    problems = [*_not_found(file, found), *_losses(file, found, hand)]
    if problems:
        more = [f"and {len(problems) - _SHOWN} more"] if problems[_SHOWN:] else []
        raise UncleanText("\n".join([*problems[:_SHOWN], *more]))
    lines = hand_lines(guideline, hand, [found.places(entry) for entry in hand.lines])
    kept = [removal for removal, own in by_rule if not own or any(i not in found.owner for i in own)]
    return lines, [*kept, *_by_hand(found, hand), *_unmentioned(found)]


def _same_version(file: str, hand: Hand, version: str) -> None:
    if hand.made_from is None:
        raise UncleanText(
            f"{file} does not say which PDF it was made from: if it is the present one, write this as its first line:\n"
            f"% made from {version}"
        )
    if hand.made_from != version:
        raise UncleanText(
            f"{file} was made from another PDF ({hand.made_from[:12]}, the present one is {version[:12]}): "
            "`safellm clean <dataset> --check` shows what changed, and `--update` takes the edits over that still apply"
        )


def _removed(stream: Stream, words: Sequence[Word], removal: Removal) -> list[int]:
    """The pieces of a rule's removal: the words of its text that stand in its box."""
    spare = Counter(removal.text.split())
    found: list[int] = []
    x0, y0, x1, y1 = removal.box
    for word in words:
        inside = word.page == removal.page and word.box[0] >= x0 and word.box[1] >= y0
        if inside and word.box[2] <= x1 and word.box[3] <= y1 and all(spare[part] for part in word.text.split()):
            spare.subtract(word.text.split())
            found += stream.indices(word)
    return found


def _left_out(found: Alignment) -> list[int]:
    """The pieces that are in no line and in no removal of a rule or by hand."""
    stream = found.stream
    free = [i for i in range(len(stream.pieces)) if i not in found.owner and i not in stream.gone]
    return [i for i in free if not stream.pieces[i].glyph]


def _not_found(file: str, found: Alignment) -> Iterator[str]:
    """What is said of every line that does not stand in the PDF as it is written."""
    for entry in found.missing:
        taken = found.taken_by(entry)
        if taken is not None:
            yield (
                f"{file}:{entry.at}: these words stand in the PDF, but line {taken.at} of the file has them already"
                + (_side_by_side(f"{file}:{entry.at}", entry.text, f"{file}:{taken.at}", taken.text))
            )
            continue
        window = _nearest(found.stream, entry.text)
        page = found.stream.pieces[window[0]].word.page if window else "-"
        near = " ".join(found.stream.pieces[i].text for i in window)
        yield (
            f"{file}:{entry.at}: these words do not stand like this in the PDF: clean by removing and joining only"
            + (_side_by_side("the file", entry.text, f"the PDF, page {page}", near))
        )


def _losses(file: str, found: Alignment, hand: Hand) -> Iterator[str]:
    """What is said of every row of the PDF of which something that matters is in no line and no removal.

    Not of what stands beside a line that was not found: that was said already.
    """
    pieces = found.stream.pieces
    said = {i for entry in found.missing for i in _nearest(found.stream, entry.text)}
    lost = [i for i in _left_out(found) if i not in said and must_stay(pieces[i].text)]
    for segment, group in groupby(lost, key=lambda i: pieces[i].segment):
        own = list(group)
        first = _start(found.stream, own[0])
        row = [i for i in range(first, len(pieces)) if pieces[i].segment == segment and not pieces[i].glyph]
        text = " ".join(pieces[i].text for i in row)
        what = ", ".join(repr(pieces[i].text) for i in own)
        left = " ".join(pieces[i].text for i in row if i not in found.owner)
        before = next((found.owner[i] for i in range(first, -1, -1) if i in found.owner), hand.entries[0])
        near = _nearest_entry(hand, text) or before
        yield (
            f"{file}: {what} of page {segment[0]} is in no line: put it back, or write where it stood: {REMOVED} {left}"
        ) + _side_by_side(
            f"the PDF, page {segment[0]}",
            text,
            f"{file}:{near.at}",
            near.text,
        )


def _start(stream: Stream, i: int) -> int:
    while i and stream.pieces[i - 1].segment == stream.pieces[i].segment:
        i -= 1
    return i


def _side_by_side(left: str, one: str, right: str, other: str) -> str:
    wide = max(len(left), len(right))
    return f"\n    {left:<{wide}} | {one}\n    {right:<{wide}} | {other}"


def _nearest(stream: Stream, text: str) -> range:
    """The pieces of the stretch of the PDF that has most words in common with `text`."""
    wanted, length = Counter(text.split()), max(len(text.split()), 1)
    texts = [piece.text for piece in stream.pieces]
    spare = wanted.copy()
    common, best, at = 0, -1, 0
    for end, word in enumerate(texts):
        common += spare[word] > 0
        spare[word] -= 1
        if end >= length:
            spare[texts[end - length]] += 1
            common -= spare[texts[end - length]] > 0
        if common > best:
            best, at = common, max(end - length + 1, 0)
    return range(at, min(at + length, len(texts)))


def _nearest_entry(hand: Hand, text: str) -> Entry | None:
    """The entry of the file that has most words in common with `text`, for its length; None if none has any."""
    wanted = Counter(text.split())

    def likeness(entry: Entry) -> float:
        words = Counter(entry.text.split())
        return 2 * (words & wanted).total() / max((words.total() + wanted.total()), 1)

    nearest = max(hand.entries, key=likeness)
    return nearest if likeness(nearest) else None


def _by_hand(found: Alignment, hand: Hand) -> Iterator[Removal]:
    for entry in hand.entries:
        if entry.removed:
            yield from _records(found.stream, found.tracks[entry.at].pieces, BY_HAND)


def _unmentioned(found: Alignment) -> Iterator[Removal]:
    yield from _records(found.stream, _left_out(found), LEFT_OUT)


def _records(stream: Stream, indices: Iterable[int], rule: str) -> Iterator[Removal]:
    """Pieces as removals, one for each block of a page."""
    for _, group in groupby(indices, key=lambda i: stream.pieces[i].segment[:2]):
        own = [stream.pieces[i] for i in group]
        yield Removal(
            guideline=own[0].word.guideline,
            page=own[0].word.page,
            text=" ".join(piece.text for piece in own),
            rule=rule,
            box=around([piece.word for piece in own]),
        )
