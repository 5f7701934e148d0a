"""What of a page is no text of the guideline: running heads and feet, page numbers, and the list of contents."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median

from tasks.records import Rule, Word
from tasks.validate.row import Row
from tasks.vital import AMOUNT

_MOST = 0.6  # of the pages, or of the left or the right pages
_NEAR = 4.0  # points
_DEPTH = 5  # rows at each end of a page
_EDGE = 0.12  # of the height of the text, above and below
_INSTRUCTION = re.compile(r"\b(?:do not|never|avoid|must|contraindicated|warning|caution|danger)\b", re.IGNORECASE)
_OF_THE_PAPER = re.compile(r"\b(?:cop(?:y|ied)|photocop|reproduc|distribut|circulat|print|cite|quote)", re.IGNORECASE)
_PAGE = re.compile(r"(?:page\s+)?\d{1,4}\s+of\s+\d{1,4}|page\s+\d{1,4}", re.IGNORECASE)
_LEADERS = re.compile(r"(?:\s?[.\u2024\u2025\u2026\u00b7]){4,}\s*\u2060?\s*(\d{1,4})$")
_ENTRY = re.compile(r"\S.*?[\s\u2060](\d{1,4})$")
_Placed = tuple[Row, tuple[Word, ...]]
_CONTENTS = re.compile(r"(?:[\w ]+: )?(?:table of )?contents\W?", re.IGNORECASE)


def furniture(pages: Sequence[Sequence[Row]]) -> dict[int, Rule]:
    """The rows (by `id`) that are page furniture, with the rule.

    From each end of a page inwards, up to the first row that is something else: rows whose cells stand at the ends of
    most pages, at the same height on several. Their digits must be the same on all these pages or count with the pages:
    "Give 500 mL" above "Give 250 mL" is not furniture. Of a head or foot that says what to do ("Never give it neat.",
    "Adults: 500 mg"), the first stays, so that a line says it.
    """
    repeated = _repeated(pages)
    found: dict[int, Rule] = {}
    said: dict[str, int] = {}
    for page in pages:
        for rows in (page, page[::-1]):
            for row in rows[:_DEPTH]:
                rule = _rule(row, repeated)
                if rule is None:
                    break
                if not _instructs(row.text) or said.setdefault(re.sub(r"[0-9]+", "\0", row.text), id(row)) != id(row):
                    found[id(row)] = rule
    return found


def _instructs(text: str) -> bool:
    return AMOUNT.search(text) is not None or bool(_INSTRUCTION.search(text) and not _OF_THE_PAPER.search(text))


def _rule(row: Row, repeated: set[int]) -> Rule | None:
    known = all(id(cell) in repeated for cell in row.cells)
    if _PAGE.fullmatch(row.text) or (known and re.fullmatch(r"\W*\d+\W*", row.text)):
        return "page number"
    return "running head or foot" if known else None


def _repeated(pages: Sequence[Sequence[Row]]) -> set[int]:
    """The cells (by `id`) at the ends of pages that stand on most pages, at one height on several of them.

    Pages of another size have their own height. A page that is alone with its height (a cover, say) has the cell too,
    if there is a word in it, not only a number.
    """
    alike: dict[str, list[_Placed]] = defaultdict(list)
    for page in pages:
        for row in {id(row): row for row in [*page[:_DEPTH], *page[-_DEPTH:]]}.values():
            for cell in row.cells:
                alike[re.sub(r"[0-9]+", "\0", _text(cell))].append((row, cell))
    numbers = {page[0].page for page in pages if page}
    tops = {
        page[0].page: (min(row.main[1] for row in page), max(row.main[1] for row in page)) for page in pages if page
    }
    found: set[int] = set()
    for text, group in alike.items():
        levels = [_regular(level) for level in _levels(group)]
        shared = [item for level in levels if len(_pages(level)) > 1 and _at_edge(level, tops) for item in level]
        if not _on_most(_pages(shared), numbers):
            continue
        if any(letter.isalpha() for letter in text):
            alone = [item for level in levels if len(_pages(level)) == 1 for item in level]
            known = _regular([*shared, *alone])
            shared += [item for item in known if item in alone]
        found.update(id(cell) for _, cell in shared)
    return found


def _pages(level: Iterable[_Placed]) -> set[int]:
    return {row.page for row, _ in level}


def _at_edge(level: Sequence[_Placed], tops: Mapping[int, tuple[float, float]]) -> bool:
    """Whether a level is above or below the text of the pages that it is on."""
    first = min(tops[page][0] for page in _pages(level))
    last = max(tops[page][1] for page in _pages(level))
    edge = _EDGE * (last - first)
    return not first + edge < median(row.main[1] for row, _ in level) < last - edge


def _on_most(found: set[int], pages: set[int]) -> bool:
    """On most pages; or, if they are all left or all right pages, on most of these."""
    sides = {page % 2 for page in found}
    return len(found) >= max(2.0, _MOST * sum(page % 2 in sides for page in pages))


def _levels(group: Sequence[_Placed]) -> Iterator[list[_Placed]]:
    """The group parted where it stands at different heights: at the head and at the foot, for instance."""
    level: list[_Placed] = []
    for row, cell in sorted(group, key=lambda item: item[0].main[1]):
        if level and row.main[1] - median(item[0].main[1] for item in level) > _NEAR:
            yield level
            level = []
        level.append((row, cell))
    yield level


def _regular(level: Sequence[_Placed]) -> list[_Placed]:
    """The cells whose every number is the usual one, or counts with the pages as usual."""
    regular = list(level)
    for at in range(len(_numbers(level[0][1]))):
        fixed = Counter(_numbers(cell)[at] for _, cell in level).most_common(1)[0]
        counting = Counter(_numbers(cell)[at] - row.page for row, cell in level).most_common(1)[0]
        if fixed[1] >= counting[1]:
            regular = [item for item in regular if _numbers(item[1])[at] == fixed[0]]
        else:
            regular = [item for item in regular if _numbers(item[1])[at] - item[0].page == counting[0]]
    return regular


def _numbers(cell: Iterable[Word]) -> list[int]:
    return [int(digits) for digits in re.findall(r"[0-9]+", _text(cell))]


def _text(cell: Iterable[Word]) -> str:
    return " ".join(word.text for word in cell)


def contents(rows: Sequence[Row]) -> set[int]:
    """The rows (by `id`) of the lists of contents: the heading "Contents", the entries, and what wraps between them.

    An entry ends in a page number, after leaders or below the heading. Page numbers must not fall, and there must be
    the heading, or the entries' titles must stand elsewhere too: a price list or dose list with leaders is kept (and
    then does not pass the validation gate, where a person decides). A list without page numbers has the heading, and
    titles all of which stand elsewhere.
    """
    found: set[int] = set()
    titles = {_title(row.text) for row in rows if not _LEADERS.search(row.text)}
    starts = Counter(_start(row) for row in rows)
    before = False
    for page in sorted({row.page for row in rows}):
        own = [row for row in rows if row.page == page]
        heading = next((i for i, row in enumerate(own) if _CONTENTS.fullmatch(row.text)), None)
        listed = _contents_of_page(own, heading, titles, before) or _unpaged(own, heading, starts, before)
        found |= listed
        before = bool(own) and id(own[-1]) in listed
    return found


def _contents_of_page(rows: Sequence[Row], heading: int | None, titles: set[str], before: bool) -> set[int]:
    """`before`: the page before ends with entries, so that what wraps may stand at the top."""
    entries = [i for i, row in enumerate(rows) if _LEADERS.search(row.text)]
    led = bool(entries)
    if not led and heading is not None:
        entries = [i for i, row in enumerate(rows) if i > heading and _ENTRY.fullmatch(row.text)]
    entries = _run(entries, heading)
    numbers = [int(match[1]) for i in entries if (match := re.search(r"([0-9]+)$", rows[i].text))]
    if len(entries) < 2 or any(after < before for before, after in pairwise(numbers)):
        return set()
    elsewhere = sum(_title(rows[i].text) in titles for i in entries)
    if 2 * elsewhere < len(entries) and (heading is None or not led):
        return set()
    first = entries[0] if heading is None or heading > entries[0] else heading
    if before and first == entries[0] <= 2:
        first = 0
    return {id(row) for row in rows[first : entries[-1] + 1]}


def _unpaged(rows: Sequence[Row], heading: int | None, starts: Mapping[str, int], before: bool) -> set[int]:
    """The rows below the heading, or at the top of the page behind such a list, whose titles stand elsewhere too."""
    if heading is None and not before:
        return set()
    first = 0 if heading is None else heading + 1
    entries = [i for i, row in enumerate(rows) if i >= first and starts[_start(row)] > 1]
    run = _run(entries, first - 1)
    if len(run) < 4 or run[0] > first + 1 or 5 * len(run) < 4 * (run[-1] + 1 - first):
        return set()
    return {id(row) for row in rows[max(first - 1, 0) : run[-1] + 1]}


def _start(row: Row) -> str:
    """The first words of a title, which may be wrapped otherwise where it stands again."""
    return " ".join(_title(row.text).split()[:4])


def _run(entries: Sequence[int], heading: int | None) -> list[int]:
    """The entries that follow one another, with at most two wrapped rows between them."""
    run: list[int] = []
    for i in entries:
        last = run[-1] if run else heading if heading is not None and heading < i else i
        if i - last <= 3:
            run.append(i)
    return run


def _title(text: str) -> str:
    """An entry or a heading without number, leaders, page and case."""
    bare = re.sub(r"[\s.\u2024\u2025\u2026\u00b7\u2060]*\d{1,4}$", "", text) if _ENTRY.fullmatch(text) else text
    return re.sub(r"\W+", " ", re.sub(r"^[\d.\s]+", "", bare)).strip().casefold()
