"""Looking up in the source what a model says it copied: verbatim, repaired, or unsupported."""

import re
from collections.abc import Sequence

from tasks.answer.context import Context
from tasks.records import Excerpt, Verdict

_GLYPHS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        "\u00ad": "",
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
    }
)
_SPLIT_WORD = re.compile(r"(?<=[^\W\d_])-\s+(?=[a-z])")
_INNER_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_LETTERS_ONLY = re.compile(r"[\"'(\[]*[^\W\d_](?:[^\W\d_]|['/-])*[\"')\].,;:!?]*")
_UNITS = frozenset(
    "g kg mg mcg ug ng l dl ml mol mmol mosm osm m cm mm s sec min h hr d kpa pa mmhg bpm j kj kcal iu u unit units "
    "microgram micrograms milligram milligrams gram grams nanogram nanograms ml/h ml/kg mg/kg mmol/l mg/l g/l".split()
)
_MARKER = re.compile(r"\s*(?:[0-9]{1,4}:|[-*\u2022])\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_CLOSING = ".,;:!?"


class Source:
    """The sentences of a context, ready for look-ups.

    A claim is found where its words stand in the source one after the other. What is shown is then the whole
    sentence, or sentences, of the source that hold them: part of a sentence may have lost its "do not". Words with
    digits, comparators or units must agree to the letter; other words may differ in white space, quotes, hyphenation
    and case (`repaired`). Part of a sentence that stands in several sentences is `unsupported`, for which is meant
    cannot be known. A whole sentence that stands in several places is shown with the lines of them all.
    """

    def __init__(self, context: Context) -> None:
        self._sentences = context.sentences
        owners = [(word, i) for i, sentence in enumerate(context.sentences) for word in _words(sentence.text)]
        self._words = [word for word, _ in owners]
        self._keys = [_key(word) for word in self._words]
        self._owner = [i for _, i in owners]

    def locate_all(self, pieces: Sequence[str], labels: Sequence[str] | None = None) -> tuple[Excerpt, ...]:
        """The excerpts of every piece, in the order given; a sentence found again is not shown twice."""
        found: dict[tuple[str, str], Excerpt] = {}
        for i, piece in enumerate(pieces):
            for excerpt in self.locate(piece, labels[i] if labels else None):
                found.setdefault((excerpt.text, excerpt.claimed if not excerpt.text else ""), excerpt)
        return tuple(found.values())

    def locate(self, piece: str, label: str | None = None) -> list[Excerpt]:
        """The excerpts of one piece: one if it is found whole, else one for each of its sentences. Blank: none."""
        if not piece.strip():
            return []
        whole = self._find(piece, label)
        parts = _SENTENCE_END.split(piece.strip())
        if whole is not None:
            return [whole]
        if len(parts) == 1:
            return [_unsupported(piece, label)]
        return [self._find(part, label) or _unsupported(part, label) for part in parts]

    def _find(self, piece: str, label: str | None) -> Excerpt | None:
        exact = self._runs(piece.split(), self._words)
        if exact:
            spaced = " ".join(piece.split()) == piece
            return self._excerpt(piece, exact, "verbatim" if spaced else "repaired", label)
        for claim in (piece, _MARKER.sub("", piece, count=1)):
            runs = self._runs([_key(word) for word in _words(claim)], self._keys)
            if runs:
                return self._excerpt(piece, runs, "repaired", label)
        return None

    def _runs(self, claim: Sequence[str], source: Sequence[str]) -> list[range]:
        """Each run of sentences that holds `claim` as consecutive words; all read alike, or there are none."""
        if not claim:
            return []
        runs = [self._run_at(at, len(claim)) for at in range(len(source) - len(claim) + 1) if _same(claim, source, at)]
        whole = [run for run in runs if self._length(run) == len(claim)]
        if whole:
            return [run for run in whole if self._texts(run) == self._texts(whole[0])]
        return runs if len({self._texts(run) for run in runs}) == 1 else []

    def _texts(self, run: range) -> tuple[str, ...]:
        return tuple(self._sentences[i].text for i in run)

    def _run_at(self, at: int, length: int) -> range:
        return range(self._owner[at], self._owner[at + length - 1] + 1)

    def _length(self, run: range) -> int:
        return sum(len(_words(self._sentences[i].text)) for i in run)

    def _excerpt(self, piece: str, runs: Sequence[range], verdict: Verdict, label: str | None) -> Excerpt:
        return Excerpt(
            claimed=piece,
            text="\n".join(self._texts(runs[0])),
            lines=tuple(dict.fromkeys(self._sentences[i].line for run in runs for i in run)),
            verdict=verdict,
            label=label,
        )


def _same(claim: Sequence[str], source: Sequence[str], at: int) -> bool:
    """Whether the claim's words stand in the source from `at` on; the last may lack the source's closing mark."""
    if source[at] != claim[0] and len(claim) > 1:
        return False
    last = at + len(claim) - 1
    return list(source[at:last]) == list(claim[:-1]) and claim[-1] in (source[last], source[last].rstrip(_CLOSING))


def _words(text: str) -> list[str]:
    return _SPLIT_WORD.sub("", text).split()


def _key(word: str) -> str:
    """What two words must share to be the same but for quotes, hyphenation and case."""
    plain = word.translate(_GLYPHS)
    if not _LETTERS_ONLY.fullmatch(plain) or plain.strip("\"'()[]" + _CLOSING).casefold() in _UNITS:
        return plain
    return _INNER_HYPHEN.sub("", plain).casefold()


def _unsupported(piece: str, label: str | None) -> Excerpt:
    return Excerpt(claimed=piece, text="", lines=(), verdict="unsupported", label=label)
