"""Which file is which guideline: the ids, the names that cannot be one, and what stands there twice."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from tasks.errors import DataError, UnreadableText
from tasks.records import Format, Source, Word

FORMATS: Mapping[str, Format] = {".pdf": "pdf", ".txt": "txt", ".md": "md", ".docx": "docx"}

_NAME = re.compile(r"[^\W_](?:[\w .,()&+'’-]{0,118}[\w)+'’])?")


def sources(folder: Path) -> list[Path]:
    """The guidelines of a folder, by name. Raises DataError if there is none, or two would have one id.

    Names that differ in case, or in how an accent is stored, are one id: on some machines they are one file.
    """
    found = sorted(path for path in folder.glob("*") if path.suffix.lower() in FORMATS and path.name[0] != ".")
    if not found:
        raise DataError(f"{str(folder)!r} holds no guideline: put them there, one {', '.join(FORMATS)} file each")
    same: dict[str, list[str]] = defaultdict(list)
    for path in found:
        same[guideline_of(path).casefold()].append(path.name)
    for names in same.values():
        if len(names) > 1:
            raise DataError(
                f"{str(folder)!r} holds {_listed(names)}, which would have one id: rename or remove all but one"
            )
    return found


def guideline_of(path: Path) -> str:
    """The id of a guideline: the name of its file without the ending, accents composed."""
    return unicodedata.normalize("NFC", path.stem)


def source_of(path: Path) -> Source:
    """A file with its id. Raises UnreadableText where its name cannot be one.

    It can be shown in a prompt, a table and a path: letters and digits of any script, single spaces and . , ( ) & + ' -
    """
    name = guideline_of(path)
    if not _NAME.fullmatch(name) or "  " in name or not name.isprintable():
        raise UnreadableText(
            f"{str(path)!r}: rename it: the name is the guideline's id, and may hold letters, digits, single spaces "
            "and . , ( ) & + ' _ -, begin with a letter or digit, and have 120 characters"
        )
    return Source(guideline=name, file=path.name, format=FORMATS[path.suffix.lower()])


def password_variables(guideline: str) -> tuple[str, str]:
    """The environment variables in which the password of a PDF is looked for, the one of its own first.

    In the name, every character but A-Z and 0-9 is "_": "Sepsis (adult)" has SAFELLM_PDF_PASSWORD_SEPSIS__ADULT_.
    """
    own = re.sub(r"[^A-Z0-9]", "_", guideline.upper())
    return f"SAFELLM_PDF_PASSWORD_{own}", "SAFELLM_PDF_PASSWORD"


def password_of(guideline: str, environment: Mapping[str, str]) -> str | None:
    """The password of a PDF, or None. An empty variable counts as not set."""
    return next((environment[name] for name in password_variables(guideline) if environment.get(name)), None)


def same_bytes(files: Iterable[Path], digest: Callable[[Path], str]) -> list[str]:
    """A sentence for every set of files with the same bytes; `digest` tells."""
    by_digest: dict[str, list[str]] = defaultdict(list)
    for file in files:
        by_digest[digest(file)].append(file.name)
    return [f"{_listed(names)} are the same file: {_TWINS}" for names in by_digest.values() if len(names) > 1]


def same_text(words: Sequence[Word]) -> list[str]:
    """A sentence for every set of guidelines that hold the same words in the same order."""
    texts: dict[str, list[str]] = defaultdict(list)
    for word in words:
        texts[word.guideline].append(word.text)
    by_text: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for guideline, own in texts.items():
        by_text[tuple(own)].append(guideline)
    return [f"{_listed(names)} hold the same text: {_TWINS}" for names in by_text.values() if len(names) > 1]


_TWINS = "keep one, for a question could be answered from either"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(map(repr, names))
